/**
 * The identifiers, groups and policies of the tenant: from the service's lists or, if it has none, those that this
 * profile has seen.
 */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { maxIdentifiers, type MonitoredIdentifierList } from "@threat-exposure/core/domain/MonitoredIdentifier"
import type { Cursor, Page } from "@threat-exposure/core/domain/Page"
import { Context, Effect, Layer, PubSub, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import type { Failure } from "../editor/Problem.ts"
import { firstPage, makeListing } from "../listing/Listing.ts"
import { type KnownIdentifier, listedIdentifier } from "./KnownIdentifier.ts"
import { type IdentifierEntry, mergeEntries, type PolicyEntry, type RegisterEntries } from "./RegisterEntries.ts"
import { makeRememberedEntries } from "./RememberedEntries.ts"

export type IdentifierGroup = RegisterEntries["groups"][number]

/** Lists that a service may lack. */
type Listable = "identifiers" | "groups"

export class Register extends Context.Service<
  Register,
  {
    /**
     * Identifiers with names to show: those listed so far or, if the service lists none, the remembered ones. Sends no
     * request.
     */
    readonly identifiers: Effect.Effect<ReadonlyArray<KnownIdentifier>>
    /** Loads all identifiers, which reads all pages of the service. */
    readonly allIdentifiers: Effect.Effect<ReadonlyArray<KnownIdentifier>, Failure>
    /** Whether the service lists identifiers. Sends a request unless this is known. */
    readonly isListed: Effect.Effect<boolean, Failure>
    /** Loads a page of the service's list. */
    readonly page: (
      query: Pick<MonitoredIdentifierList, "is_disabled" | "order_by" | "types">,
      from: Cursor | undefined
    ) => Effect.Effect<Page<KnownIdentifier>, Failure>
    /** The groups of the service, or the remembered ones. */
    readonly groups: Effect.Effect<ReadonlyArray<IdentifierGroup>, Failure>
    /** The groups are read again at their next use. */
    readonly forgetGroups: Effect.Effect<void>
    /** How the service refused this list, which remembered entries then replace; undefined unless it did. */
    readonly refusal: (what: Listable) => Failure | undefined
    readonly policies: Effect.Effect<ReadonlyArray<PolicyEntry>>
    /** Adds new entries and missing details. Details of a better origin are kept. */
    readonly learn: (met: {
      readonly identifiers?: ReadonlyArray<IdentifierEntry>
      readonly policies?: ReadonlyArray<PolicyEntry>
      readonly groups?: ReadonlyArray<IdentifierGroup>
    }) => Effect.Effect<void>
    readonly put: (identifier: IdentifierEntry) => Effect.Effect<void>
    readonly forgetIdentifiers: (ids: ReadonlyArray<number>) => Effect.Effect<void>
    readonly forgetPolicy: (uuid: string) => Effect.Effect<void>
    /** Hides deleted identifiers, because the service may list them for another hour. */
    readonly noteDeleted: (ids: ReadonlyArray<number>) => Effect.Effect<void>
    /** Must be called after a record is created, changed or deleted: listed data is then read again. */
    readonly outdate: Effect.Effect<void>
    readonly outdated: Stream.Stream<void>
    /** Emits whenever entries are listed, added, changed or removed. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/register/Register") {
  static readonly layer = Layer.effect(
    Register,
    Effect.gen(function* () {
      const connections = yield* Connections
      const profiles = yield* Profiles
      const remembered = yield* makeRememberedEntries
      const { change } = remembered
      const outdated = yield* PubSub.sliding<void>(1)

      /** Listed identifiers by id; undefined before the service has listed any. */
      let listed: Map<number, KnownIdentifier> | undefined
      let groups: ReadonlyArray<IdentifierGroup> | undefined
      const refusals = new Map<Listable, Failure>()
      const deleted = new Set<number>()
      yield* profiles.changes.pipe(
        Stream.runForEach(() =>
          Effect.sync(() => {
            listed = undefined
            groups = undefined
            refusals.clear()
            deleted.clear()
          })
        ),
        Effect.forkScoped
      )

      const noteRefusal = (what: Listable) => (failure: Failure) =>
        Effect.suspend(() => {
          if (!isNotServed(failure) || refusals.get(what)?._tag === failure._tag) return Effect.void
          refusals.set(what, failure)
          return remembered.notify
        })

      const page = Effect.fnUntraced(
        function* (query: Pick<MonitoredIdentifierList, "is_disabled" | "order_by" | "types">, from?: Cursor) {
          const { ask } = yield* connections.asNow
          const { items, next } = yield* ask(
            Effect.flatMap(Identifiers, (service) =>
              firstPage(service.pages({ ...query, size: maxIdentifiers, ...(from === undefined ? {} : { from }) }))
            )
          )
          refusals.delete("identifiers")
          const known = items.filter(({ id }) => !deleted.has(id)).map(listedIdentifier)
          const before = listed
          // An empty page says nothing while another one follows.
          if (before === undefined && known.length === 0 && next !== null) return { items: known, next }
          const isNews = before === undefined || known.some(({ id }) => !before.has(id))
          listed = new Map([...(before ?? []), ...known.map((each) => [each.id, each] as const)])
          if (isNews) yield* remembered.notify
          return { items: known, next }
        },
        Effect.tapError(noteRefusal("identifiers"))
      )

      const listing = (size: number) =>
        makeListing<KnownIdentifier, Failure, never>({
          size,
          key: ({ id }) => String(id),
          page: (from) => page({}, from)
        })

      const identifiers = Effect.suspend((): Effect.Effect<ReadonlyArray<KnownIdentifier>> =>
        listed === undefined ? remembered.identifiers : Effect.succeed([...listed.values()])
      )

      const forgetGroups = Effect.sync(() => {
        groups = undefined
        refusals.delete("groups")
      })

      const outdate = Effect.suspend(() => {
        for (const id of deleted) listed?.delete(id)
        return forgetGroups.pipe(Effect.andThen(PubSub.publish(outdated, undefined)), Effect.andThen(remembered.notify))
      })

      return Register.of({
        identifiers,
        allIdentifiers: Effect.gen(function* () {
          if (refusals.has("identifiers")) return yield* identifiers
          const { first } = yield* listing(Number.POSITIVE_INFINITY)
          const { items } = yield* first
          listed = new Map(items.map((each) => [each.id, each]))
          return items
        }).pipe(Effect.catchIf(isNotServed, () => identifiers)),
        isListed: Effect.suspend(() =>
          listed !== undefined || refusals.has("identifiers")
            ? Effect.void
            : Effect.flatMap(listing(1), ({ first }) => Effect.asVoid(first))
        ).pipe(
          Effect.catchIf(isNotServed, () => Effect.void),
          Effect.map(() => !refusals.has("identifiers"))
        ),
        page,
        groups: Effect.gen(function* () {
          if (groups !== undefined) return groups
          if (refusals.has("groups")) return (yield* remembered.read).groups
          const found = yield* connections.ask(Effect.flatMap(IdentifierGroups, (service) => service.list()))
          groups = found.map(({ id, name }) => ({ id, name: name ?? String(id) }))
          return groups
        }).pipe(
          Effect.tapError(noteRefusal("groups")),
          Effect.catchIf(isNotServed, () => Effect.map(remembered.read, ({ groups }) => groups))
        ),
        forgetGroups,
        refusal: (what) => refusals.get(what),
        policies: Effect.map(remembered.read, ({ policies }) => policies),
        learn: ({ identifiers: met = [], policies = [], groups = [] }) =>
          met.length + policies.length + groups.length === 0
            ? Effect.void
            : change((known) => ({
                // Remember identifiers only if the service does not list them.
                identifiers:
                  listed === undefined ? mergeEntries(known.identifiers, met, ({ id }) => id) : known.identifiers,
                policies: mergeEntries(known.policies, policies, ({ uuid }) => uuid),
                groups: [...known.groups, ...groups.filter(({ id }) => !known.groups.some((group) => group.id === id))]
              })),
        put: (identifier) =>
          change((known) => ({
            ...known,
            identifiers: [...known.identifiers.filter(({ id }) => id !== identifier.id), identifier]
          })),
        forgetIdentifiers: (ids) =>
          change((known) => ({ ...known, identifiers: known.identifiers.filter(({ id }) => !ids.includes(id)) })),
        forgetPolicy: (uuid) =>
          change((known) => ({ ...known, policies: known.policies.filter((policy) => policy.uuid !== uuid) })),
        noteDeleted: (ids) =>
          Effect.suspend(() => {
            for (const id of ids) deleted.add(id)
            return outdate
          }),
        outdate,
        outdated: Stream.fromPubSub(outdated),
        changes: remembered.changes
      })
    })
  )
}

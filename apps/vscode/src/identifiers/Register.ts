/** The identifiers and policies that this profile has met: the API lists neither. Kept in the editor's own storage. */
import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import { Context, Effect, Layer, Option, Schema, Semaphore, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../Editor.ts"
import { makeSignal } from "../Signal.ts"

/** How it was learned of; an earlier one in this list says more and is kept. */
const origins = ["created", "entered", "assignment", "event"] as const

export const Origin = Schema.Literals(origins)
export type Origin = typeof Origin.Type

export const KnownIdentifier = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  type: Schema.optionalKey(Schema.String),
  searchTypes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** A name the person gave it, or a group created through the API. */
  group: Schema.optionalKey(Schema.String),
  origin: Origin
})
export interface KnownIdentifier extends Schema.Schema.Type<typeof KnownIdentifier> {}

export const KnownPolicy = Schema.Struct({
  uuid: Schema.String,
  name: Schema.optionalKey(Schema.String),
  origin: Origin
})
export interface KnownPolicy extends Schema.Schema.Type<typeof KnownPolicy> {}

const Known = Schema.Struct({
  identifiers: Schema.Array(KnownIdentifier),
  policies: Schema.Array(KnownPolicy),
  groups: Schema.Array(Schema.Struct({ id: Schema.Int, name: Schema.String }))
})
interface Known extends Schema.Schema.Type<typeof Known> {}

const nothing: Known = { identifiers: [], policies: [], groups: [] }

export class Register extends Context.Service<
  Register,
  {
    readonly identifiers: Effect.Effect<ReadonlyArray<KnownIdentifier>>
    readonly policies: Effect.Effect<ReadonlyArray<KnownPolicy>>
    readonly groups: Effect.Effect<Known["groups"]>
    /** Adds what is new and fills in what was missing; what is known better stays. */
    readonly learn: (met: {
      readonly identifiers?: ReadonlyArray<KnownIdentifier>
      readonly policies?: ReadonlyArray<KnownPolicy>
      readonly groups?: Known["groups"]
    }) => Effect.Effect<void>
    readonly put: (identifier: KnownIdentifier) => Effect.Effect<void>
    readonly forgetIdentifiers: (ids: ReadonlyArray<number>) => Effect.Effect<void>
    readonly forgetPolicy: (uuid: string) => Effect.Effect<void>
    /** Once for each time something was added, changed or forgotten. */
    readonly changes: Stream.Stream<void>
  }
>()("threat-exposure/identifiers/Register") {
  static readonly layer = Layer.effect(
    Register,
    Effect.gen(function* () {
      const editor = yield* Editor
      const profiles = yield* Profiles
      const { heard, tell } = makeSignal<void>()
      const oneAtATime = yield* Semaphore.make(1)

      const key = Effect.map(profiles.now, (connection) =>
        connection._tag === "SignedOut" ? undefined : `register.${connection.profile.name}`
      )

      const read = Effect.gen(function* () {
        const name = yield* key
        if (name === undefined) return nothing
        const stored = Schema.decodeUnknownOption(Known)(yield* editor.stored("everywhere", name))
        return Option.getOrElse(stored, () => nothing)
      })

      const change = (update: (known: Known) => Known) =>
        oneAtATime.withPermit(
          Effect.gen(function* () {
            const name = yield* key
            if (name === undefined) return
            const before = yield* read
            const after = update(before)
            if (JSON.stringify(after) === JSON.stringify(before)) return
            yield* editor.store("everywhere", name, after)
            yield* tell(undefined)
          })
        )

      // Another window may have added to it.
      let last = yield* read
      yield* Stream.merge(
        Stream.map(heard, () => false),
        Stream.filter(editor.focusChanged, (isFocused) => isFocused)
      ).pipe(
        Stream.runForEach((isToBeTold) =>
          Effect.flatMap(read, (now) => {
            const isNews = isToBeTold && JSON.stringify(now) !== JSON.stringify(last)
            last = now
            return isNews ? tell(undefined) : Effect.void
          })
        ),
        Effect.forkScoped
      )

      return Register.of({
        identifiers: Effect.map(read, ({ identifiers }) => identifiers),
        policies: Effect.map(read, ({ policies }) => policies),
        groups: Effect.map(read, ({ groups }) => groups),
        learn: ({ identifiers = [], policies = [], groups = [] }) =>
          identifiers.length + policies.length + groups.length === 0
            ? Effect.void
            : change((known) => ({
                identifiers: merged(known.identifiers, identifiers, ({ id }) => id),
                policies: merged(known.policies, policies, ({ uuid }) => uuid),
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
        changes: heard
      })
    })
  )
}

const merged = <A extends { readonly origin: Origin }>(
  known: ReadonlyArray<A>,
  met: ReadonlyArray<A>,
  key: (item: A) => number | string
): ReadonlyArray<A> => {
  const all = new Map(known.map((item) => [key(item), item] as const))
  for (const item of met) {
    const before = all.get(key(item))
    const isBetter = before === undefined || origins.indexOf(item.origin) < origins.indexOf(before.origin)
    all.set(key(item), before === undefined ? item : isBetter ? { ...before, ...item } : { ...item, ...before })
  }
  return [...all.values()]
}

/** In the order of SPEC 4.4; types it does not know come last. */
export const typeOrder = (type: string | undefined): number => {
  const rank = identifierTypes.findIndex((known) => known === type)
  return rank === -1 ? identifierTypes.length : rank
}

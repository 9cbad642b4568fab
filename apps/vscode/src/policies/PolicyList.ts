/** The policies of the tenant: as the service lists them, and where it does not, those of the identifiers known here. */
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { maxPolicies } from "@threat-exposure/core/domain/MatchingPolicy"
import { Clock, Context, Effect, Layer, PubSub, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { type Failure, isNotServed } from "../editor/Problem.ts"
import { firstPage, type Listing, makeListing, reloadListing } from "../listing/Listing.ts"
import { Register } from "../register/Register.ts"
import { joinPolicies, listedPolicy, type Policy, policyOf } from "./Policy.ts"

export class PolicyList extends Context.Service<
  PolicyList,
  {
    /** Loads the first ones, unless some are there. */
    readonly load: Effect.Effect<ReadonlyArray<Policy>, Failure>
    /** Every policy. */
    readonly all: Effect.Effect<ReadonlyArray<Policy>, Failure>
    /** Reads again as many as are loaded. */
    readonly reload: Effect.Effect<void, Failure>
    /** The service's list, once something was loaded. */
    readonly listing: () => Listing<Policy, Failure> | undefined
    /** When the oldest of what was loaded came. */
    readonly asOf: () => number | undefined
    /** Whether the service has answered that it cannot list them. */
    readonly isLacking: () => boolean
    /** Something was created, changed or deleted: what was loaded is to be read again. */
    readonly outdate: Effect.Effect<void>
    readonly outdated: Stream.Stream<void>
  }
>()("threat-exposure/policies/PolicyList") {
  static readonly layer = Layer.effect(
    PolicyList,
    Effect.gen(function* () {
      const connections = yield* Connections
      const register = yield* Register
      const outdated = yield* PubSub.sliding<void>(1)
      let listing: Listing<Policy, Failure> | undefined
      let isLacking = false
      /** Where the service does not list them. */
      let remembered: { readonly policies: ReadonlyArray<Policy>; readonly asOf: number } | undefined
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() =>
          Effect.sync(() => {
            listing = undefined
            remembered = undefined
            isLacking = false
          })
        ),
        Effect.forkScoped
      )

      const make = Effect.gen(function* () {
        const { ask } = yield* connections.asNow
        return yield* makeListing<Policy, Failure, never>({
          size: maxPolicies,
          key: ({ uuid }) => uuid,
          page: (from) =>
            ask(
              Effect.flatMap(MatchingPolicies, (service) =>
                firstPage(service.pages({ size: maxPolicies, ...(from === undefined ? {} : { from }) }))
              )
            ).pipe(Effect.map(({ items, next }) => ({ items: items.map(listedPolicy), next })))
        })
      })

      /** Reads the policies of each known identifier, and adds those that were entered by their uuid. */
      const remember = Effect.gen(function* () {
        isLacking = true
        const found = yield* Effect.forEach(
          yield* register.identifiers,
          (identifier) =>
            connections.ask(Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(identifier.id))).pipe(
              Effect.map((policies) => policies.map((assigned) => policyOf(assigned, identifier))),
              // An identifier that was entered by hand may not exist.
              Effect.catchTag("NotFound", () => Effect.succeed([]))
            ),
          { concurrency: 2 }
        )
        const known = yield* register.policies
        const policies = joinPolicies(
          found.flat(),
          known.map(({ uuid, name }) => ({ uuid, name, policy: undefined, identifiers: [] }))
        )
        remembered = { policies, asOf: yield* Clock.currentTimeMillis }
        yield* register.learn({
          policies: found
            .flat()
            .flatMap(({ uuid, name }) => (name === undefined ? [] : [{ uuid, name, origin: "assignment" as const }]))
        })
        return policies
      })

      const loadRemembered = Effect.suspend(() =>
        remembered === undefined ? remember : Effect.succeed(remembered.policies)
      )

      const load = Effect.gen(function* () {
        if (isLacking) return yield* loadRemembered
        listing ??= yield* make
        return (yield* listing.first).items
      }).pipe(Effect.catchIf(isNotServed, () => loadRemembered))

      return PolicyList.of({
        load,
        all: Effect.gen(function* () {
          let policies = yield* load
          while (listing?.now().hasMore === true) policies = (yield* listing.more).items
          return policies
        }),
        reload: Effect.suspend((): Effect.Effect<void, Failure> => {
          if (isLacking) return Effect.asVoid(remember)
          return Effect.map(reloadListing(listing, make), (next) => {
            listing = next
          })
        }),
        listing: () => listing,
        asOf: () => (isLacking ? remembered?.asOf : listing?.now().asOf),
        isLacking: () => isLacking,
        outdate: Effect.suspend(() => {
          remembered = undefined
          return PubSub.publish(outdated, undefined)
        }),
        outdated: Stream.fromPubSub(outdated)
      })
    })
  )
}

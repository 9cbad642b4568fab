/** The policies of the tenant from the service's list or, if it has none, from the known identifiers. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { maxPolicies } from "@threat-exposure/core/domain/MatchingPolicy"
import { Clock, Context, Effect, Layer, PubSub, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import type { Failure } from "../editor/Problem.ts"
import { firstPage, type Listing, makeListing, reloadListing } from "../listing/Listing.ts"
import { Register } from "../register/Register.ts"
import { joinPolicies, listedPolicy, type Policy, policyOf } from "./Policy.ts"

export class PolicyList extends Context.Service<
  PolicyList,
  {
    /** Loads the first page unless one is loaded already. */
    readonly load: Effect.Effect<ReadonlyArray<Policy>, Failure>
    readonly all: Effect.Effect<ReadonlyArray<Policy>, Failure>
    /** Loads as many policies as are loaded already. */
    readonly reload: Effect.Effect<void, Failure>
    /** The service's list; undefined until something is loaded. */
    readonly listing: () => Listing<Policy, Failure> | undefined
    /** Time of the oldest loaded data in milliseconds since 1970. */
    readonly asOf: () => number | undefined
    /** How the service refused to list policies; undefined unless it did. */
    readonly refusal: () => Failure | undefined
    /** Must be called after a policy is created, changed or deleted: loaded data is then read again. */
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
      let refusal: Failure | undefined
      /** Policies of known identifiers, if the service does not list policies. */
      let remembered: { readonly policies: ReadonlyArray<Policy>; readonly asOf: number } | undefined
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() =>
          Effect.sync(() => {
            listing = undefined
            remembered = undefined
            refusal = undefined
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

      /** Reads the policies of all known identifiers, and adds those that the person entered by uuid. */
      const remember = Effect.gen(function* () {
        const found = yield* Effect.forEach(
          yield* register.identifiers,
          (identifier) =>
            connections.ask(Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(identifier.id))).pipe(
              Effect.map((policies) => policies.map((assigned) => policyOf(assigned, identifier))),
              // An identifier that was entered by ID may not exist.
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
        if (refusal !== undefined) return yield* loadRemembered
        listing ??= yield* make
        return (yield* listing.first).items
      }).pipe(
        Effect.catchIf(isNotServed, (failure) => {
          refusal = failure
          return loadRemembered
        })
      )

      return PolicyList.of({
        load,
        all: Effect.gen(function* () {
          let policies = yield* load
          while (listing?.now().hasMore === true) policies = (yield* listing.more).items
          return policies
        }),
        reload: Effect.suspend(() => reloadListing(listing, make)).pipe(
          Effect.map((next) => {
            listing = next
            refusal = undefined
          }),
          Effect.catchIf(isNotServed, (failure) => {
            refusal = failure
            return Effect.asVoid(remember)
          })
        ),
        listing: () => listing,
        asOf: () => (refusal === undefined ? listing?.now().asOf : remembered?.asOf),
        refusal: () => refusal,
        outdate: Effect.suspend(() => {
          remembered = undefined
          return PubSub.publish(outdated, undefined)
        }),
        outdated: Stream.fromPubSub(outdated)
      })
    })
  )
}

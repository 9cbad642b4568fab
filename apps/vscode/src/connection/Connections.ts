/** Who is signed in where, and the client that speaks for them. */
import { ApiClient, type Quota } from "@threat-exposure/core/client/ApiClient"
import type { ApiError, RequestInvalid } from "@threat-exposure/core/client/ApiError"
import type { ClientOptions } from "@threat-exposure/core/client/ClientOptions"
import type { Credentials } from "@threat-exposure/core/client/Credentials"
import type { Events } from "@threat-exposure/core/client/Events"
import type { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import type { Identifiers } from "@threat-exposure/core/client/Identifiers"
import type { Intel } from "@threat-exposure/core/client/Intel"
import type { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import type { Reports } from "@threat-exposure/core/client/Reports"
import type { Tenants } from "@threat-exposure/core/client/Tenants"
import * as client from "@threat-exposure/core/client/services"
import { Context, Effect, Exit, Layer, Option, Predicate, Redacted, Scope, Semaphore, Stream } from "effect"
import { Editor } from "../Editor.ts"
import { SignedOut, TooSlow } from "../Problem.ts"
import { Settings } from "../Settings.ts"
import { makeSignal } from "../Signal.ts"
import type { Profile } from "./Profile.ts"

/** What an operation of the API asks for. */
export type Client =
  | ApiClient
  | Credentials
  | Events
  | IdentifierGroups
  | Identifiers
  | Intel
  | MatchingPolicies
  | Recommendations
  | Reports
  | Tenants

/** A profile that the process was started with, its secret included; there is none in a browser. */
export class GivenProfile extends Context.Reference<
  Option.Option<{ readonly profile: Profile; readonly secret: Redacted.Redacted }>
>("threat-exposure/connection/Connections/GivenProfile", { defaultValue: () => Option.none() }) {}

export type Connection =
  | { readonly _tag: "SignedOut" }
  | { readonly _tag: "SignedIn"; readonly profile: Profile }
  | { readonly _tag: "Expired"; readonly profile: Profile }

export class Connections extends Context.Service<
  Connections,
  {
    readonly now: Effect.Effect<Connection>
    /** Each time it becomes another one. */
    readonly changes: Stream.Stream<Connection>
    /** Every profile, and whether it has a secret. */
    readonly profiles: Effect.Effect<ReadonlyArray<{ readonly profile: Profile; readonly isSignedIn: boolean }>>
    readonly signIn: (profile: Profile, secret: Redacted.Redacted) => Effect.Effect<void>
    /** Forgets the secret of the current profile; the profile itself stays. */
    readonly signOut: Effect.Effect<void>
    readonly select: (profile: Profile) => Effect.Effect<void>
    /** For a person who waits: fails soon, and says so. */
    readonly ask: <A, E>(
      effect: Effect.Effect<A, E, Client>
    ) => Effect.Effect<A, E | SignedOut | TooSlow | RequestInvalid>
    /** For long work: waits and tries again as the service asks. */
    readonly work: <A, E, R>(
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SignedOut | RequestInvalid, Exclude<R, Client>>
    /** Asks the service something cheap, and tells what is left of the search quota as far as it has said. */
    readonly test: Effect.Effect<Quota, ApiError | SignedOut | TooSlow>
    /** Reads the profiles again, after a setting changed. */
    readonly look: Effect.Effect<void>
    /** The token or key of the current profile, from which the key of a cache is derived. */
    readonly secret: Effect.Effect<Redacted.Redacted, SignedOut>
    /** Tries a profile that nobody is signed in to yet. */
    readonly probe: (profile: Profile, secret: Redacted.Redacted) => Effect.Effect<void, ApiError>
  }
>()("threat-exposure/connection/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.gen(function* () {
      const editor = yield* Editor
      const settings = yield* Settings
      const given = yield* GivenProfile
      const scope = yield* Effect.scope
      const isGiven = (profile: Profile) => Option.isSome(given) && given.value.profile.name === profile.name

      const secretOf = Effect.fnUntraced(function* (profile: Profile) {
        if (Option.isSome(given) && isGiven(profile)) {
          return (yield* editor.stored("here", leftKey)) === true ? Option.none() : Option.some(given.value.secret)
        }
        return Option.map(yield* editor.secret(secretKey(profile)), (value) => Redacted.make(value))
      })

      const allProfiles = Effect.map(settings.get("profiles"), (profiles) =>
        Option.isSome(given) ? [given.value.profile, ...profiles.filter((profile) => !isGiven(profile))] : profiles
      )

      const find = Effect.gen(function* () {
        const chosen = (yield* editor.stored("here", chosenKey)) ?? (yield* editor.stored("everywhere", chosenKey))
        const profiles = yield* allProfiles
        const profile = profiles.find(({ name }) => name === chosen) ?? (chosen === undefined ? profiles[0] : undefined)
        if (profile === undefined) return signedOut
        const isSignedIn = Option.isSome(yield* secretOf(profile))
        return isSignedIn ? signedIn(profile) : signedOut
      })

      let state: Connection = yield* find
      const { heard, tell } = makeSignal<Connection>()

      // One client at a time; what the one before had under way ends with it.
      let live: { readonly scope: Scope.Closeable; readonly clients: Clients } | undefined
      const oneAtATime = yield* Semaphore.make(1)

      const close = Effect.suspend(() => {
        const before = live
        live = undefined
        return before === undefined ? Effect.void : Scope.close(before.scope, Exit.void)
      })

      const become = (connection: Connection) =>
        oneAtATime.withPermit(
          Effect.andThen(
            close,
            Effect.suspend(() => {
              state = connection
              return tell(connection)
            })
          )
        )

      const current = Effect.gen(function* () {
        if (state._tag !== "SignedIn") return yield* new SignedOut({ isExpired: state._tag === "Expired" })
        const secret = yield* secretOf(state.profile)
        return Option.isSome(secret)
          ? { profile: state.profile, secret: secret.value }
          : yield* new SignedOut({ isExpired: false })
      })

      const clients = oneAtATime.withPermit(
        Effect.gen(function* () {
          const { profile, secret } = yield* current
          if (live !== undefined) return live.clients
          const own = yield* Scope.fork(scope)
          const clients = yield* build(profile, secret, {
            search: yield* settings.get("requests.searchesPerSecond"),
            basic: 4
          }).pipe(Effect.provideService(Scope.Scope, own))
          live = { scope: own, clients }
          return clients
        })
      )

      const expire = Effect.gen(function* () {
        const connection = state
        if (connection._tag === "SignedIn") {
          yield* editor.log("warn", `The service refused the sign-in of profile ${connection.profile.name}`)
          yield* become({ _tag: "Expired", profile: connection.profile })
        }
      })

      const noticing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.tapError(effect, (error) =>
          Predicate.isTagged(error, "Unauthorized") ? Effect.forkIn(expire, scope) : Effect.void
        )

      const ask = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E, Client>) {
        const { soon } = yield* clients
        const seconds = yield* settings.get("requests.timeoutSeconds")
        return yield* Effect.provideContext(effect, soon).pipe(
          Effect.retry({
            times: 1,
            while: (error) => Predicate.isTagged(error, "Unavailable")
          }),
          Effect.timeoutOrElse({
            duration: `${seconds} seconds`,
            orElse: () => Effect.fail(new TooSlow({ seconds }))
          }),
          noticing
        )
      })

      return Connections.of({
        now: Effect.sync(() => state),
        changes: heard,
        profiles: Effect.flatMap(allProfiles, (profiles) =>
          Effect.forEach(profiles, (profile) =>
            Effect.map(secretOf(profile), (secret) => ({ profile, isSignedIn: Option.isSome(secret) }))
          )
        ),
        signIn: Effect.fnUntraced(function* (profile, secret) {
          if (isGiven(profile)) yield* editor.store("here", leftKey, undefined)
          else {
            const others = (yield* settings.get("profiles")).filter(({ name }) => name !== profile.name)
            yield* settings.set("profiles", [...others, profile])
            yield* editor.setSecret(secretKey(profile), Option.some(Redacted.value(secret)))
          }
          yield* choose(profile)
          yield* become(signedIn(profile))
        }),
        signOut: Effect.gen(function* () {
          const connection = state
          if (connection._tag !== "SignedOut") {
            if (isGiven(connection.profile)) yield* editor.store("here", leftKey, true)
            else yield* editor.setSecret(secretKey(connection.profile), Option.none())
          }
          yield* become(signedOut)
        }),
        select: Effect.fnUntraced(function* (profile) {
          yield* choose(profile)
          yield* become(Option.isSome(yield* secretOf(profile)) ? signedIn(profile) : signedOut)
        }),
        ask,
        work: Effect.fnUntraced(function* (effect) {
          const { patient } = yield* clients
          return yield* noticing(Effect.provideContext(effect, patient))
        }),
        test: Effect.suspend(() =>
          ask(
            Effect.gen(function* () {
              yield* probe
              const api = yield* ApiClient
              return yield* api.quota
            })
          )
        ),
        look: Effect.flatMap(find, (found) =>
          JSON.stringify(found) === JSON.stringify(state) ? oneAtATime.withPermit(close) : become(found)
        ),
        secret: Effect.map(current, ({ secret }) => secret),
        probe: (profile, secret) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { soon } = yield* build(profile, secret, {})
              yield* Effect.provideContext(probe, soon)
            })
          )
      })

      function choose(profile: Profile) {
        return Effect.andThen(
          editor.store("here", chosenKey, profile.name),
          editor.store("everywhere", chosenKey, profile.name)
        )
      }
    })
  )
}

/** The cheapest call there is: it costs no quota. A key without the permission for it still proves the sign-in. */
const probe = Effect.gen(function* () {
  const recommendations = yield* Recommendations
  yield* Stream.runHead(recommendations.pages({ size: 1 }))
}).pipe(Effect.catchTag("Forbidden", () => Effect.void))

interface Clients {
  readonly soon: Context.Context<Client>
  readonly patient: Context.Context<Client>
}

const signedOut: Connection = { _tag: "SignedOut" }
const signedIn = (profile: Profile): Connection => ({ _tag: "SignedIn", profile })
const secretKey = ({ name }: Profile) => `threatExposure.secret.${name}`
const chosenKey = "profile"
const leftKey = "leftGivenProfile"

const build = (profile: Profile, secret: Redacted.Redacted, rateLimits: NonNullable<ClientOptions["rateLimits"]>) =>
  Effect.gen(function* () {
    const options: ClientOptions = {
      baseUrl: profile.baseUrl,
      pathPrefix: profile.pathPrefix,
      linkField: profile.linkField,
      rateLimits,
      ...(profile.signInWith === "apiKey" ? { apiKey: secret, tenantId: profile.tenantId } : { token: secret })
    }
    const [soon, patient] = yield* Effect.all([
      Layer.build(client.layer({ ...options, retries: 0 })),
      Layer.build(client.layer(options))
    ])
    return { soon, patient }
  })

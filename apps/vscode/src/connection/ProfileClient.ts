/** Builds the client of one profile. */
import type { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { CallOptions, type ClientOptions } from "@threat-exposure/core/client/ClientOptions"
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
import { Context, Effect, Layer, type Redacted, Stream } from "effect"
import type { Profile } from "./Profile.ts"

/** The services that an operation of the API requires. */
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

/** The function that sends requests; tests replace it. */
export const Fetch = Context.Reference<typeof fetch>("threat-exposure/connection/ProfileClient/Fetch", {
  defaultValue: () => (input, init) => globalThis.fetch(input, init)
})

export const buildClient = (
  profile: Profile,
  secret: Redacted.Redacted,
  fetch: typeof globalThis.fetch,
  rateLimits: NonNullable<ClientOptions["rateLimits"]>
) =>
  Layer.build(
    client.layer({
      baseUrl: profile.baseUrl,
      pathPrefix: profile.pathPrefix,
      linkField: profile.linkField,
      rateLimits,
      ...(profile.signInWith === "apiKey" ? { apiKey: secret, tenantId: profile.tenantId } : { token: secret }),
      fetch: profile.signInWith === "none" ? withoutAuthorization(fetch) : fetch
    })
  )

/** Removes the placeholder token of a profile whose proxy adds the credentials. */
const withoutAuthorization =
  (send: typeof fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete("authorization")
    return send(input, { ...init, headers })
  }

/**
 * The cheapest request, which costs no quota. A key without the permission for it still proves that the sign-in works.
 */
export const probe = Effect.gen(function* () {
  const recommendations = yield* Recommendations
  yield* Stream.runHead(recommendations.pages({ size: 1 }))
}).pipe(Effect.catchTag("Forbidden", () => Effect.void))

/** For interactive requests, which should fail quickly if the service does not answer. */
export const withoutRetries = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.updateService(effect, CallOptions, (options) => ({ ...options, retries: 0 }))

/** Leaked credentials. See docs/api.md#search-credentials. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { credentials } from "../api/Endpoints.ts"
import { ApiClient } from "./ApiClient.ts"
import { type Methods, methods } from "./Methods.ts"

export interface CredentialsMethods extends Methods<typeof credentials> {}

/**
 * Searches of the whole data set. Do not wrap a listing in `Stream.retry`, which restarts at the first page; each page is
 * retried. If the service cannot serve a page in time, the listing asks for one of half the size, and continues with that.
 */
export class Credentials extends Context.Service<Credentials, CredentialsMethods>()(
  "@threat-exposure/core/client/Credentials"
) {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.map(ApiClient, ({ transport }) => Credentials.of(methods(transport, credentials)))
  )
}

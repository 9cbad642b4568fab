import * as Context from "effect/Context"
import { credentials } from "../api/Endpoints.ts"
import { layerOf, type Methods } from "./Methods.ts"

export interface CredentialsMethods extends Methods<typeof credentials> {}

/**
 * Searches of the whole data set, and the tenant's own credentials. Do not wrap a listing in `Stream.retry`, which
 * restarts at the first page; each page is already retried. If the service cannot serve a page in time, the listing
 * halves the page size.
 */
export class Credentials extends Context.Service<Credentials, CredentialsMethods>()(
  "@threat-exposure/core/client/Credentials"
) {
  static readonly layer = layerOf(this, credentials)
}

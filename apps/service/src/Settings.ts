import * as Context from "effect/Context"
import type { Tier } from "@threat-exposure/core/api/Endpoints"
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"

/** Calls per second. A tier that is absent has no limit. */
export type Rates = { readonly [T in Tier]?: number | undefined }

export interface ServiceSettings {
  readonly pathPrefix: string
  readonly rates: Rates
  /** Whether a call over the rate limit is refused without saying how long to wait, as deployed services do. */
  readonly hidesWait: boolean
  /** The quota of global searches per tenant and month, in units. */
  readonly searchesAMonth: number
  /** Milliseconds after which a search is stopped and answered with 503. */
  readonly searchTimeLimit: number
  /** Bytes; a longer request body is answered with 413. */
  readonly maximumBody: number
  /** Whether an API key can be used as a token, without an exchange. */
  readonly acceptsKeysAsTokens: boolean
  readonly metrics: boolean
  /** Milliseconds for which a stopping server keeps idle connections open. */
  readonly idleGrace: number
}

/** The limits of deployed services. See docs/api.md#limits-and-quota. */
export const deployedLimits = {
  rates: { search: 1, basic: 4 },
  searchesAMonth: 10_000,
  hidesWait: true
} as const satisfies Partial<ServiceSettings>

export const Settings = Context.Reference<ServiceSettings>("@threat-exposure/service/Settings", {
  defaultValue: () => ({
    pathPrefix: defaultPathPrefix,
    rates: {},
    hidesWait: false,
    searchesAMonth: 1_000_000,
    searchTimeLimit: 5_000,
    maximumBody: 1_048_576,
    acceptsKeysAsTokens: true,
    metrics: false,
    idleGrace: 1_000
  })
})

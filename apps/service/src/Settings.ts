import * as Context from "effect/Context"
import type { Tier } from "@threat-exposure/core/api/Endpoints"
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"

/** Calls per second. A tier that is absent has no limit. */
export type Rates = { readonly [T in Tier]?: number | undefined }

export interface ServiceSettings extends Readonly<typeof defaults> {}

const noRates: Rates = {}

const defaults = {
  pathPrefix: defaultPathPrefix,
  rates: noRates,
  /** Whether a call over the rate limit is refused without saying how long to wait, as deployed services do. */
  hidesWait: false,
  /** The quota of global searches per tenant and month, in units. */
  searchesAMonth: 1_000_000,
  /** Milliseconds after which a search is stopped and answered with 503. */
  searchTimeLimit: 5_000,
  /** Bytes; a longer request body is answered with 413. */
  maximumBody: 1_048_576,
  /** Whether an API key can be used as a token, without an exchange. */
  acceptsKeysAsTokens: true,
  metrics: false,
  /** Milliseconds for which a stopping server keeps idle connections open. */
  idleGrace: 1_000
}

/** The limits of deployed services. See docs/api.md#limits-and-quota. */
export const deployedLimits = {
  rates: { search: 1, basic: 4 },
  searchesAMonth: 10_000,
  hidesWait: true
} as const satisfies Partial<ServiceSettings>

export const Settings = Context.Reference<ServiceSettings>("@threat-exposure/service/Settings", {
  defaultValue: () => defaults
})

import * as Context from "effect/Context"

/**
 * The tenant of the current request; undefined outside requests. Engines use it to share their threads fairly among
 * tenants.
 */
export const CurrentTenant = Context.Reference<number | undefined>("@threat-exposure/service/requests/CurrentTenant", {
  defaultValue: () => undefined
})

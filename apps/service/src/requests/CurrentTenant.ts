import * as Context from "effect/Context"

/** Undefined outside requests. Engines share their threads fairly among tenants. */
export const CurrentTenant = Context.Reference<number | undefined>("@threat-exposure/service/requests/CurrentTenant", {
  defaultValue: () => undefined
})

import * as Context from "effect/Context"

/** The tenant whose request is answered; undefined outside of requests. Engines share their threads among tenants. */
export const CurrentTenant = Context.Reference<number | undefined>("@threat-exposure/service/requests/CurrentTenant", {
  defaultValue: () => undefined
})

/** Admits a request if its key is known, has the operation's permission (docs/api.md#permissions) and is within its rate. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Endpoint } from "@threat-exposure/core/api/Endpoints"
import { Forbidden, RateLimited, Unauthorized } from "@threat-exposure/core/domain/Failures"
import { type ApiKey, KeyRing } from "../keys/ApiKeys.ts"
import { RateLimits } from "../limits/RateLimits.ts"
import { Database } from "../sqlite/Database.ts"
import { Settings } from "../Settings.ts"

export type Refusal = Unauthorized | Forbidden | RateLimited

export class Gate extends Context.Service<
  Gate,
  {
    /** The key behind the token, or why it may not pass. A call that passes is counted. */
    admit(endpoint: Endpoint, token: string, now: number): ApiKey | Refusal
  }
>()("@threat-exposure/service/access/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const { connection } = yield* Database
      const { rates } = yield* Settings
      const keys = new KeyRing(connection)
      const limits = new RateLimits(rates)
      return Gate.of({
        admit: ({ permission, tier }, token, now) => {
          const key = token === "" ? undefined : keys.find(token, now)
          if (key === undefined) return new Unauthorized()
          if (!key.permissions.has(permission)) return new Forbidden({ permission })
          const retryAfter = limits.secondsToWait(key.tenantId, tier, now)
          return retryAfter === 0 ? key : tooMany(retryAfter)
        }
      })
    })
  )
}

/** The token of an `Authorization` header; empty where there is none of the scheme Bearer. */
export const bearerToken = (authorization: string | undefined): string =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? ""

const tooMany = (retryAfter: number) =>
  new RateLimited({
    retryAfter,
    code: "RATE_LIMITED",
    message: `Too many calls: wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}`
  })

/** Admits a request if its key is known, has the operation's permission (docs/api.md#permissions) and is within its rate. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type { Endpoint, Tier } from "@threat-exposure/core/api/Endpoints"
import { Forbidden, RateLimited, Unauthorized } from "@threat-exposure/core/domain/Failures"
import type { TokenAnswer } from "@threat-exposure/core/domain/Token"
import { sealToken, tokenLifetime } from "../keys/AccessToken.ts"
import { type ApiKey, KeyRing, writeKeyUses } from "../keys/ApiKeys.ts"
import { RateLimits } from "../limits/RateLimits.ts"
import { Database } from "../sqlite/Database.ts"
import { Settings } from "../Settings.ts"

export type Refusal = Unauthorized | Forbidden | RateLimited

export class Gate extends Context.Service<
  Gate,
  {
    /** The key behind the token, or why it may not call the operation. A call that passes is counted. */
    admit(endpoint: Endpoint, token: string, now: number): ApiKey | Refusal
    /** The key behind the token, whatever it may call. Counted as a basic call. */
    identify(token: string, now: number): ApiKey | Refusal
    /** An access token for an API key, and the tenant it is for. Counted as a basic call. */
    exchange(apiKey: string, now: number): { readonly tenantId: number; readonly answer: TokenAnswer } | Refusal
  }
>()("@threat-exposure/service/access/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const { connection, vault, write } = yield* Database
      const { acceptsKeysAsTokens, rates } = yield* Settings
      const keys = new KeyRing(connection, vault)
      const limits = new RateLimits(rates)
      const writeUses = Effect.suspend(() => {
        const uses = keys.takeUses()
        return uses.length === 0 ? Effect.void : write(writeKeyUses, uses)
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("The last use of keys could not be stored", cause)))
      yield* Effect.addFinalizer(() => writeUses)
      yield* writeUses.pipe(Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)

      const within = (tenantId: number, tier: Tier, now: number): RateLimited | undefined => {
        const retryAfter = limits.secondsToWait(tenantId, tier, now)
        return retryAfter === 0 ? undefined : tooMany(retryAfter)
      }
      const find = (token: string, now: number): ApiKey | undefined => {
        const known = token === "" ? undefined : keys.find(token, now)
        return known?.isKey === true && !acceptsKeysAsTokens ? undefined : known?.key
      }
      return Gate.of({
        admit: ({ permission, tier }, token, now) => {
          const key = find(token, now)
          if (key === undefined) return new Unauthorized()
          if (!key.permissions.has(permission)) return new Forbidden({ permission })
          return within(key.tenantId, tier, now) ?? key
        },
        identify: (token, now) => {
          const key = find(token, now)
          return key === undefined ? new Unauthorized() : (within(key.tenantId, "basic", now) ?? key)
        },
        exchange: (apiKey, now) => {
          const known = apiKey === "" ? undefined : keys.find(apiKey, now)
          if (known?.isKey !== true) return new Unauthorized()
          const { id, key, keyExpiresAt } = known
          const refused = within(key.tenantId, "basic", now)
          if (refused !== undefined) return refused
          const answer = {
            token: sealToken(vault, { keyId: id, expiresAt: Math.min(now + tokenLifetime, keyExpiresAt) }),
            refresh_token_exp: Math.floor(Math.min(now + longestRefresh, keyExpiresAt) / 1_000)
          }
          return { tenantId: key.tenantId, answer }
        }
      })
    })
  )
}

/** A year: an API key without an expiry can be exchanged for ever. */
const longestRefresh = 365 * 24 * 60 * 60 * 1_000

/** The token of an `Authorization` header; empty where there is none of the scheme Bearer. */
export const bearerToken = (authorization: string | undefined): string =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? ""

const tooMany = (retryAfter: number) =>
  new RateLimited({
    retryAfter,
    code: "RATE_LIMITED",
    message: `Too many calls: wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}`
  })

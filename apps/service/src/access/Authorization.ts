import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type Endpoint, permissionOf, type Tier, tierOf } from "@threat-exposure/core/api/Endpoints"
import { Forbidden, RateLimited, Unauthorized } from "@threat-exposure/core/domain/Failures"
import type { TokenAnswer } from "@threat-exposure/core/domain/Token"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { encodeToken, tokenLifetime } from "../keys/AccessToken.ts"
import { type ApiKey, digestOf, KeyRing, type KnownToken } from "../keys/ApiKeys.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { monotonicNow } from "../MonotonicTime.ts"
import { rateLimitReached, RateLimits, RateStore } from "../limits/RateLimits.ts"
import type { RequestRecord } from "../requests/ServedRequest.ts"
import { Settings } from "../Settings.ts"
import { withoutStack } from "../ExpectedFailure.ts"

/**
 * Decides who may call an operation: a known key with the operation's permission, within its rate limit. See
 * docs/api.md#authentication.
 */
export class Authorization extends Context.Service<
  Authorization,
  {
    /** Returns the key behind the token if it may call the operation. Counts as one call of the operation's tier. */
    authorize(
      endpoint: Pick<Endpoint, "method" | "permission" | "tier">,
      token: string,
      record: RequestRecord
    ): Effect.Effect<ApiKey, Unauthorized | Forbidden | RateLimited>
    /** Counts additional calls of the tier, for a call that took long. */
    charge(tenantId: number, tier: Tier, calls: number): void
    /** Creates an access token for an API key. Counts as a call of the basic tier. */
    exchange(
      apiKey: string,
      record: RequestRecord
    ): Effect.Effect<{ readonly tenantId: number; readonly answer: TokenAnswer }, Unauthorized | RateLimited>
  }
>()("@threat-exposure/service/access/Authorization") {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const current = yield* CurrentVault
      const { acceptsKeysAsTokens, hidesWait, rates } = yield* Settings
      const keys = new KeyRing(store, current)
      const limits = new RateLimits(rates)
      const clock = yield* Clock.Clock
      const writeUses = Effect.suspend(() => {
        const uses = keys.takeUses()
        return uses.length === 0 ? Effect.void : store.writeUses(uses)
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("The time of the last use of API keys could not be stored", cause)
        )
      )
      yield* Effect.addFinalizer(() => writeUses)
      yield* writeUses.pipe(Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)

      const rateStore = yield* RateStore
      const shareRates = Effect.suspend(() =>
        Effect.map(rateStore.exchange(limits.countAdmitted(monotonicNow())), (elsewhere) =>
          limits.learn(elsewhere, monotonicNow())
        )
      ).pipe(Effect.catchCause((cause) => Effect.logWarning("The rates could not be shared yet", cause)))
      if (rates.basic !== undefined || rates.search !== undefined) {
        yield* shareRates.pipe(Effect.repeat(Schedule.spaced("500 millis")), Effect.forkScoped)
      }

      // Reads the clock again, because a later request may have been counted while the key was read.
      const count = (tenantId: number, tier: Tier): Effect.Effect<void, RateLimited> => {
        const retryAfter = limits.secondsToWait(tenantId, tier, monotonicNow())
        if (retryAfter === 0) return Effect.void
        return Effect.fail(hidesWait ? rateReached : tooManyCalls(retryAfter))
      }
      const find = (token: string, now: number, record: RequestRecord): Effect.Effect<KnownToken | undefined> =>
        token === ""
          ? Effect.undefined
          : Effect.mapEager(keys.find(token, now), (known) => {
              if (known !== undefined) record.identify(known.key)
              return known
            })
      const caller = (token: string, now: number, record: RequestRecord): Effect.Effect<ApiKey, Unauthorized> =>
        Effect.flatMapEager(find(token, now, record), (known) =>
          known === undefined || (known.isKey && !acceptsKeysAsTokens)
            ? Effect.fail(withoutStack(() => new Unauthorized()))
            : Effect.succeed(known.key)
        )

      return Authorization.of({
        authorize: Effect.fnUntracedEager(function* (endpoint, token, record) {
          const now = clock.currentTimeMillisUnsafe()
          const key = yield* caller(token, now, record)
          const permission = permissionOf(endpoint)
          if (permission !== undefined && !key.permissions.has(permission))
            return yield* Effect.fail(withoutStack(() => new Forbidden({ permission })))
          yield* count(key.tenantId, tierOf(endpoint))
          return key
        }),
        charge: (tenantId, tier, calls) => limits.charge(tenantId, tier, calls, monotonicNow()),
        exchange: Effect.fnUntraced(function* (apiKey, record) {
          const now = clock.currentTimeMillisUnsafe()
          const known = yield* find(apiKey, now, record)
          if (known?.isKey !== true) return yield* Effect.fail(withoutStack(() => new Unauthorized()))
          const { key, keyExpiresAt } = known
          yield* count(key.tenantId, "basic")
          return {
            tenantId: key.tenantId,
            answer: {
              token: encodeToken(current.vault, {
                keyDigest: digestOf(apiKey),
                expiresAt: Math.min(now + tokenLifetime, keyExpiresAt)
              }),
              refresh_token_exp: Math.floor(Math.min(now + maxRefreshLifetime, keyExpiresAt) / 1_000)
            }
          }
        })
      })
    })
  )
}

/** The token of an `Authorization` header; empty unless the scheme is Bearer. */
export const bearerToken = (authorization: string | undefined): string =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? ""

/** One year, for API keys without an expiry. */
const maxRefreshLifetime = 365 * 24 * 60 * 60 * 1_000

/** The code and message with which deployed services refuse. */
const rateReached = new RateLimited({ code: rateLimitReached, message: "Too many calls: wait before the next one" })

const tooManyCalls = (retryAfter: number) =>
  new RateLimited({
    retryAfter,
    code: "RATE_LIMITED",
    message: `Too many calls: wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}`
  })

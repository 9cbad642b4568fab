/** Reads the time of the service, because the clock of this machine may be wrong, especially soon after its start. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as HttpClient from "effect/http/HttpClient"
import { type Saying, say } from "../output/Output.ts"

/**
 * Returns the `Date` header of a response with any status; without a response, the time of this machine. A clock
 * difference is reported once, and again if it returns.
 */
export const makeServiceTime = Effect.fnUntraced(function* (baseUrl: string | URL) {
  const client = yield* HttpClient.HttpClient
  const saying = yield* Effect.context<Saying>()
  let isSkewSaid = false
  return Effect.gen(function* () {
    const own = yield* DateTime.now
    const date = yield* client.head(baseUrl).pipe(
      // The connection can be reused only after the response is consumed, even without content.
      Effect.tap(({ text }) => Effect.ignore(text)),
      Effect.map(({ headers }) => Option.flatMap(Option.fromUndefinedOr(headers["date"]), DateTime.make)),
      Effect.timeout("10 seconds"),
      Effect.orElseSucceed(() => Option.none<DateTime.Utc>())
    )
    if (Option.isNone(date)) return own
    const secondsAhead = Math.round((DateTime.toEpochMillis(own) - DateTime.toEpochMillis(date.value)) / 1000)
    const isSkewed = Math.abs(secondsAhead) > maxSkewSeconds
    if (isSkewed && !isSkewSaid) {
      yield* say(
        `The clock of this machine is ${Math.abs(secondsAhead)} s ${secondsAhead > 0 ? "ahead of" : "behind"} that of the service: check which one is wrong`
      )
    }
    isSkewSaid = isSkewed
    return date.value
  }).pipe(Effect.provideContext(saying), Effect.withSpan("serviceTime"))
})

const maxSkewSeconds = 120

/** The time of the service: the clock of this machine may be wrong, above all soon after it starts. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as HttpClient from "effect/http/HttpClient"
import { say } from "../output/Output.ts"

/** The `Date` of an answer, whatever its status; the time of this machine if there is no answer. */
export const serviceTime = Effect.fn("serviceTime")(function* (baseUrl: string | URL) {
  const client = yield* HttpClient.HttpClient
  const own = yield* DateTime.now
  const date = yield* client.head(baseUrl).pipe(
    Effect.map(({ headers }) => Option.flatMap(Option.fromUndefinedOr(headers["date"]), DateTime.make)),
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => Option.none<DateTime.Utc>())
  )
  if (Option.isNone(date)) return own
  const secondsAhead = Math.round((DateTime.toEpochMillis(own) - DateTime.toEpochMillis(date.value)) / 1000)
  if (Math.abs(secondsAhead) > maxSkewSeconds) {
    yield* say(
      `The clock of this machine is ${Math.abs(secondsAhead)} s ${secondsAhead > 0 ? "ahead of" : "behind"} that of the service: check which one is wrong`
    )
  }
  return date.value
})

const maxSkewSeconds = 120

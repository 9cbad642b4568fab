import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { layer as noticeLayer } from "@threat-exposure/cli/connection/WaitNotice"
import { Clock, Duration, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { withMessages } from "../feed/FeedDoubles.ts"

const url = "https://exposure.example.com/svc/v4/events/"

/** A service that gives these answers in order, each after a number of milliseconds; undefined means unreachable. */
const service = (answers: ReadonlyArray<readonly [status: number | undefined, after: number]>) => {
  let at = 0
  return HttpClient.make((request) => {
    const [status, after] = answers[at++] ?? [200, 0]
    return Effect.delay(
      status === undefined
        ? Effect.fail(
            new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause: "" }) })
          )
        : Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}", { status }))),
      after
    )
  })
}

/** The messages of successive calls, one second apart. */
const messagesOf = Effect.fnUntraced(function* (answers: Parameters<typeof service>[0]) {
  const messages: Array<string> = []
  const calls = Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    for (const _ of answers) {
      yield* Effect.ignore(client.get(url))
      yield* Effect.sleep("1 second")
    }
  })
  const fiber = yield* calls.pipe(
    Effect.provide(noticeLayer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, service(answers))))),
    withMessages(messages),
    Effect.provide(NodeServices.layer),
    Effect.forkChild
  )
  for (let step = 0; fiber.pollUnsafe() === undefined && step < 400; step += 1) yield* TestClock.adjust("250 millis")
  yield* Fiber.join(fiber)
  return messages
})

const rest = "; this call is tried until 00:03:00 UTC at the latest"

describe("a call that waits", () => {
  it.effect("says after two seconds what it waits for and until when, and nothing before", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* messagesOf([[200, 1_750]]), [])
      assert.deepStrictEqual(yield* messagesOf([[200, 2_250]]), [
        "Waiting for an answer of exposure.example.com; this call is tried until 00:03:02 UTC at the latest"
      ])
    })
  )

  it.effect("says why, once for all attempts until there is an answer, and again in the next outage", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* messagesOf([
          [503, 0],
          [503, 0],
          [503, 0],
          [503, 0],
          [200, 0]
        ]),
        [`Waiting for an answer of exposure.example.com (it answered 503)${rest}`]
      )
    })
  )

  it.effect("names the rate limit of the service", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* messagesOf([
          [429, 0],
          [429, 0],
          [429, 0],
          [429, 0],
          [200, 0]
        ]),
        [`Waiting for an answer of exposure.example.com (it answered 429)${rest}`]
      )
    })
  )

  it.effect("says that the service cannot be reached", () =>
    Effect.gen(function* () {
      const [first, ...more] = yield* messagesOf([
        [undefined, 0],
        [undefined, 0],
        [undefined, 0],
        [200, 0],
        [200, 5_000]
      ])
      assert.strictEqual(first, `Waiting for an answer of exposure.example.com (it cannot be reached)${rest}`)
      assert.lengthOf(more, 1)
    })
  )

  it.effect("says nothing about answers that come in time, whatever they are", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* messagesOf([
          [200, 1_500],
          [404, 1_500],
          [401, 1_500],
          [503, 0],
          [200, 0]
        ]),
        []
      )
    })
  )

  it.effect("waits for nothing once there is an answer: what waits keeps the answer in memory", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let waiting = 0
      const counting: Clock.Clock = Object.assign(Object.create(clock), {
        sleep: (duration: Duration.Duration) =>
          Effect.suspend(() => {
            waiting += 1
            return Effect.ensuring(
              clock.sleep(duration),
              Effect.sync(() => (waiting -= 1))
            )
          })
      })
      yield* Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const call = yield* Effect.forkChild(client.get(url))
        yield* TestClock.adjust("500 millis")
        assert.strictEqual(waiting, 2)
        yield* TestClock.adjust("500 millis")
        yield* Fiber.join(call)
        assert.strictEqual(waiting, 0)
      }).pipe(
        Effect.provide(noticeLayer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, service([[200, 1_000]]))))),
        Effect.provideService(Clock.Clock, counting),
        withMessages([]),
        Effect.provide(NodeServices.layer)
      )
    })
  )
})

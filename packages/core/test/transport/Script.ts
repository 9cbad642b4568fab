/** A `fetch` that answers from a script, and a clock that is advanced until the program under test is done. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import type { UncheckedOptions } from "../../src/client/ClientOptions.ts"
import { layerUnchecked } from "../../src/client/services.ts"

/** One request as sent. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly redirect: string | undefined
  readonly signal: AbortSignal
  /** When the request was sent, in milliseconds of the test clock. */
  readonly at: number
}

/** One reaction of the service: a response, a broken connection, or no response at all. */
export type Step = Response | Error | "stall" | ((sent: Sent) => Response | Error | "stall" | Promise<Response>)

export const json = (body: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(body), { status: 200, ...init })

export const refusal = (
  status: number,
  code = "REFUSED",
  message = "refused",
  headers: Record<string, string> = {}
): Response => json({ error: { code, message } }, { status, headers })

/** A response whose headers arrive immediately, but whose body never ends. */
export const stalledBody = (beginning: string, signal: AbortSignal): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(beginning))
        signal.addEventListener("abort", () => controller.error(signal.reason))
      }
    })
  )

/** A response whose connection breaks in the middle of the body. */
export const cutBody = (beginning: string): Response => {
  let isFirst = true
  return new Response(
    new ReadableStream({
      pull: (controller) => {
        if (isFirst) controller.enqueue(new TextEncoder().encode(beginning))
        else controller.error(new TypeError("terminated"))
        isFirst = false
      }
    })
  )
}

export const reset = () => new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })

export const baseUrl = "https://api.example.com"

/** The last step also answers all further requests. */
export const makeScript = (...steps: ReadonlyArray<Step>) =>
  Effect.map(Clock.Clock, (clock) => {
    const sent: Array<Sent> = []
    const fetch: typeof globalThis.fetch = async (input, init = {}) => {
      const signal = init.signal ?? new AbortController().signal
      const request: Sent = {
        method: init.method ?? "GET",
        url: String(input),
        headers: Object.fromEntries(new Headers(init.headers).entries()),
        body: init.body instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(init.body)) : undefined,
        redirect: init.redirect,
        signal,
        at: clock.currentTimeMillisUnsafe()
      }
      sent.push(request)
      signal.throwIfAborted()
      const step = steps[Math.min(sent.length, steps.length) - 1]
      const answer = await (typeof step === "function" ? step(request) : step)
      if (answer === undefined) throw new Error("the script is empty")
      if (answer instanceof Error) throw answer
      if (answer !== "stall") return answer.clone()
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    }

    return {
      sent,
      fetch,
      layer: (options: Partial<UncheckedOptions> = {}) =>
        layerUnchecked({ baseUrl, ...(options.apiKey === undefined ? { token: "a-token" } : {}), ...options, fetch })
    }
  })

/** Runs everything that does not wait on the clock. */
export const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
})

/** Runs an effect to its end, and advances the clock whenever it waits. */
export const finish = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    for (let waited = 0; waited < 30 * 60_000;) {
      yield* settle
      if (fiber.pollUnsafe() !== undefined) return yield* Fiber.join(fiber)
      const step = waited < 20_000 ? 25 : 1000
      waited += step
      yield* TestClock.adjust(step)
    }
    return yield* Effect.die(new Cause.TimeoutError("still not done after half an hour of the test's clock"))
  })

/** Provides services that use the script. */
export const over =
  <Services, E>(services: Layer.Layer<Services, E>) =>
  <A, E2>(effect: Effect.Effect<A, E2, Services>): Effect.Effect<A, E | E2> =>
    finish(Effect.provide(effect, services))

/**
 * Limits the calls of one tier to the rate that the service admits.
 *
 * The limiter learns this rate from the responses, because the service does not report it. Before the first 429, calls
 * are sent without delay, but the number of concurrent calls starts at one and doubles while responses succeed, so that
 * a burst at the start of a program does not cause as many 429s. From the first 429 on, calls are spaced by an
 * interval, which later responses lengthen or shorten.
 *
 * If another program shares the limit, refusals reveal when it sends. The interval then becomes exactly two slots,
 * which keeps the distance to a program that sends in every other slot, and a refused request moves by one slot.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import { monotonicMillis } from "./MonotonicTime.ts"

export interface RateLimiterOptions {
  /** Maximum calls per second of the client's own limit; undefined if only the service limits them. */
  readonly rate: number | undefined
  /** The interval in milliseconds between calls that is assumed after the first 429. */
  readonly defaultInterval: number
  /** Milliseconds to wait after the first 429, if the service does not specify a time. */
  readonly firstPause: number
}

/** Whether the limit admitted a request, judged by the response. */
export type Admission =
  | { readonly _tag: "Admitted" }
  /** `pause` is the wait in milliseconds that the service requested, if any. */
  | { readonly _tag: "Limited"; readonly pause: number | undefined }
  /** There was no response, or it reveals nothing about the limit. */
  | { readonly _tag: "Unknown" }

/** The limit does not admit the request before it expires. */
export interface Throttled {
  readonly _tag: "Throttled"
  /** Seconds until the limit admits requests again. */
  readonly retryAfter: number
}

export interface RateLimiter {
  /** Requests are sent in the order of their arrival. `expiresAt` is in {@link monotonicMillis}. */
  readonly limit: <A, E>(
    send: Effect.Effect<A, E>,
    expiresAt: number,
    admissionOf: (exit: Exit.Exit<A, E>) => Admission
  ) => Effect.Effect<A, E | Throttled>
  /** The currently required wait; undefined if the service has not answered 429. */
  readonly throttled: Effect.Effect<Throttled | undefined>
}

export const makeRateLimiter = (options: RateLimiterOptions): RateLimiter => {
  const schedule = new SendSchedule(options)
  const queue = Semaphore.makeUnsafe(1)
  let queued = 0
  /** Ends the wait of the next request, because a response may change the time to wait. */
  let wake: (() => void) | undefined
  const nextAnswer = Effect.callback<void>((resume) => {
    wake = () => resume(Effect.void)
    return Effect.sync(() => {
      wake = undefined
    })
  })

  const describeThrottle = (now: number): Throttled => ({
    _tag: "Throttled",
    retryAfter: Math.max(0, schedule.closedUntil - now) / 1000
  })

  const waitForTurn = (call: QueuedCall): Effect.Effect<void, Throttled> =>
    Effect.flatMap(monotonicMillis, (now) => {
      const wait = schedule.millisToWait(now)
      if (wait <= 0) {
        call.ticket = schedule.start(now)
        return Effect.void
      }
      if (schedule.isClosedUntil(call.expiresAt)) return Effect.fail(describeThrottle(now))
      const change = Number.isFinite(wait) ? Effect.raceFirst(Effect.sleep(Math.ceil(wait)), nextAnswer) : nextAnswer
      return Effect.andThen(change, waitForTurn(call))
    })

  const queueForTurn = (call: QueuedCall): Effect.Effect<void, Throttled> =>
    Effect.flatMap(monotonicMillis, (now) => {
      if (queued === 0 && schedule.millisToWait(now) <= 0) {
        call.ticket = schedule.start(now)
        return Effect.void
      }
      queued++
      return Effect.ensuring(
        queue.withPermit(waitForTurn(call)),
        Effect.sync(() => {
          queued--
        })
      )
    })

  const end = (call: QueuedCall, admission: Admission): Effect.Effect<void> => {
    const { ticket } = call
    if (ticket === undefined) return Effect.void
    call.ticket = undefined
    return Effect.flatMap(monotonicMillis, (now) =>
      Effect.map(admission._tag === "Limited" ? Random.next : Effect.succeed(0), (random) => {
        schedule.end(ticket, admission, now, random)
        wake?.()
      })
    )
  }

  return {
    throttled: Effect.map(monotonicMillis, (now) => (schedule.isSlowed ? describeThrottle(now) : undefined)),
    limit: (send, expiresAt, admissionOf) =>
      Effect.suspend(() => {
        const call: QueuedCall = { expiresAt, ticket: undefined }
        return queueForTurn(call).pipe(
          Effect.andThen(Effect.onExit(send, (exit) => end(call, admissionOf(exit)))),
          // Covers an interruption between the turn and the request.
          Effect.ensuring(Effect.suspend(() => end(call, { _tag: "Unknown" })))
        )
      })
  }
}

interface QueuedCall {
  readonly expiresAt: number
  /** Set while the request is in flight. */
  ticket: Ticket | undefined
}

interface Ticket {
  readonly sentAt: number
  /** Number of slowdowns when the request was sent. */
  readonly generation: number
}

/** Decides when the next request may be sent. Times are in milliseconds. */
class SendSchedule {
  readonly #options: RateLimiterOptions
  readonly #minInterval: number
  #interval: number
  #isSlowed = false
  #opensAt = 0
  /** The end of the pause that the service requested, which may be longer than {@link maxPause}. */
  #closedUntil = 0
  #lastSentAt = Number.NEGATIVE_INFINITY
  #inFlight = 0
  /** Maximum number of requests in flight before the first 429. */
  #window: number
  /** Requests admitted since the last change of the interval or the window. */
  #successes = 0
  #successesToSpeedUp = 20
  /** The interval before it was shortened, to return to if the shorter one proves too short. */
  #previousInterval: number | undefined
  /** The longest interval that was too short. */
  #tooShort = 0
  /** Number of slowdowns. A 429 for a request sent before the last slowdown does not cause another. */
  #generation = 0
  /** Number of 429s since the last admitted request. */
  #refusals = 0
  /** How often the longer interval proved too short as well, without {@link fewSuccesses} in between. */
  #doubts = 0
  /** The single request that is sent after a 429 before any other: "due", or its ticket while it is in flight. */
  #probe: Ticket | "due" | undefined
  #shortestRoundTrip = Number.POSITIVE_INFINITY

  constructor(options: RateLimiterOptions) {
    this.#options = options
    this.#minInterval = options.rate === undefined ? 0 : 1000 / options.rate
    this.#interval = this.#minInterval
    this.#window = options.rate === undefined ? 1 : Number.POSITIVE_INFINITY
  }

  get isSlowed() {
    return this.#isSlowed
  }

  /** When the service admits requests again, according to its own statement. */
  get closedUntil() {
    return Math.max(this.#opensAt, this.#closedUntil)
  }

  isClosedUntil(time: number): boolean {
    return this.#isSlowed && this.closedUntil >= time
  }

  /** Infinity means: wait for the next response. */
  millisToWait(now: number): number {
    if (this.#probe !== undefined && this.#probe !== "due") return Number.POSITIVE_INFINITY
    // Slow responses must not slow the client below the rate of a service that limits it.
    const windowOpensAt =
      this.#isSlowed || this.#inFlight < this.#window ? 0 : this.#lastSentAt + this.#options.defaultInterval
    return Math.max(this.#opensAt, windowOpensAt) - now
  }

  start(now: number): Ticket {
    const ticket = { sentAt: now, generation: this.#generation }
    this.#inFlight++
    this.#lastSentAt = now
    this.#opensAt = Math.max(this.#opensAt, now + this.#interval)
    if (this.#probe === "due") this.#probe = ticket
    return ticket
  }

  end(ticket: Ticket, admission: Admission, now: number, random: number): void {
    this.#inFlight--
    if (admission._tag === "Admitted") this.#recordSuccess(ticket, now)
    else if (admission._tag === "Limited") this.#slowDown(ticket, admission.pause, now, random)
    else if (this.#probe === ticket) this.#probe = "due"
  }

  #recordSuccess(ticket: Ticket, now: number): void {
    const roundTrip = now - ticket.sentAt
    const isFirst = this.#shortestRoundTrip === Number.POSITIVE_INFINITY
    this.#shortestRoundTrip = Math.min(this.#shortestRoundTrip, roundTrip)
    // A request with a longer round trip may have arrived late. An interval of two slots has room for that. The
    // client's own limit is often that of the service, without slack: the whole round trip counts, and the first one
    // also opens the connection.
    const late = this.#isSlowed ? roundTrip - this.#shortestRoundTrip : roundTrip
    const maxDelay = isFirst ? this.#interval : this.#interval / 4
    const delay = this.#leavesSlots ? 0 : Math.min(maxDelay, late)
    if (this.#interval > 0) this.#opensAt = Math.max(this.#opensAt, ticket.sentAt + this.#interval + delay)
    if (ticket.generation !== this.#generation) return
    this.#probe = undefined
    this.#refusals = 0
    this.#successes++
    if (this.#successes >= fewSuccesses) this.#doubts = 0
    if (!this.#isSlowed) {
      // A limit of one per second refuses the second request, and would also refuse one sent with it.
      if (this.#successes <= this.#window) return
      this.#window *= 2
      this.#successes = 0
    } else if (this.#successes >= this.#successesToSpeedUp) this.#speedUp()
  }

  /** Moves the interval halfway to the longest one that was too short (initially 0), until the two are close. */
  #speedUp(): void {
    this.#successes = 0
    this.#previousInterval = undefined
    const shorter = Math.max(this.#minInterval, (this.#interval + this.#tooShort) / 2)
    if (this.#interval - shorter > this.#interval * precision) {
      this.#previousInterval = this.#interval
      this.#interval = shorter
    } else {
      // Starts over much later, because the limit may become higher.
      this.#tooShort = 0
      this.#successesToSpeedUp *= 8
    }
  }

  #slowDown(ticket: Ticket, pause: number | undefined, now: number, random: number): void {
    const { defaultInterval, firstPause } = this.#options
    this.#closedUntil = Math.max(this.#closedUntil, now + (pause ?? 0))
    if (ticket.generation !== this.#generation) {
      this.#opensAt = Math.max(this.#opensAt, now + Math.min(maxPause, pause ?? 0))
      return
    }
    this.#generation++
    this.#refusals++
    this.#probe = "due"
    if (!this.#isSlowed) {
      this.#isSlowed = true
      this.#interval = Math.max(this.#minInterval, defaultInterval * slack)
      this.#opensAt = now + Math.min(maxPause, pause ?? firstPause)
    } else {
      if (this.#previousInterval !== undefined) {
        // The shorter interval was an experiment, and proved too short.
        this.#tooShort = this.#interval
        this.#interval = this.#previousInterval
        if (this.#leavesSlots) this.#successesToSpeedUp *= 2
      } else if (this.#refusals === 1) {
        const isShortened = this.#interval < defaultInterval * slack
        if (this.#successes < fewSuccesses && !isShortened) this.#leaveSlots()
        else if (!this.#leavesSlots) {
          this.#tooShort = this.#interval
          this.#interval *= 1 + 2 * precision
        }
      }
      // Another program that took this slot usually leaves the next one free. If that is taken too, its rhythm is
      // another: add a random part of a slot, and wait longer after each refusal.
      const slots = this.#refusals === 1 ? 1.05 + random / 10 : 1.6 ** (this.#refusals - 2) + random
      this.#opensAt = now + Math.min(maxPause, Math.max(pause ?? 0, defaultInterval * slots))
    }
    this.#successes = 0
    this.#previousInterval = undefined
  }

  /** Other programs share the limit: leave them every other slot at first. */
  #leaveSlots(): void {
    this.#tooShort = 0
    if (!this.#leavesSlots) this.#interval = Math.max(this.#minInterval, this.#options.defaultInterval * 2)
    else if (++this.#doubts === 2) {
      this.#doubts = 0
      this.#interval = Math.min(maxPause, this.#interval * slack)
    }
    this.#successesToSpeedUp = Math.max(this.#successesToSpeedUp, 40)
  }

  get #leavesSlots(): boolean {
    return this.#interval >= this.#options.defaultInterval * 1.5
  }
}

/** Maximum pause in milliseconds, regardless of what the service requests. */
export const maxPause = 30_000

/** How much longer than the limit's an interval is, because requests take different times to reach the service. */
const slack = 1.1

/** How close the interval comes to the shortest one that the service admits, as a fraction. */
const precision = 0.013

/** A 429 after fewer admitted requests means that the interval is too short; after more, a coincidence. */
const fewSuccesses = 8

/**
 * How a request travels: authentication, time-outs, retries, rate limits,
 * redirects, and what each answer means (DESIGN section 4, "Errors" and
 * "Transport"). What it says and what the answer holds is for the services.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constTrue } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as HttpMethod from "effect/http/HttpMethod"
import {
  type ApiError,
  Forbidden,
  NotFound,
  RateLimited,
  ServiceFailure,
  TimedOut,
  Unauthorized,
  Unavailable,
  UnexpectedResponse,
  V2Failure,
  ValidationFailed
} from "./ApiError.ts"
import { type ClientOptions, headerValue, type Settings, settingsOf } from "./ClientOptions.ts"
import { faultsOf, v2FailureOf, v4FailureOf, parseJson, tokenOf } from "./ErrorBody.ts"
import { makeScrubber, type Scrubber } from "./Scrubber.ts"
import { constantToken, renewedTokens, type Token, type Tokens } from "./Tokens.ts"

/** One request, as an operation describes it. */
export interface Call {
  /** The method that was called, such as `Credentials.search`. */
  readonly operation: string
  readonly method: HttpMethod.HttpMethod
  /** After the prefix, with the query. */
  readonly path: string
  readonly body: unknown
  /** Every value in the request that no error may repeat. */
  readonly secrets: ReadonlyArray<string>
  readonly permission: string | undefined
  readonly tier: "search" | "basic"
  /** Whether it may be sent a second time: it changes nothing. */
  readonly isRead: boolean
  /** Of a listing alone: the page's cursor. */
  readonly from?: string | null | undefined
  /** The body of a smaller page, for one the service could not serve in time; none when it cannot be smaller. */
  readonly smaller?: Effect.Effect<Option.Option<unknown>, ApiError> | undefined
}

export interface Answer {
  readonly status: number
  readonly text: string
}

/** What the service last said of the global searches it lets this account make. */
export interface Quota {
  /** Undefined until the service has said. */
  readonly searchesRemaining: number | undefined
  /** Whether the next page costs another search; undefined until the service has said. */
  readonly batchReached: boolean | undefined
}

export interface WithFetch {
  readonly fetch?: typeof globalThis.fetch | undefined
}

export class ApiClient extends Context.Service<
  ApiClient,
  {
    /** Sends it, tries again where that is safe, and gives the text of a 2xx. */
    readonly send: (call: Call) => Effect.Effect<Answer, ApiError>
    readonly quota: Effect.Effect<Quota>
    /** The service's own name of an event's link. */
    readonly linkField: string
  }
>()("@threat-exposure/core/client/ApiClient") {
  /** Over the `HttpClient` at hand, which must not follow redirects by itself; one over fetch is told not to. */
  static readonly layerNoDeps = (options: ClientOptions) =>
    Layer.effect(ApiClient, Effect.flatMap(Effect.fromResult(settingsOf(options)), make))

  /** Over fetch: the one given, or the global one as it is when a request is made. */
  static readonly layer = ({ fetch, ...options }: ClientOptions & WithFetch) =>
    this.layerNoDeps(options).pipe(
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, fetch ?? globalFetch))
    )
}

const globalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

/** Milliseconds after which a token is renewed: it lives an hour. */
const tokenLifetime = 45 * 60_000

/** How many redirects inside the service's own origin one try follows. */
const mostRedirects = 5

/** A 429 that names no time means ten seconds, at the usual first pause of 250 ms. */
const pausesAfter429 = 40

/** Why a try gave no 2xx; what that means is decided by the status and the operation. */
type Setback =
  | { readonly _tag: "NoAnswer"; readonly cause: Error; readonly isStall: boolean }
  | {
      readonly _tag: "Refused"
      readonly answer: Answer
      readonly retryAfter: number | undefined
      readonly by: "call" | "exchange"
    }
  | { readonly _tag: "Final"; readonly error: ApiError }

type Exchange = (
  request: HttpClientRequest.HttpClientRequest,
  call: Call
) => Effect.Effect<{ readonly answer: Answer; readonly headers: Headers.Headers }, Setback>

function make(settings: Settings) {
  return Effect.map(HttpClient.HttpClient, (http) => {
    let quota: Quota = { searchesRemaining: undefined, batchReached: undefined }
    const pace = { search: pacer(settings.rateLimits.search), basic: pacer(settings.rateLimits.basic) }
    const exchange = makeExchange(http, settings)
    const tokens = makeTokens(settings, exchange)

    /** One try: a token, the request, and its answer with the whole body. */
    const attempt = Effect.fnUntraced(function* (call: Call, body: unknown, token: Token) {
      const { answer, headers } = yield* exchange(requestOf(settings, call, body, token.value), call)
      quota = heardQuota(headers, quota)
      if (answer.status >= 200 && answer.status < 300) return answer
      const now = yield* Clock.currentTimeMillis
      return yield* Effect.fail<Setback>({
        _tag: "Refused",
        answer,
        retryAfter: retryAfterOf(headers, now),
        by: "call"
      })
    })

    const tries = Effect.fnUntraced(function* (call: Call) {
      const started = yield* Clock.currentTimeMillis
      let body = call.body
      let attempts = 0
      let failures = 0
      let refused: Token | undefined
      const sent = new Set(call.secrets)
      if (settings.authentication._tag === "Key") sent.add(settings.authentication.apiKey)

      while (true) {
        if (attempts > 0) yield* pace[call.tier]
        attempts++
        const taken = yield* Effect.result(
          refused === undefined || tokens.newerThan === null ? tokens.current : tokens.newerThan(refused)
        )
        if (Result.isSuccess(taken)) sent.add(taken.success.value)
        const tried = Result.isFailure(taken)
          ? Result.fail(taken.failure)
          : yield* Effect.result(attempt(call, body, taken.success))
        if (Result.isSuccess(tried)) return tried.success

        const setback = tried.failure
        const fail = () => failureOf(setback, call, attempts, makeScrubber(sent))
        if (setback._tag === "Final") return yield* fail()

        if (
          setback._tag === "Refused" &&
          setback.answer.status === 401 &&
          setback.by === "call" &&
          tokens.newerThan !== null &&
          refused === undefined &&
          Result.isSuccess(taken)
        ) {
          refused = taken.success
          continue
        }

        if (call.smaller !== undefined && isTooLarge(setback)) {
          const smaller = yield* call.smaller
          if (Option.isSome(smaller)) {
            body = smaller.value
            continue
          }
        }

        if (!call.isRead || !isTransient(setback) || failures >= settings.retries) return yield* fail()
        const pause = yield* pauseAfter(setback, failures, settings.retryDelay)
        const now = yield* Clock.currentTimeMillis
        // Where the service names a time beyond the deadline, the caller is better told so at once.
        const isBeyond = pause >= settings.deadline - (now - started)
        if (isBeyond && setback._tag === "Refused" && setback.retryAfter !== undefined) return yield* fail()
        failures++
        yield* Effect.sleep(pause)
      }
    })

    const send = Effect.fnUntraced(function* (call: Call) {
      yield* pace[call.tier]
      return yield* Effect.timeoutOrElse(tries(call), {
        duration: settings.deadline,
        orElse: () => Effect.fail(new TimedOut({ ...whereOf(call), deadline: settings.deadline }))
      })
    })

    return ApiClient.of({ send, quota: Effect.sync(() => quota), linkField: settings.linkField })
  })
}

const requestOf = ({ baseUrl, pathPrefix }: Settings, call: Call, body: unknown, token: string) => {
  const request = HttpClientRequest.make(call.method)(`${baseUrl}/${pathPrefix}${call.path}`, {
    headers: { authorization: `Bearer ${token}`, accept: "application/json" }
  })
  return body === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(body), "application/json")
}

/** Sends one request and reads the whole answer within the time of one try, following redirects inside the origin. */
const makeExchange =
  (http: HttpClient.HttpClient, { timeout }: Settings): Exchange =>
  (request, call) => {
    const scoped = HttpClient.withScope(http)
    const hop = (
      request: HttpClientRequest.HttpClientRequest,
      hops: number
    ): Effect.Effect<Effect.Success<ReturnType<Exchange>>, Setback, Scope.Scope> =>
      Effect.gen(function* () {
        const response = yield* scoped.execute(request)
        // A browser hides where a redirect leads: its status is 0.
        const isRedirect =
          response.status === 0 || (response.status >= 300 && response.status < 400 && response.status !== 304)
        const text = yield* textOf(response)
        if (!isRedirect) return { answer: { status: response.status, text }, headers: response.headers }
        const next = redirected(request, response.status, response.headers["location"], call, hops)
        return Result.isSuccess(next) ? yield* hop(next.success, hops + 1) : yield* Effect.fail(next.failure)
      }).pipe(
        Effect.mapError((error): Setback =>
          error._tag === "HttpClientError" ? { _tag: "NoAnswer", cause: plainCause(error), isStall: false } : error
        )
      )

    const exchanged = hop(request, 0).pipe(
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.fail<Setback>({
            _tag: "NoAnswer",
            cause: new Error(`not answered in full within ${timeout} ms`),
            isStall: true
          })
      }),
      // No tracing headers, and no span either: it would end with an error that holds the request.
      Effect.provideService(HttpClient.TracerDisabledWhen, constTrue),
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" })
    )

    // To close the scope aborts what is on its way; an answer that is there needs that no more.
    return Effect.flatMap(Scope.make(), (scope) =>
      exchanged.pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
    )
  }

/**
 * The body as text. Of fetch, each piece is decoded as it comes: of a large page that takes a third less than to gather it
 * first, and most is done before its end arrives.
 */
const textOf = (response: HttpClientResponse.HttpClientResponse) =>
  Option.match(HttpClientResponse.toWeb(response), {
    onNone: () => response.text,
    onSome: ({ body }) =>
      body === null
        ? Effect.succeed("")
        : Effect.tryPromise({
            try: () => decoded(body),
            catch: (cause) =>
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.DecodeError({ request: response.request, response, cause })
              })
          })
  })

const decoded = async (body: ReadableStream<Uint8Array>) => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (true) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
  }
}

const redirected = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  location: string | undefined,
  call: Call,
  hops: number
): Result.Result<HttpClientRequest.HttpClientRequest, Setback> => {
  const refuse = (reason: string) =>
    Result.fail<Setback>({ _tag: "Final", error: new UnexpectedResponse({ ...whereOf(call), status, reason }) })
  if (location === undefined || !URL.canParse(location, request.url)) {
    return refuse("it is a redirect that does not say where; check the base URL")
  }
  const target = new URL(location, request.url)
  if (target.origin !== new URL(request.url).origin) {
    return refuse("it is a redirect to another origin, which is not followed; check the base URL")
  }
  if (hops >= mostRedirects) return refuse("it redirects without end; check the base URL")
  // Only 307 and 308 promise that the request goes there unchanged. Repeating a
  // read unchanged is safe anyway; anything else might be lost or done twice.
  if (status !== 307 && status !== 308 && (!call.isRead || (status === 303 && call.method !== "GET"))) {
    return refuse("it is a redirect that would drop the request's body; check the base URL")
  }
  target.hash = ""
  return Result.succeed(HttpClientRequest.setUrl(request, target.href))
}

/** An error that says why, and holds neither the request nor its headers as the original does. */
const plainCause = (error: unknown): Error => {
  const reasons: Array<string> = []
  let at: unknown = error
  while (at instanceof Error && reasons.length < 4) {
    const code = "code" in at && typeof at.code === "string" ? ` (${at.code})` : ""
    // The outermost only repeats the method and the URL.
    if (at !== error || at.cause === undefined) reasons.push(`${at.message}${code}`)
    at = at.cause
  }
  return new Error(reasons.join(": "))
}

const makeTokens = (settings: Settings, exchange: Exchange): Tokens<Setback> => {
  const { authentication, baseUrl } = settings
  const refuse = (reason: string): Setback => ({
    _tag: "Final",
    error: new Unauthorized({ operation: "authentication", reason })
  })
  const usable = (token: unknown) => Effect.fromResult(Result.mapError(headerValue("token", token), refuse))

  switch (authentication._tag) {
    case "Constant":
      return constantToken(authentication.token)
    case "Source":
      return renewedTokens(
        Effect.tryPromise({
          try: async () => authentication.ask(),
          catch: () => refuse("the function that gives the token failed")
        }).pipe(Effect.flatMap(usable)),
        Number.POSITIVE_INFINITY
      )
    case "Key": {
      const call: Call = {
        operation: "exchange of the API key",
        method: "POST",
        path: "",
        body: undefined,
        secrets: [authentication.apiKey],
        permission: undefined,
        tier: "basic",
        isRead: false
      }
      const request = HttpClientRequest.post(`${baseUrl}/tokens/generate`, {
        headers: { authorization: authentication.apiKey, accept: "application/json" }
      }).pipe((request) =>
        authentication.tenantId === undefined
          ? request
          : HttpClientRequest.bodyText(
              request,
              JSON.stringify({ tenant_id: authentication.tenantId }),
              "application/json"
            )
      )
      return renewedTokens(
        exchange(request, call).pipe(
          Effect.flatMap(({ answer, headers }) => {
            if (answer.status >= 200 && answer.status < 300) {
              return Option.match(Option.flatMap(parseJson(answer.text), tokenOf), {
                onSome: usable,
                onNone: () => Effect.fail(refuse("the service answered the API key with something else than a token"))
              })
            }
            return answer.status === 401 || answer.status === 403
              ? Effect.fail(refuse("the service refused the API key"))
              : Effect.flatMap(Clock.currentTimeMillis, (now) =>
                  Effect.fail<Setback>({
                    _tag: "Refused",
                    answer,
                    retryAfter: retryAfterOf(headers, now),
                    by: "exchange"
                  })
                )
          })
        ),
        tokenLifetime
      )
    }
  }
}

/** Lets callers through one after the other, so that no more than `rate` pass in a second. */
const pacer = (rate: number | undefined): Effect.Effect<void> => {
  if (rate === undefined) return Effect.void
  const gap = 1000 / rate
  let free = 0
  return Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const at = Math.max(now, free)
    free = at + gap
    return at > now ? Effect.sleep(at - now) : Effect.void
  })
}

/** Too much was asked for at once: the service, or its gateway, gave up on the page. */
const isTooLarge = (setback: Setback) =>
  setback._tag === "NoAnswer" ? setback.isStall : setback._tag === "Refused" && setback.answer.status === 504

const transientStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const isTransient = (setback: Setback) =>
  setback._tag === "NoAnswer" || (setback._tag === "Refused" && transientStatuses.has(setback.answer.status))

/** Milliseconds until the next try: twice as long each time, a fifth more or less, and never shorter than the service asks. */
const pauseAfter = (setback: Setback, failures: number, retryDelay: number) =>
  Effect.map(Random.next, (random) => {
    const pause = retryDelay * 2 ** failures * (0.8 + 0.4 * random)
    if (setback._tag !== "Refused") return pause
    const floor = setback.retryAfter ?? (setback.answer.status === 429 ? (retryDelay * pausesAfter429) / 1000 : 0)
    return Math.max(pause, floor * 1000)
  })

/** Seconds. */
const retryAfterOf = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]
  if (header === undefined) return undefined
  return Headers.parseRetryAfter(header).pipe(
    Result.map((retryAfter) => Duration.toSeconds(Headers.retryAfterDelay(retryAfter, now))),
    Result.getOrUndefined
  )
}

/** The header's name has the service's own name in it, so it is known by its end. */
const heardQuota = (headers: Headers.Headers, before: Quota): Quota => {
  let { batchReached, searchesRemaining } = before
  for (const [name, value] of Object.entries(headers)) {
    if (name.endsWith("global-searches-remaining") && /^\s*\d+\s*$/u.test(value)) searchesRemaining = Number(value)
    if (name.endsWith("global-searches-batch-reached")) batchReached = /^\s*(?:true|yes|[1-9]\d*)\s*$/iu.test(value)
  }
  return { batchReached, searchesRemaining }
}

const whereOf = (call: Call) =>
  call.from === undefined ? { operation: call.operation } : { operation: call.operation, from: call.from }

/** The status decides first, then the shape of the body. */
const failureOf = (setback: Setback, call: Call, attempts: number, scrubber: Scrubber): ApiError => {
  const where = whereOf(call)
  if (setback._tag === "Final") {
    return setback.error._tag === "Unauthorized"
      ? new Unauthorized({ ...where, reason: setback.error.reason })
      : setback.error
  }
  if (setback._tag === "NoAnswer") {
    const cause = new Error(scrubber.text(setback.cause.message))
    cause.stack = String(cause)
    return new Unavailable({ ...where, attempts, status: undefined, cause })
  }
  const { retryAfter } = setback
  const { status, text } = setback.answer
  const body = Option.getOrUndefined(parseJson(text))
  const v2 = v2FailureOf(body)
  const worded = Option.map(
    Option.orElse(v2, () => v4FailureOf(body)),
    ({ code, message }) => ({
      code: scrubber.text(code),
      message: scrubber.text(message)
    })
  )
  const code = Option.getOrUndefined(Option.map(worded, ({ code }) => code))
  const message = Option.match(worded, {
    onSome: ({ message }) => message,
    onNone: () => `${call.operation}: the service answered ${status} and did not say why`
  })

  if (status >= 500) return new Unavailable({ ...where, attempts, status, cause: undefined })
  switch (status) {
    case 401:
      return new Unauthorized({ ...where, reason: "the token is missing, expired or revoked" })
    case 403:
      return new Forbidden({ ...where, permission: call.permission })
    case 404:
      return new NotFound(where)
    case 422:
      return new ValidationFailed({ ...where, detail: faultsOf(body).map((fault) => scrubbedFault(fault, scrubber)) })
    case 429:
      return new RateLimited({ ...where, retryAfter, code, message })
    default:
      if (status < 400) {
        return new UnexpectedResponse({ ...where, status, reason: "that is neither a success nor an error" })
      }
      return Option.isSome(v2) && code !== undefined
        ? new V2Failure({ ...where, status, message, code })
        : new ServiceFailure({ ...where, status, message, code })
  }
}

const scrubbedFault = ({ ctx, input, loc, msg, type }: ReturnType<typeof faultsOf>[number], scrubber: Scrubber) => ({
  loc: loc.map((part) => (typeof part === "string" ? scrubber.text(part) : part)),
  msg: scrubber.text(msg),
  type,
  ...(input === undefined ? undefined : { input: scrubber.value(input) }),
  ...(ctx === undefined
    ? undefined
    : { ctx: Object.fromEntries(Object.entries(ctx).map(([key, value]) => [key, scrubber.value(value)])) })
})

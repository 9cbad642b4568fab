/**
 * Comments of a pull request over GitHub's REST API: https://docs.github.com/rest/issues/comments. Only the GraphQL API
 * can tell which app a token belongs to.
 */
import { Duration, Effect, Option, Redacted, Schema } from "effect"
import { type Headers, HttpClient, HttpClientRequest } from "effect/http"

export interface Comment {
  readonly id: number
  readonly body: string
}

/** GitHub's API rejected the request, failed or did not respond. This never changes the verdict of the check. */
export class GitHubRefused extends Schema.TaggedError<GitHubRefused>()("GitHubRefused", {
  /** The consequence of the failure, as a sentence: "The comment could not be written". */
  consequence: Schema.String,
  status: Schema.UndefinedOr(Schema.Int),
  reason: Schema.String,
  /** Whether GitHub's rate limit is the reason. */
  isLimit: Schema.Boolean,
  /** Seconds after which GitHub accepts the request again; undefined if it does not say. */
  retryAfter: Schema.UndefinedOr(Schema.Finite)
}) {
  override get message() {
    return `${this.consequence}: ${this.status === undefined ? this.reason : `GitHub answered ${this.status} (${this.reason})`}${adviceFor(this)}`
  }
}

const adviceFor = ({ isLimit, status }: GitHubRefused) => {
  if (status === 401) return ". The input `github-token` is not a token that GitHub knows"
  return !isLimit && (status === 403 || status === 404) ? ". The job needs the permission `pull-requests: write`" : ""
}

/** The error if GitHub did not respond, or its response could not be read. */
const unanswered = (consequence: string, reason: string) =>
  new GitHubRefused({ consequence, reason, status: undefined, isLimit: false, retryAfter: undefined })

export interface Comments {
  /**
   * The comments of the token's user that start with `marker`. There may be several, because two concurrent jobs may
   * each write one.
   */
  find(marker: string): Effect.Effect<ReadonlyArray<Comment>, GitHubRefused>
  create(body: string): Effect.Effect<void, GitHubRefused>
  update(id: number, body: string): Effect.Effect<void, GitHubRefused>
}

export interface CommentsOptions {
  /** Base URL of the REST API, such as `https://api.github.com`. */
  readonly apiUrl: string
  /** The repository, such as `owner/name`. */
  readonly repository: string
  readonly pullRequest: number
  readonly token: Redacted.Redacted
}

export const commentsOver = (
  http: HttpClient.HttpClient,
  { apiUrl, pullRequest, repository, token }: CommentsOptions
): Comments => {
  /** Sends a request; fails unless the response has a 2xx status. */
  const send = (consequence: string, method: "GET" | "POST" | "PATCH", path: string, sent?: object) => {
    const request = HttpClientRequest.make(method)(
      `${path === graphql ? apiUrl.replace(/\/v3$/u, "") : apiUrl}/${path}`,
      {
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${Redacted.value(token)}`,
          "user-agent": "threat-exposure-action",
          "x-github-api-version": "2022-11-28"
        }
      }
    )
    return http
      .execute(
        sent === undefined ? request : HttpClientRequest.bodyText(request, JSON.stringify(sent), "application/json")
      )
      .pipe(
        Effect.flatMap(({ headers, status, text }) => Effect.map(text, (text) => ({ headers, status, text }))),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
        Effect.mapError(() => unanswered(consequence, "there is no connection to GitHub, or it was interrupted")),
        Effect.timeoutOrElse({
          duration: requestTimeout,
          orElse: () => Effect.fail(unanswered(consequence, "GitHub took too long to answer"))
        }),
        Effect.flatMap((answer) =>
          answer.status >= 200 && answer.status < 300
            ? Effect.succeed(answer)
            : Effect.fail(refusalOf(consequence, answer))
        )
      )
  }
  const retry = <A>(effect: Effect.Effect<A, GitHubRefused>, attempt = 1): Effect.Effect<A, GitHubRefused> =>
    effect.pipe(
      Effect.catch((refusal) => {
        const pause = pauseAfter(refusal, attempt)
        return attempt === maxAttempts || pause === undefined
          ? Effect.fail(refusal)
          : Effect.andThen(Effect.sleep(Duration.seconds(pause)), retry(effect, attempt + 1))
      })
    )
  const issues = `repos/${repository}/issues`

  /** The login that the token writes as. Only tokens of a person can get it from the REST API. */
  const ownLogin = Effect.fnUntraced(function* (consequence: string) {
    if (/^gh[pou]_|^github_pat_/u.test(Redacted.value(token))) {
      const { text } = yield* retry(send(consequence, "GET", "user"))
      const user = yield* Effect.mapError(decodeUser(text), () =>
        unanswered(consequence, "GitHub does not say whose the token is")
      )
      return user.login
    }
    return yield* retry(send(consequence, "POST", graphql, { query: "query { viewer { login } }" })).pipe(
      Effect.flatMap(({ text }) => decodeViewer(text)),
      Effect.match({ onSuccess: ({ data }) => data.viewer.login, onFailure: () => jobLogin })
    )
  })

  return {
    find: Effect.fn("Comments.find")(function* (marker) {
      const consequence = "The comments could not be read"
      const login = yield* Effect.cached(ownLogin(consequence))
      const found: Array<Comment> = []
      for (let page = 1; page <= maxPages; page++) {
        const { headers, text } = yield* retry(
          send(consequence, "GET", `${issues}/${pullRequest}/comments?per_page=${pageSize}&page=${page}`)
        )
        const listed = yield* Effect.mapError(decodeListed(text), () =>
          unanswered(consequence, "GitHub answered with a list in an unknown shape")
        )
        // Anyone may write the marker; updating someone else's comment would write in that person's name.
        for (const { body, id, user } of listed) {
          if (body?.startsWith(marker) && user?.login === (yield* login)) found.push({ id, body })
        }
        // GitHub hides some comments, so a page that is not full need not be the last.
        if (listed.length < pageSize && !/rel="?next"?/u.test(headers["link"] ?? "")) return found
      }
      return yield* unanswered(consequence, `GitHub's list of them does not end after ${maxPages} pages`)
    }),
    // Not retried: if only the response was lost, a second request would create a second comment.
    create: (body) =>
      Effect.asVoid(send("The comment could not be written", "POST", `${issues}/${pullRequest}/comments`, { body })),
    update: (id, body) =>
      Effect.asVoid(retry(send("The comment could not be updated", "PATCH", `${issues}/comments/${id}`, { body })))
  }
}

const pageSize = 100

/** Enough for the 2,500 comments that GitHub allows. */
const maxPages = 30

const maxAttempts = 3

/** Maximum pause before a retry, in seconds. */
const maxPause = 60

/** Seconds to wait before a retry; undefined if a retry is pointless. */
const pauseAfter = ({ isLimit, retryAfter, status }: GitHubRefused, attempt: number) => {
  if (isLimit) return retryAfter !== undefined && retryAfter <= maxPause ? retryAfter : undefined
  return status === undefined || status >= 500 ? 2 ** (attempt - 1) : undefined
}

interface Answer {
  readonly headers: Headers.Headers
  readonly status: number
  readonly text: string
}

/** Recognizes rate limits: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const refusalOf = (consequence: string, { headers, status, text }: Answer) => {
  const seconds = headers["retry-after"] ?? ""
  const retryAfter = /^\d{1,9}$/u.test(seconds) ? Number(seconds) : undefined
  const isSpent = retryAfter !== undefined || headers["x-ratelimit-remaining"] === "0"
  const isLimit = status === 429 || (status === 403 && isSpent)
  return new GitHubRefused({ consequence, status, reason: messageOf(text), isLimit, retryAfter })
}

const requestTimeout = Duration.seconds(20)

const decodeListed = Schema.decodeEffect(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({
        id: Schema.Int,
        body: Schema.optionalKey(Schema.String),
        user: Schema.NullOr(Schema.Struct({ login: Schema.String }))
      })
    )
  )
)

const decodeFailure = Schema.decodeOption(Schema.fromJsonString(Schema.Struct({ message: Schema.String })))

const messageOf = (text: string) =>
  Option.match(decodeFailure(text), {
    onNone: () => "no reason",
    onSome: ({ message }) => message.split("\n", 1)[0]?.slice(0, 200) ?? ""
  })

/** On GitHub Enterprise Server, the path is `/api/graphql` instead of `/api/v3/graphql`. */
const graphql = "graphql"

/** The author of comments written with `GITHUB_TOKEN`. */
const jobLogin = "github-actions[bot]"

const User = Schema.Struct({ login: Schema.String })
const decodeUser = Schema.decodeEffect(Schema.fromJsonString(User))
const decodeViewer = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ viewer: User }) }))
)

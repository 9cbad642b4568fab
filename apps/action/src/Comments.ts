/**
 * The comments of a pull request, over GitHub's REST API: https://docs.github.com/rest/issues/comments. Whose a token of
 * an app is, only the GraphQL API says.
 */
import { Duration, Effect, Option, Redacted, Schema } from "effect"
import { type Headers, HttpClient, HttpClientRequest } from "effect/http"

export interface Comment {
  readonly id: number
  readonly body: string
}

/** GitHub's API refused, failed or did not answer. This never changes the verdict of the check. */
export class GitHubRefused extends Schema.TaggedError<GitHubRefused>()("GitHubRefused", {
  /** The failed step, as a sentence: "The comment could not be written". */
  consequence: Schema.String,
  status: Schema.UndefinedOr(Schema.Int),
  reason: Schema.String,
  /** Whether GitHub limits the rate of requests. */
  isLimit: Schema.Boolean,
  /** Seconds after which GitHub takes the request; undefined where it does not say. */
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

/** No answer of GitHub's that could be read. */
const unanswered = (consequence: string, reason: string) =>
  new GitHubRefused({ consequence, reason, status: undefined, isLimit: false, retryAfter: undefined })

export interface Comments {
  /** The comments by the user of the token that start with `marker`: two jobs at once may each have written one. */
  find(marker: string): Effect.Effect<ReadonlyArray<Comment>, GitHubRefused>
  create(body: string): Effect.Effect<void, GitHubRefused>
  update(id: number, body: string): Effect.Effect<void, GitHubRefused>
}

export interface CommentsOptions {
  /** Such as `https://api.github.com`. */
  readonly apiUrl: string
  /** Such as `owner/name`. */
  readonly repository: string
  readonly pullRequest: number
  readonly token: Redacted.Redacted
}

export const commentsOver = (
  http: HttpClient.HttpClient,
  { apiUrl, pullRequest, repository, token }: CommentsOptions
): Comments => {
  /** A 2xx answer. */
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
  const again = <A>(effect: Effect.Effect<A, GitHubRefused>, attempt = 1): Effect.Effect<A, GitHubRefused> =>
    effect.pipe(
      Effect.catch((refusal) => {
        const pause = pauseAfter(refusal, attempt)
        return attempt === maxAttempts || pause === undefined
          ? Effect.fail(refusal)
          : Effect.andThen(Effect.sleep(Duration.seconds(pause)), again(effect, attempt + 1))
      })
    )
  const issues = `repos/${repository}/issues`

  /** The user that the token writes as. Only a person's token may ask for it by REST. */
  const ownLogin = Effect.fnUntraced(function* (consequence: string) {
    if (/^gh[pou]_|^github_pat_/u.test(Redacted.value(token))) {
      const { text } = yield* again(send(consequence, "GET", "user"))
      const user = yield* Effect.mapError(decodeUser(text), () =>
        unanswered(consequence, "GitHub does not say whose the token is")
      )
      return user.login
    }
    return yield* again(send(consequence, "POST", graphql, { query: "query { viewer { login } }" })).pipe(
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
        const { headers, text } = yield* again(
          send(consequence, "GET", `${issues}/${pullRequest}/comments?per_page=${pageSize}&page=${page}`)
        )
        const listed = yield* Effect.mapError(decodeListed(text), () =>
          unanswered(consequence, "GitHub answered with a list in an unknown shape")
        )
        // Anyone may write the marker; updating the comment of another would write in that person's name.
        for (const { body, id, user } of listed) {
          if (body?.startsWith(marker) && user?.login === (yield* login)) found.push({ id, body })
        }
        // A page is short, too, where GitHub leaves comments out.
        if (listed.length < pageSize && !/rel="?next"?/u.test(headers["link"] ?? "")) return found
      }
      return yield* unanswered(consequence, `GitHub's list of them does not end after ${maxPages} pages`)
    }),
    // Sent once: a second attempt after a lost answer would write a second comment.
    create: (body) =>
      Effect.asVoid(send("The comment could not be written", "POST", `${issues}/${pullRequest}/comments`, { body })),
    update: (id, body) =>
      Effect.asVoid(again(send("The comment could not be updated", "PATCH", `${issues}/comments/${id}`, { body })))
  }
}

const pageSize = 100

/** GitHub allows 2,500 comments. */
const maxPages = 30

const maxAttempts = 3

/** Seconds. */
const maxPause = 60

/** Seconds until a request that can be repeated is sent again; undefined where that is of no use. */
const pauseAfter = ({ isLimit, retryAfter, status }: GitHubRefused, attempt: number) => {
  if (isLimit) return retryAfter !== undefined && retryAfter <= maxPause ? retryAfter : undefined
  return status === undefined || status >= 500 ? 2 ** (attempt - 1) : undefined
}

interface Answer {
  readonly headers: Headers.Headers
  readonly status: number
  readonly text: string
}

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
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

/** On GitHub Enterprise Server it is beside the REST API, at `/api/graphql` instead of `/api/v3`. */
const graphql = "graphql"

/** The login that comments written with `GITHUB_TOKEN` have. */
const jobLogin = "github-actions[bot]"

const User = Schema.Struct({ login: Schema.String })
const decodeUser = Schema.decodeEffect(Schema.fromJsonString(User))
const decodeViewer = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ data: Schema.Struct({ viewer: User }) }))
)

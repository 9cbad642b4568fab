/** The few calls of GitHub's REST API that the action makes; requests and answers are checked against GitHub's OpenAPI description. */
import { readFileSync } from "node:fs"
import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { localServer } from "@threat-exposure/programs/LocalServer"
import { Ajv } from "ajv"
import formats from "ajv-formats"
import { Effect, Schema } from "effect"

const description = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve("@octokit/openapi/generated/api.github.com.json")), "utf8")
)

const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(description, "github")

const checked = (what: string, pointer: string, value: unknown) => {
  const validate = ajv.compile({ $ref: `github#${pointer}` })
  if (!validate(value)) throw new Error(`${what} is not as GitHub describes it: ${ajv.errorsText(validate.errors)}`)
  return value
}

const commentsPath = "/paths/~1repos~1{owner}~1{repo}~1issues~1{issue_number}~1comments"
const commentPath = "/paths/~1repos~1{owner}~1{repo}~1issues~1comments~1{comment_id}"
const jsonSchema = "content/application~1json/schema"

export interface Comment {
  readonly id: number
  body: string
  readonly author: "Bot" | "OtherBot" | "User"
}

export interface GitHubStandIn {
  readonly apiUrl: string
  readonly comments: Array<Comment>
  /** Such as `POST 201`. */
  readonly answered: Array<string>
  /** The status with which to answer instead; nothing where it gives undefined. */
  misbehave(fault: ((method: string) => number | undefined) | undefined): void
}

const logins = { Bot: "github-actions[bot]", OtherBot: "helper[bot]", User: "somebody" }

/** The tokens of the job, of an app, and of a person. */
const tokens: Readonly<Record<string, Comment["author"]>> = {
  "Bearer ghs_thejob": "Bot",
  "Bearer ghs_theapp": "OtherBot",
  "Bearer ghp_theperson": "User"
}

const Body = Schema.fromJsonString(Schema.Struct({ body: Schema.String }))
const decodeBody = Schema.decodeUnknownSync(Body)

export const gitHubStandIn = Effect.gen(function* () {
  const comments: Array<Comment> = []
  const answered: Array<string> = []
  let fault: ((method: string) => number | undefined) | undefined

  const wire = ({ author, body, id }: Comment, apiUrl: string) => {
    const login = logins[author]
    const user = `${apiUrl}/users/${encodeURIComponent(login)}`
    return {
      id,
      node_id: `IC_${id}`,
      url: `${apiUrl}/repos/example/checkout/issues/comments/${id}`,
      html_url: `https://github.com/example/checkout/pull/7#issuecomment-${id}`,
      issue_url: `${apiUrl}/repos/example/checkout/issues/7`,
      body,
      created_at: "2026-11-20T12:00:00Z",
      updated_at: "2026-11-20T12:00:00Z",
      author_association: "NONE",
      user: {
        login,
        id: 1,
        node_id: "U_1",
        type: author === "User" ? "User" : "Bot",
        site_admin: false,
        avatar_url: "https://avatars.example.com/1",
        gravatar_id: "",
        url: user,
        html_url: `https://github.com/${encodeURIComponent(login)}`,
        ...Object.fromEntries(
          [
            "events",
            "followers",
            "following",
            "gists",
            "organizations",
            "received_events",
            "repos",
            "starred",
            "subscriptions"
          ].map((name) => [`${name}_url`, `${user}/${name}`])
        )
      }
    }
  }

  const answer = async (request: IncomingMessage, apiUrl: string): Promise<readonly [number, unknown]> => {
    const method = request.method ?? ""
    const wrong = fault?.(method)
    if (wrong !== undefined)
      return [wrong, { message: "Resource not accessible by integration", documentation_url: "" }]
    const author = tokens[request.headers.authorization ?? ""]
    if (author === undefined) return [401, { message: "Bad credentials" }]
    if (request.url === "/user") {
      return author === "User"
        ? [200, { login: logins.User }]
        : [403, { message: "Resource not accessible by integration" }]
    }
    if (request.url === "/graphql") return [200, { data: { viewer: { login: logins[author] } } }]
    const url = new URL(request.url ?? "", apiUrl)
    if (/^\/repos\/example\/checkout\/issues\/7\/comments$/u.test(url.pathname)) {
      if (method === "GET") {
        const [size, page] = ["per_page", "page"].map((name) => Number(url.searchParams.get(name) ?? Number.NaN))
        const first = ((page ?? 1) - 1) * (size ?? 30)
        const items = comments.slice(first, first + (size ?? 30)).map((comment) => wire(comment, apiUrl))
        return [200, checked("The list", `${commentsPath}/get/responses/200/${jsonSchema}`, items)]
      }
      const sent = await text(request)
      checked("What was sent", `${commentsPath}/post/requestBody/${jsonSchema}`, JSON.parse(sent))
      const comment: Comment = { id: comments.length + 1, body: decodeBody(sent).body, author }
      comments.push(comment)
      return [201, checked("The comment", `${commentsPath}/post/responses/201/${jsonSchema}`, wire(comment, apiUrl))]
    }
    const id = Number(/^\/repos\/example\/checkout\/issues\/comments\/(\d+)$/u.exec(url.pathname)?.[1])
    const comment = comments.find((comment) => comment.id === id)
    if (method !== "PATCH" || comment === undefined) return [404, { message: "Not Found" }]
    const sent = await text(request)
    checked("What was sent", `${commentPath}/patch/requestBody/${jsonSchema}`, JSON.parse(sent))
    comment.body = decodeBody(sent).body
    return [200, checked("The comment", `${commentPath}/patch/responses/200/${jsonSchema}`, wire(comment, apiUrl))]
  }

  const apiUrl = yield* localServer(async (request, response) => {
    try {
      const [status, body] = await answer(request, `http://${request.headers.host ?? ""}`)
      answered.push(`${request.method ?? ""} ${status}`)
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    } catch (error) {
      answered.push(String(error))
      response.writeHead(418).end()
    }
  })

  return {
    apiUrl,
    comments,
    answered,
    misbehave: (wanted) => {
      fault = wanted
    }
  } satisfies GitHubStandIn
})

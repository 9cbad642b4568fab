import { commentsOver } from "@threat-exposure/action/Comments"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

const marker = "<!-- marker -->"
const own = { login: "github-actions[bot]" }
const viewer = () => Response.json({ data: { viewer: own } })

/** Answers requests of the comments in GitHub's place: `GET 2` is the second page of the comments. */
const commentsFrom = (answer: (sent: string) => Response) => {
  const sent: Array<string> = []
  const headers = new Set<string>()
  const http = HttpClient.make((request, url) =>
    Effect.sync(() => {
      for (const name of Object.keys(request.headers)) headers.add(name)
      const what = url.pathname.endsWith("/graphql")
        ? "viewer"
        : `${request.method} ${url.searchParams.get("page") ?? url.pathname.split("/").at(-1)}`
      sent.push(what)
      return HttpClientResponse.fromWeb(request, what === "viewer" ? viewer() : answer(what))
    })
  )
  const comments = commentsOver(http, {
    apiUrl: "https://api.github.com",
    repository: "example/checkout",
    pullRequest: 7,
    token: Redacted.make("ghs_thejob")
  })
  return { comments, headers, sent }
}

/** Runs an effect to its end, however long it waits on the clock. */
const finish = Effect.fnUntraced(function* <A, E>(effect: Effect.Effect<A, E>) {
  const fiber = yield* Effect.forkChild(effect)
  yield* TestClock.adjust("1 hour")
  return yield* Fiber.join(fiber)
})

const talk = (count: number) => Array.from({ length: count }, (_, id) => ({ id, body: "talk", user: own }))
const ours = { id: 42, body: `${marker}\nleaked`, user: own }
const listed = (items: ReadonlyArray<unknown>, next?: number) =>
  Response.json(items, {
    headers: next === undefined ? {} : { link: `<https://api.github.com/x?page=${next}>; rel="next"` }
  })
const limited = (status: number, headers: Readonly<Record<string, string>>) =>
  Response.json({ message: "You have exceeded a secondary rate limit" }, { status, headers })

describe("Comments", () => {
  it.effect("finds a comment behind a page that is short", () =>
    Effect.gen(function* () {
      const { comments, sent } = commentsFrom((what) => (what === "GET 1" ? listed(talk(3), 2) : listed([ours])))
      const found = yield* finish(comments.find(marker))
      assert.deepStrictEqual(found, [{ id: 42, body: ours.body }])
      assert.deepStrictEqual(sent, ["GET 1", "GET 2", "viewer"])
    })
  )

  it.effect("does not read a list without an end", () =>
    Effect.gen(function* () {
      const { comments, sent } = commentsFrom(() => listed(talk(100)))
      const { message } = yield* Effect.flip(finish(comments.find(marker)))
      assert.include(message, "does not end")
      assert.isBelow(sent.length, 100)
    })
  )

  it.effect.each([
    [403, { "retry-after": "30" }],
    [429, { "retry-after": "30" }]
  ] as const)("asks again when GitHub says, after a limit with the status %s", ([status, headers]) =>
    Effect.gen(function* () {
      let isFirst = true
      const { comments, sent } = commentsFrom(() => {
        if (!isFirst) return listed([ours])
        isFirst = false
        return limited(status, headers)
      })
      assert.lengthOf(yield* finish(comments.find(marker)), 1)
      assert.deepStrictEqual(sent, ["GET 1", "GET 1", "viewer"])
    })
  )

  it.effect("asks again after a failure of GitHub, and not after a refusal", () =>
    Effect.gen(function* () {
      for (const [answer, attempts] of [
        [() => Response.json({ message: "failed" }, { status: 500 }), 3],
        [() => Response.json({ message: "failed" }, { status: 502 }), 3],
        [() => Response.json({ message: "Not Found" }, { status: 404 }), 1]
      ] as const) {
        const { comments, sent } = commentsFrom(answer)
        yield* Effect.flip(finish(comments.find(marker)))
        assert.deepStrictEqual(
          sent,
          Array.from({ length: attempts }, () => "GET 1")
        )
      }
    })
  )

  it.effect.each([
    [403, { "retry-after": "3000" }],
    [403, { "x-ratelimit-remaining": "0" }],
    [429, {}]
  ] as const)("calls a limit one, and asks for no permission: %s", ([status, headers]) =>
    Effect.gen(function* () {
      const { comments, sent } = commentsFrom(() => limited(status, headers))
      const { message } = yield* Effect.flip(finish(comments.find(marker)))
      assert.notInclude(message, "permission")
      assert.include(message, "secondary rate limit")
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("creates a comment once, whatever the answer", () =>
    Effect.gen(function* () {
      for (const answer of [
        () => limited(429, { "retry-after": "1" }),
        () => Response.json({ message: "failed" }, { status: 502 }),
        () => Response.error()
      ]) {
        const { comments, sent } = commentsFrom(answer)
        yield* Effect.flip(finish(comments.create("leaked")))
        assert.deepStrictEqual(sent, ["POST comments"])
      }
    })
  )

  it.effect.each([
    [403, true],
    [404, true],
    [422, false],
    [500, false]
  ] as const)("names the permission where GitHub denies access: %d, %s", ([status, isDenied]) =>
    Effect.gen(function* () {
      const { comments } = commentsFrom(() => Response.json({ message: "Not accessible" }, { status }))
      const { message } = yield* Effect.flip(finish(comments.find(marker)))
      assert.strictEqual(message.includes("`pull-requests: write`"), isDenied, message)
    })
  )

  it.effect("sends GitHub no more about the run than it needs", () =>
    Effect.gen(function* () {
      const { comments, headers } = commentsFrom(() => listed([ours]))
      yield* finish(Effect.withSpan(comments.find(marker), "the run"))
      assert.sameMembers(
        [...headers],
        ["accept", "authorization", "content-length", "content-type", "user-agent", "x-github-api-version"]
      )
    })
  )

  it.effect("names the token where GitHub does not know it", () =>
    Effect.gen(function* () {
      const { comments } = commentsFrom(() => Response.json({ message: "Bad credentials" }, { status: 401 }))
      const { message } = yield* Effect.flip(finish(comments.find(marker)))
      assert.include(message, "`github-token`")
      assert.notInclude(message, "permission")
    })
  )
})

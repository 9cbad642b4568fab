import { assert, describe, it } from "@effect/vitest"
import {
  type ApiError,
  Forbidden,
  NotFound,
  ServiceFailure,
  TimedOut,
  Unavailable,
  UnexpectedResponse
} from "@threat-exposure/core/client/ApiError"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { makeContentReader } from "@threat-exposure/cli/feed/Contents"

const context = { operation: "Events.get", attempts: 1 }

const unavailable = (status: number) => new Unavailable({ ...context, status, cause: undefined })

const event = Schema.decodeUnknownSync(Schema.toCodecJson(TypedEvent))({
  event_type: "leak",
  metadata: { uid: "leak/a/1", severity: "low" },
  data: { term: "example.com" }
})

/** A reader of events that fail as given by uid, and the uids that it asked for. */
const readerWith = (failureOf: (uid: string) => ApiError | undefined) => {
  const asked: Array<string> = []
  const read = makeContentReader({
    get: (uid) =>
      Effect.suspend(() => {
        asked.push(uid)
        const failure = failureOf(uid)
        return failure === undefined ? Effect.succeed(event) : Effect.fail(failure)
      })
  })
  return { asked, readAll: (uids: ReadonlyArray<string>) => Effect.forEach(uids, read) }
}

describe("an event whose content cannot be read", () => {
  it.effect.each([
    ["an outage", unavailable(503)],
    ["an error for this event", unavailable(500)],
    ["a deadline that passed", new TimedOut({ ...context, deadline: 1 })],
    ["a sign-in page", new UnexpectedResponse({ ...context, status: 200, reason: "its body is HTML" })],
    ["an answer that is not ready", new UnexpectedResponse({ ...context, status: 202, reason: "not 200" })],
    ["a missing permission", new Forbidden({ ...context, status: 403, permission: undefined })]
  ] as const)("is completed later after %s", ([, failure]) =>
    Effect.gen(function* () {
      const [content] = yield* readerWith(() => failure).readAll(["a"])
      assert.isTrue(content?.isFull === false && !content.isFinal)
    })
  )

  it.effect.each([
    ["the service does not have it", new NotFound({ ...context, status: 404 })],
    ["the service refuses it", new ServiceFailure({ ...context, status: 410, code: "GONE", message: "gone" })],
    ["it is of another form", new UnexpectedResponse({ ...context, status: 200, reason: "odd", faults: ["odd"] })]
  ] as const)("is not read again if %s", ([, failure]) =>
    Effect.gen(function* () {
      const [content] = yield* readerWith(() => failure).readAll(["a"])
      assert.isTrue(content?.isFull === false && content.isFinal)
    })
  )

  it.effect("keeps the others from being read in an outage, but not if the service fails only for it", () =>
    Effect.gen(function* () {
      const uids = ["bad1", "bad2", "bad3", "bad4", "good"]
      const ofOutage = readerWith((uid) => (uid === "good" ? undefined : unavailable(503)))
      yield* ofOutage.readAll(uids)
      assert.deepStrictEqual(ofOutage.asked, ["bad1", "bad2", "bad3"])
      const ofEvents = readerWith((uid) => (uid === "good" ? undefined : unavailable(500)))
      const contents = yield* ofEvents.readAll(uids)
      assert.isTrue(contents.at(-1)?.isFull)
    })
  )

  it.effect("counts as an outage only after failures without an answer between them", () =>
    Effect.gen(function* () {
      const notFound = new NotFound({ ...context, status: 404 })
      const { asked, readAll } = readerWith((uid) => (uid === "gone" ? notFound : unavailable(503)))
      const uids = ["a", "b", "gone", "c", "d"]
      yield* readAll(uids)
      assert.deepStrictEqual(asked, uids)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { admissionOf, type AttemptFailure } from "../../src/transport/AttemptFailure.ts"

const refused = (status: number, more: { isQuotaSpent?: boolean; retryAfter?: number } = {}): AttemptFailure => ({
  _tag: "Refused",
  isQuotaSpent: more.isQuotaSpent ?? false,
  response: {
    status,
    body: Result.succeed({}),
    requestId: undefined,
    retryAfter: more.retryAfter,
    refusedRedirect: undefined
  }
})

describe("whether the rate limit admitted a request", () => {
  it.each([
    ["a success", Exit.void, { _tag: "Admitted" }],
    ["a refusal of the service itself", Exit.fail(refused(404)), { _tag: "Admitted" }],
    ["a spent quota", Exit.fail(refused(429, { isQuotaSpent: true })), { _tag: "Admitted" }],
    ["a limit", Exit.fail(refused(429)), { _tag: "Limited", pause: undefined }],
    ["a limit that says how long", Exit.fail(refused(429, { retryAfter: 7 })), { _tag: "Limited", pause: 7000 }],
    ["a failure of a gateway", Exit.fail(refused(503, { retryAfter: 7 })), { _tag: "Unknown" }],
    [
      "no answer",
      Exit.fail<AttemptFailure>({ _tag: "NoResponse", cause: new Error("reset"), isTimeout: false }),
      { _tag: "Unknown" }
    ],
    ["no token to send", Exit.fail<AttemptFailure>({ _tag: "NoToken", reason: "none" }), { _tag: "Unknown" }],
    ["an interruption", Exit.interrupt(1), { _tag: "Unknown" }]
  ] as const)("follows from %s", (_, exit, admission) => {
    assert.deepStrictEqual(admissionOf(exit), admission)
  })
})

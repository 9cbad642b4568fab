import {
  ServiceFailure,
  Unavailable,
  UnexpectedResponse,
  ValidationFailed
} from "@threat-exposure/core/client/ApiError"
import { assert, describe, it } from "@effect/vitest"
import { problemOf } from "../../src/editor/Problem.ts"

const operation = "Events.search"
const context = { operation, attempts: 1 }

describe("a message for the user", () => {
  it("contains no name of a method", () => {
    const failures = [
      new ServiceFailure({
        ...context,
        status: 418,
        code: undefined,
        message: `${operation}: the service answered 418`
      }),
      new UnexpectedResponse({ ...context, status: 200, reason: "its body is not JSON" }),
      new ValidationFailed({
        ...context,
        detail: [{ loc: ["body", "query", "fqdn"], msg: "not a domain", type: "value" }]
      }),
      new Unavailable({ ...context, status: 503, cause: undefined })
    ]
    const messages = failures.map((failure) => problemOf(failure).message)
    for (const message of messages) assert.notInclude(message, operation)
    assert.strictEqual(messages[0], "The service answered 418")
    assert.strictEqual(messages[2], "The service refused the request: query.fqdn: not a domain")
  })
})

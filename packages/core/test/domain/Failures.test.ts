import { assert, describe, it } from "@effect/vitest"
import {
  encodeFailure,
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Failure,
  ValidationFailed
} from "@threat-exposure/core/domain/Failures"

const failures = [
  {
    failure: new Unauthorized(),
    status: 401,
    code: "UNAUTHORIZED",
    message: "The API token is missing, expired or revoked: give a valid one"
  },
  {
    failure: new Forbidden({ permission: "Write Tenant" }),
    status: 403,
    code: "FORBIDDEN",
    message: "The API key behind the token lacks the permission Write Tenant: use a key that has it"
  },
  { failure: new NotFound(), status: 404, code: "NOT_FOUND", message: "No such resource is visible to this token" },
  {
    failure: new NotFound({ targets: ["a/b/1", "a/b/2"] }),
    status: 404,
    code: "NOT_FOUND",
    message: "No such resource is visible to this token: a/b/1, a/b/2"
  },
  {
    failure: new RateLimited({ code: "QUOTA_EXHAUSTED", message: "The quota is spent", retryAfter: 60 }),
    status: 429,
    code: "QUOTA_EXHAUSTED",
    message: "The quota is spent"
  },
  {
    failure: new V2Failure({ code: "NAME_TAKEN", message: "The name is taken" }),
    status: 400,
    code: "NAME_TAKEN",
    message: "The name is taken"
  }
]

describe("on the wire", () => {
  for (const { code, failure, message, status } of failures) {
    const body = { code, message }

    it(`${failure._tag} is wrapped in error by v4, and not in v2: ${message}`, () => {
      assert.deepStrictEqual<unknown>(encodeFailure(failure, "v4"), { status, body: { error: body } })
      assert.deepStrictEqual<unknown>(encodeFailure(failure, "v2"), { status, body })
    })
  }

  it("a 422 lists its faults, and nothing else", () => {
    const detail = [{ loc: ["body", "size"], msg: "Expected a value between 1 and 10", type: "is_between" }]
    for (const version of ["v2", "v4"] as const) {
      assert.deepStrictEqual<unknown>(encodeFailure(new ValidationFailed({ detail }), version), {
        status: 422,
        body: { detail }
      })
    }
  })
})

describe("in words", () => {
  it("each names the operation that was called", () => {
    const context = { operation: "Events.get", attempts: 1 }
    assert.match(new NotFound(context).message, /^Events\.get: not found/u)
    assert.match(new Forbidden({ ...context, permission: "Read Tenant" }).message, /^Events\.get: .* "Read Tenant"$/u)
    assert.match(new Forbidden({ ...context, permission: undefined }).message, /for this operation$/u)
    assert.match(new ValidationFailed({ ...context, detail: [] }).message, /^Events\.get: the service refused/u)
  })

  it("a 422 names every fault by its place", () => {
    const fault = (loc: ReadonlyArray<string | number>, msg: string) => ({ loc, msg, type: "value_error" })
    assert.strictEqual(
      new ValidationFailed({ detail: [fault(["body", "include", 0], "unknown"), fault([], "broken")] }).message,
      "the service refused the request: body.include.0: unknown; broken"
    )
    assert.match(new ValidationFailed({ detail: [] }).message, /gave no reason/u)
  })
})

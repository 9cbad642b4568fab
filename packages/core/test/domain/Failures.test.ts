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
  { failure: new Unauthorized(), status: 401, code: "UNAUTHORIZED" },
  { failure: new Forbidden({ permission: "Write Tenant" }), status: 403, code: "FORBIDDEN" },
  { failure: new NotFound(), status: 404, code: "NOT_FOUND" },
  {
    failure: new RateLimited({ code: "QUOTA_EXHAUSTED", message: "The quota is spent", retryAfter: 60 }),
    status: 429,
    code: "QUOTA_EXHAUSTED"
  },
  { failure: new V2Failure({ code: "NAME_TAKEN", message: "The name is taken" }), status: 400, code: "NAME_TAKEN" }
]

describe("on the wire", () => {
  for (const { failure, status, code } of failures) {
    const body = { code, message: failure.message }

    it(`${failure._tag} is wrapped in error by v4, and not in v2`, () => {
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
  it("each says what happened, and what to do", () => {
    assert.match(new Unauthorized().message, /token .*: give a valid one/u)
    assert.match(new Forbidden({ permission: "Read Tenant" }).message, /Read Tenant: use a key that has it/u)
    assert.match(new Forbidden({ permission: null }).message, /for this operation: use a key that has it/u)
    assert.match(new NotFound().message, /visible to this token$/u)
    assert.match(new NotFound({ targets: ["a/b/1", "a/b/2"] }).message, /visible to this token: a\/b\/1, a\/b\/2$/u)
  })

  it("a 422 names every fault by its place", () => {
    const fault = (loc: ReadonlyArray<string | number>, msg: string) => ({ loc, msg, type: "value_error" })
    assert.strictEqual(
      new ValidationFailed({ detail: [fault(["body", "include", 0], "unknown"), fault([], "broken")] }).message,
      "The service refused the request: body.include.0: unknown; broken"
    )
    assert.match(new ValidationFailed({ detail: [] }).message, /gave no reason/u)
  })
})

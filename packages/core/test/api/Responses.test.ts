import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Responses from "@threat-exposure/core/api/Responses"
import {
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Failure,
  ValidationFailed
} from "@threat-exposure/core/domain/Failures"

const failures = {
  unauthorized: { failure: new Unauthorized(), shapes: Responses.unauthorized, code: "UNAUTHORIZED" },
  forbidden: { failure: new Forbidden({ permission: "Write Tenant" }), shapes: Responses.forbidden, code: "FORBIDDEN" },
  notFound: { failure: new NotFound(), shapes: Responses.notFound, code: "NOT_FOUND" },
  rateLimited: {
    failure: new RateLimited({ code: "QUOTA_EXHAUSTED", message: "The quota is spent", retryAfter: 60 }),
    shapes: Responses.rateLimited,
    code: "QUOTA_EXHAUSTED"
  }
}

describe("on the wire", () => {
  for (const [name, { failure, shapes, code }] of Object.entries(failures)) {
    const body = { code, message: failure.message }

    it(`${name} is wrapped in error by v4, and not in v2`, () => {
      assert.deepStrictEqual<unknown>(Schema.encodeUnknownSync(shapes.v4)(failure), { error: body })
      assert.deepStrictEqual<unknown>(Schema.encodeUnknownSync(shapes.v2)(failure), body)
    })

    it(`${name} is decoded to itself`, () => {
      const { v4, v2 }: { readonly [Shape in "v4" | "v2"]: Schema.Codec<{ readonly _tag: string }, unknown> } = shapes
      assert.strictEqual(Schema.decodeUnknownSync(v4)({ error: body })._tag, failure._tag)
      assert.strictEqual(Schema.decodeUnknownSync(v2)(body)._tag, failure._tag)
    })
  }

  it("a broken rule of v2 has no wrapper", () => {
    const failure = new V2Failure({ code: "NAME_TAKEN", message: "The name is taken" })
    const body = { code: "NAME_TAKEN", message: "The name is taken" }
    assert.deepStrictEqual(Schema.encodeSync(Responses.v2Refused)(failure), body)
    assert.strictEqual(Schema.decodeSync(Responses.v2Refused)(body).code, "NAME_TAKEN")
  })

  it("a 422 lists its faults, and nothing else", () => {
    const detail = [{ loc: ["body", "size"], msg: "Expected a value between 1 and 10", type: "is_between" }]
    assert.deepStrictEqual(Schema.encodeSync(Responses.invalidRequest)(new ValidationFailed({ detail })), { detail })
  })
})

describe("in words", () => {
  it("each says what happened, and what to do", () => {
    assert.match(new Unauthorized().message, /token .*: give a valid one/u)
    assert.match(new Forbidden({ permission: "Read Tenant" }).message, /Read Tenant: use a key that has it/u)
    assert.match(new Forbidden({ permission: null }).message, /for this operation: use a key that has it/u)
    assert.match(new NotFound().message, /visible to this token/u)
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

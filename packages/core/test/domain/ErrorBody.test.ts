import { assert, describe, it } from "@effect/vitest"
import { describeFaults, readErrorBody, versionOf } from "@threat-exposure/core/domain/ErrorBody"
import {
  encodeFailure,
  Forbidden,
  NotFound,
  RateLimited,
  Unauthorized,
  V2Failure,
  ValidationFailed
} from "@threat-exposure/core/domain/Failures"

const coded = [
  { failure: new Unauthorized(), code: "UNAUTHORIZED", message: /valid one$/u },
  { failure: new Forbidden({ permission: "Write Tenant" }), code: "FORBIDDEN", message: /Write Tenant/u },
  { failure: new NotFound(), code: "NOT_FOUND", message: /^No such resource/u },
  {
    failure: new RateLimited({ code: "QUOTA_EXHAUSTED", message: "Spent" }),
    code: "QUOTA_EXHAUSTED",
    message: /^Spent$/u
  },
  { failure: new V2Failure({ code: "INVALID_QUERY", message: "Unread" }), code: "INVALID_QUERY", message: /^Unread$/u }
]

describe("an error body", () => {
  for (const { code, failure, message } of coded) {
    for (const version of ["v2", "v4"] as const) {
      it(`of ${failure._tag} in ${version} is decoded as it was encoded`, () => {
        const report = readErrorBody(encodeFailure(failure, version).body)
        assert.deepInclude(report, { version, code, detail: [{ loc: [], msg: report.message ?? "", type: code }] })
        assert.match(report.message ?? "", message)
      })
    }
  }

  it("of a 422 is decoded as it was encoded", () => {
    const detail = [{ loc: ["body", "size"], msg: "Too large", type: "less_than", input: 11, ctx: { le: 10 } }]
    const { body, status } = encodeFailure(new ValidationFailed({ detail }), "v4")
    assert.strictEqual(status, 422)
    assert.deepStrictEqual(readErrorBody(body).detail, detail)
  })

  it("of a 422 may leave out what the specification promises", () => {
    assert.deepStrictEqual(readErrorBody({ detail: [{ msg: "Too large", ctx: null }, {}] }).detail, [
      { loc: [], msg: "Too large", type: "unknown" },
      { loc: [], msg: "", type: "unknown" }
    ])
  })

  it("of a 422 contains the faults that can be decoded, even if another one cannot", () => {
    const good = { loc: ["body", "size"], msg: "Too large", type: "less_than" }
    const odd = ["No such type", { loc: ["body", null], msg: "Unknown" }, { loc: "size", msg: 5, type: "t" }, null]
    const { detail } = readErrorBody({ detail: [...odd, good] })
    assert.deepStrictEqual(detail, [
      { loc: [], msg: "No such type", type: "unknown" },
      { loc: [], msg: "Unknown", type: "unknown" },
      { loc: [], msg: "", type: "unknown" },
      { loc: [], msg: "", type: "unknown" },
      good
    ])
    assert.strictEqual(describeFaults(detail), "No such type; Unknown; body.size: Too large")
    assert.strictEqual(describeFaults([{ loc: [], msg: "" }]), "it gave no reason")
  })

  it("may have a number as its code, or the shape of a gateway, or none", () => {
    assert.deepInclude(readErrorBody({ error: { code: 7, message: "no" } }), { version: "v4", code: "7" })
    assert.deepInclude(readErrorBody({ detail: "no" }), { version: undefined, code: undefined, message: "no" })
    for (const body of [undefined, null, "no", [], {}, { error: {} }]) {
      assert.deepStrictEqual(readErrorBody(body), {
        version: undefined,
        code: undefined,
        message: undefined,
        detail: [],
        isUnknownPath: true
      })
    }
  })

  it("has the shape of the version that the path names", () => {
    assert.deepStrictEqual(
      ["/svc/v2/assets/", "/v2/assets/", "/svc/v4/events/", "/healthz", "/svc/v20/", "/a/b/v2/"].map(versionOf),
      ["v2", "v2", "v4", "v4", "v4", "v4"]
    )
  })
})

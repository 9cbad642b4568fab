import { assert, describe, it } from "@effect/vitest"
import {
  Forbidden,
  RateLimited,
  RequestInvalid,
  ServiceFailure,
  TimedOut,
  Unavailable,
  V2Failure,
  ValidationFailed
} from "@threat-exposure/core/client/ApiError"
import { failureText, reportedFailure } from "@threat-exposure/leak-check/search/FailureText"

describe("the text of a refusal", () => {
  it("names the permission that the operation needs, where it is known", () => {
    const context = { operation: "Credentials.search", status: 403, attempts: 1 }
    assert.strictEqual(
      failureText(new Forbidden({ ...context, permission: "Read Tenant" })),
      'The API key needs the permission "Read Tenant": use a key that has it, or an account with this feature'
    )
    assert.strictEqual(
      failureText(new Forbidden({ ...context, permission: undefined })),
      "The API key lacks the permission for this operation: use a key that has it, or an account with this feature"
    )
  })
})

describe("the text of a request that the service refuses", () => {
  it("says so before the words of the service, which are one line and drive no terminal", () => {
    const context = { operation: "Events.search", attempts: 1, code: "X" }
    const said = "\u001b[31mbad\r\nerror: invented\u202e"
    assert.deepStrictEqual(
      [
        new ServiceFailure({ ...context, status: 400, message: said }),
        new V2Failure({ ...context, status: 409, message: "The name is taken" }),
        new ServiceFailure({ ...context, status: 418, message: "" })
      ].map(failureText),
      [
        "The service refused the request (400): [31mbad error: invented",
        "The service refused the request (409): The name is taken",
        "The service refused the request (418)"
      ]
    )
  })
})

describe("the text of a 429", () => {
  const textOf = (isQuotaSpent: boolean, status: number | undefined) =>
    failureText(
      new RateLimited({
        status,
        attempts: 1,
        code: "X",
        message: "Slow down: try again in 3 s",
        isQuotaSpent,
        retryAfter: 3
      })
    )

  it("says whether the quota or the rate is reached, which the words of the service may not", () => {
    assert.strictEqual(textOf(true, 429), "The search quota of the service is exhausted: Slow down: try again in 3 s")
    assert.strictEqual(textOf(false, 429), "The service limits the rate of calls: Slow down: try again in 3 s")
    assert.strictEqual(textOf(false, undefined), "Slow down: try again in 3 s")
  })

  it.each([
    [false, "Slow down", "; wait a minute, and run fewer programs with this account at once"],
    [true, "Spent", "; wait until it renews"],
    [true, "Spent until 2026-12-01", ""]
  ])(
    "says what to do if the service does not say how long to wait (quota spent: %s, %s)",
    (isQuotaSpent, said, advice) => {
      const text = failureText(new RateLimited({ status: 429, code: "X", message: said, isQuotaSpent }))
      assert.isTrue(text.endsWith(`: ${said}${advice}`), text)
    }
  )
})

describe("the text of a call", () => {
  it("that did not end in time says how long it was waited for, and names no option of the client", () => {
    assert.strictEqual(
      failureText(new TimedOut({ operation: "Events.search", attempts: 1, deadline: 180_000 })),
      "The service did not answer in full within 180 s; try again later, or ask for less at once"
    )
  })

  it("that was not sent says so, and keeps the names of its fields", () => {
    const rule = "tags.0: Expected a value with a length of at most 100"
    assert.strictEqual(
      failureText(new RequestInvalid({ operation: "Events.annotate", rule })),
      `Nothing was sent, because the request is not valid: ${rule}`
    )
  })
})

describe("the text of a connection that fails", () => {
  const textOf = (reason: string) =>
    failureText(new Unavailable({ operation: "Credentials.search", attempts: 5, cause: new Error(reason) }))

  it.each([
    ["getaddrinfo ENOTFOUND exposure.invalid (ENOTFOUND)", /; check its address, and that this machine can reach it$/u],
    ["self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)", /; to trust its certificate, set NODE_USE_SYSTEM_CA=1/u],
    ["unable to get local issuer certificate (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)", /NODE_EXTRA_CA_CERTS to a file/u],
    ["certificate has expired (CERT_HAS_EXPIRED)", /; its certificate is not valid for this address or at this time$/u],
    ["Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID)", /; its certificate is not valid for this address/u]
  ])("says what to do about %s", (reason, advice) => {
    assert.match(textOf(`fetch failed: ${reason}`), advice)
  })
})

describe("the text of a failure in a report", () => {
  const context = { operation: "Credentials.search", attempts: 1 }
  const said = "cannot search for hunt"

  it("has no word of the service", () => {
    const code = "HUNT"
    assert.deepStrictEqual(
      [
        new ValidationFailed({ ...context, status: 422, detail: [{ loc: ["body", "hunt"], msg: said, type: "hunt" }] }),
        new V2Failure({ ...context, status: 400, code, message: said }),
        new ServiceFailure({ ...context, status: 409, code, message: said }),
        new RateLimited({ ...context, status: 429, code, retryAfter: 3, message: said }),
        new RateLimited({ ...context, status: 429, code, retryAfter: undefined, message: said }),
        new RateLimited({ ...context, status: 429, code, retryAfter: undefined, message: said, isQuotaSpent: true }),
        new Unavailable({ ...context, status: 503, cause: new Error(said) })
      ].map(reportedFailure),
      [
        "The service refused the request (422)",
        "The service refused the request (400)",
        "The service refused the request (409)",
        "The service limits the rate of calls (429): try again in 3 s",
        "The service limits the rate of calls (429): wait a minute, and run fewer programs with this account at once",
        "The search quota of the service is exhausted",
        "The service failed (503)"
      ]
    )
  })

  it("says when the quota renews, if the service does", () => {
    const message = "The quota renews on 2026-12-01T00:00:00.000Z: hunt"
    const spent = new RateLimited({
      ...context,
      status: 429,
      code: "Q",
      retryAfter: undefined,
      message,
      isQuotaSpent: true
    })
    assert.strictEqual(
      reportedFailure(spent),
      "The search quota of the service is exhausted until 2026-12-01T00:00:00.000Z"
    )
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Forbidden, Unavailable } from "@threat-exposure/core/client/ApiError"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"

describe("the text of a refusal", () => {
  it("names the permission that the operation needs, where it is known", () => {
    const context = { operation: "Credentials.search", status: 403, attempts: 1 }
    assert.strictEqual(
      failureText(new Forbidden({ ...context, permission: "Read Tenant" })),
      'The API key needs the permission "Read Tenant": use a key that has it'
    )
    assert.strictEqual(
      failureText(new Forbidden({ ...context, permission: undefined })),
      "The API key lacks the permission for this operation: use a key that has it"
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

import { assert, describe, it } from "@effect/vitest"
import { Forbidden, RequestInvalid } from "@threat-exposure/core/client/ApiError"
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

describe("the text of a refused option", () => {
  it("names the option as flags and inputs do", () => {
    const rule = "baseUrl is not a URL; it must read like https://api.example.com"
    assert.strictEqual(
      failureText(new RequestInvalid({ operation: "client options", option: "baseUrl", rule })),
      "base-url is not a URL; it must read like https://api.example.com"
    )
    assert.strictEqual(
      failureText(new RequestInvalid({ operation: "client options", rule: "give either token or apiKey" })),
      "Give either token or apiKey"
    )
  })
})

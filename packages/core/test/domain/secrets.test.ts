/** A secret in a request is visible neither in the request nor in its error. */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { EventSearch, IdentifierEventSearch } from "@threat-exposure/core/domain/Event"
import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"

const secret = ["correct", "horse"].join("-")

const requests: { readonly [name: string]: readonly [Schema.Codec<unknown, unknown>, object] } = {
  "a search for a password": [CredentialSearch, { query: { type: "secret", secret } }],
  "a search for a secret in events": [EventSearch, { query: { type: "secret", secret } }],
  "a search for a user's credentials": [
    EventSearch,
    { query: { type: "credentials", username: "u", password: secret } }
  ],
  "a search among an identifier's events": [IdentifierEventSearch, { query: { type: "secret", secret } }],
  "an identifier that watches for a secret": [NewIdentifier, { name: "n", type: "secret", data: { secret } }],
  "an identifier named by its secret": [NewIdentifier, { name: secret, type: "secret" }]
}

/** Errors in fields next to the secret, for those requests that have such a field. */
const faults = { size: 0, order: "up", filters: { severity: "urgent" }, search_types: ["all"], risks: "no", from: 1 }

describe("secrets are hidden", () => {
  for (const [name, [schema, body]] of Object.entries(requests)) {
    it(`in ${name}`, () => {
      const request = Schema.decodeUnknownSync(schema)(body)
      for (const shown of [
        String(request),
        JSON.stringify(request),
        inspect(request, { depth: 9, showHidden: true }),
        inspect(request, { depth: 9, customInspect: false }),
        inspect(structuredClone(request), { depth: 9 })
      ]) {
        assert.notInclude(shown, secret)
      }
      assert.include(JSON.stringify(Schema.encodeUnknownSync(schema)(request)), secret)
    })

    it(`in the faults of ${name}`, () => {
      const exit = Schema.decodeUnknownExit(schema)({ ...body, ...faults }, { errors: "all" })
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(String(exit), secret)
      assert.notInclude(inspect(exit, { depth: 15, showHidden: true }), secret)
    })
  }
})

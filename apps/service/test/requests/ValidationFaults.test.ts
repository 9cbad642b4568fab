import { assert, describe, it } from "@effect/vitest"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { EventAction, EventSearch } from "@threat-exposure/core/domain/Event"
import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import { IntelQuestion } from "@threat-exposure/core/domain/Intel"
import { KnownEvent } from "@threat-exposure/core/domain/TypedEvent"
import { faultsOf } from "@threat-exposure/service/requests/ValidationFaults"
import { Result, Schema } from "effect"

const query = { type: "email", email: "a@example.com" }

const leakedCredential = (password: unknown) => ({
  event_type: "leaked_credential",
  metadata: { uid: "a/b/c", severity: "low", estimated_created_at: "2026-01-01T00:00:00Z" },
  data: { identity_name: "a@example.com", password }
})

/** A rule of docs/api.md, a request that breaks it, and the faults that the service reports. */
const broken: ReadonlyArray<
  readonly [rule: string, schema: Schema.Decoder<unknown>, input: unknown, ...faults: ReadonlyArray<string>]
> = [
  ["4.1: a body", CredentialSearch, undefined, "body missing"],
  ["4.1: an object", CredentialSearch, [], "body dict_type"],
  ["4.1: an object, not null", CredentialSearch, null, "body dict_type"],
  ["4.1: query is required", CredentialSearch, {}, "body.query missing"],
  ["4.1: query is an object", CredentialSearch, { query: "x" }, "body.query dict_type"],
  ["4.1: query has a type", CredentialSearch, { query: {} }, "body.query.type missing"],
  ["4.1: of those listed", CredentialSearch, { query: { type: "ip" } }, "body.query.type union_tag_invalid"],
  ["4.1: with its field", CredentialSearch, { query: { type: "domain" } }, "body.query.fqdn missing"],
  ["4.1: a string", CredentialSearch, { query: { type: "secret", secret: 1 } }, "body.query.secret string_type"],
  ["4.1: size from 1", CredentialSearch, { query, size: 0 }, "body.size greater_than_equal"],
  ["4.1: size to 10,000", CredentialSearch, { query, size: 10_001 }, "body.size less_than_equal"],
  ["4.1: size is whole", CredentialSearch, { query, size: 1.5 }, "body.size int_from_float"],
  [
    "4.1: size is a safe integer",
    CredentialSearch,
    { query, size: 2 ** 60 },
    "body.size int_parsing_size",
    "body.size less_than_equal"
  ],
  ["4.1: size is a number", CredentialSearch, { query, size: "5" }, "body.size int_parsing"],
  ["4.1: size is not null", CredentialSearch, { query, size: null }, "body.size int_type"],
  ["4.1: order", CredentialSearch, { query, order: "up" }, "body.order literal_error"],
  [
    "4.1: include",
    CredentialSearch,
    { query, include: ["urls", "x", 3] },
    "body.include.1 literal_error",
    "body.include.2 literal_error"
  ],
  ["4.1: include is a list", CredentialSearch, { query, include: "urls" }, "body.include list_type"],
  ["4.1: from", CredentialSearch, { query, from: 5 }, "body.from string_type"],
  [
    "4.1: bounds are date-times",
    CredentialSearch,
    { query, filters: { imported_at: { gte: "x", lte: "2026-01-01" } } },
    "body.filters.imported_at.gte datetime_parsing",
    "body.filters.imported_at.lte datetime_parsing"
  ],
  ["4.2: size to 10", EventSearch, { size: 11 }, "body.size less_than_equal"],
  ["4.2: severity", EventSearch, { filters: { severity: "x" } }, "body.filters.severity literal_error"],
  ["4.2: severities", EventSearch, { filters: { severity: ["low", "x"] } }, "body.filters.severity.1 literal_error"],
  [
    "4.2: all fields of a query",
    EventSearch,
    { query: { type: "name", first_name: 1 } },
    "body.query.first_name string_type",
    "body.query.last_name missing"
  ],
  ["a target", EventAction, { targets: [], action: { type: "ignore" } }, "body.targets too_short"],
  [
    "ten targets",
    EventAction,
    { targets: Array.from({ length: 11 }, () => ({ uid: "a" })), action: { type: "ignore" } },
    "body.targets too_long"
  ],
  ["4.13: any tone that is a string", IntelQuestion, { question: "q", tone: 5 }, "body.tone string_type"],
  ["6: a password", KnownEvent, leakedCredential(5), "body.data.password string_type"],
  ["6: one word", Schema.Struct({ type: Schema.Literal("paste") }), { type: 5 }, "body.type literal_error"],
  ["4.4: a name of one character", NewIdentifier, { name: "" }, "body.name string_too_short"]
]

describe("faultsOf", () => {
  it("reports the first thousand faults", () => {
    const input = { query, include: Array(1_500).fill("x") }
    const result = Schema.decodeUnknownResult(CredentialSearch, { errors: "all" })(input)
    assert.isTrue(Result.isFailure(result))
    if (!Result.isFailure(result)) return
    const faults = faultsOf("body", result.failure.issue, input)
    assert.lengthOf(faults, 1_000)
    assert.deepStrictEqual(faults.at(-1)?.loc, ["body", "include", 999])
  })

  for (const [rule, schema, input, ...expected] of broken) {
    it(`${rule}: ${JSON.stringify(input)}`, () => {
      const result = Schema.decodeUnknownResult(schema, { errors: "all" })(input)
      assert.isTrue(Result.isFailure(result))
      if (!Result.isFailure(result)) return
      const faults = faultsOf("body", result.failure.issue, input)
      for (const fault of expected) {
        assert.include(
          faults.map(({ loc, type }) => `${loc.join(".")} ${type}`),
          fault
        )
      }
      // An identifier may lack more fields than the rule requires.
      if (!rule.startsWith("4.4")) assert.strictEqual(faults.length, expected.length)
    })
  }
})

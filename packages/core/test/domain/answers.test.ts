/** Deviations that smaller responses tolerate (docs/api.md#tolerance), and what each preserves. */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { IdentifierGroup } from "@threat-exposure/core/domain/IdentifierGroup"
import { IntelRequest } from "@threat-exposure/core/domain/Intel"
import {
  AssignedPolicy,
  keywordsOf,
  MatchingPolicy,
  PolicyAssignment,
  PolicyAssignmentPage
} from "@threat-exposure/core/domain/MatchingPolicy"
import { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import { isAtLeast, severities } from "@threat-exposure/core/domain/Severity"
import * as Samples from "@threat-exposure/core/testing/Samples"

const read = <A>(schema: Schema.Codec<A, unknown>, wire: unknown) => Schema.decodeUnknownSync(schema)(wire)

describe("every field is kept", () => {
  it("of a group, a recommendation, a policy and its assignments", () => {
    assert.deepStrictEqual<unknown>(read(IdentifierGroup, Samples.identifierGroup()), Samples.identifierGroup())
    assert.deepStrictEqual<unknown>(read(Recommendation, Samples.recommendation()), Samples.recommendation())
    assert.deepStrictEqual<unknown>(read(MatchingPolicy, Samples.matchingPolicy()), Samples.matchingPolicy())
    assert.deepStrictEqual<unknown>(read(PolicyAssignment, Samples.policyAssignment()), Samples.policyAssignment())
    assert.deepStrictEqual<unknown>(read(AssignedPolicy, Samples.assignedPolicy()), Samples.assignedPolicy())
    const request = { request_id: "6f1c2c52-6d0d-4f1c-9f0a-0f6f6f0a1b2c" }
    assert.deepStrictEqual(read(IntelRequest, request), request)
  })
})

describe("an absent field is", () => {
  it("null in a group", () => {
    assert.deepStrictEqual(read(IdentifierGroup, { id: 1, name: null }), {
      id: 1,
      tenant_id: null,
      feed_id: null,
      feed_owner_id: null,
      name: null,
      urn: null
    })
  })

  it("null or empty in a recommendation", () => {
    assert.deepStrictEqual(read(Recommendation, { id: 1, status: "accepted" }), {
      id: 1,
      data: {},
      status: "accepted",
      updated_at: null,
      relevancy: null
    })
  })

  it("false or null in an assignment, and the end in a page", () => {
    assert.deepStrictEqual(read(PolicyAssignmentPage, { items: [{ identifier_id: 1 }] }), {
      items: [{ identifier_id: 1, identifier_name: null, clean_past_events: false, assigned_at: null }],
      next: null
    })
  })
})

describe("new values are accepted", () => {
  it("in statuses, relevancies and policy types", () => {
    const recommendation = read(Recommendation, Samples.recommendation({ status: "snoozed", relevancy: "LOW" }))
    assert.deepStrictEqual([recommendation.status, recommendation.relevancy], ["snoozed", "LOW"])
    const policy = read(MatchingPolicy, Samples.matchingPolicy({ policy_type: "SCHEDULE", value: { days: [1] } }))
    assert.deepStrictEqual(policy.value, { days: [1] })
    assert.deepStrictEqual(keywordsOf(policy), [])
  })

  it("and the known policy type has its keywords", () => {
    assert.deepStrictEqual(keywordsOf(read(MatchingPolicy, Samples.matchingPolicy())), ["example"])
  })
})

describe("severities rank", () => {
  it("in the order of docs/api.md, with an unknown one above them all", () => {
    assert.deepStrictEqual(
      severities.filter((severity) => isAtLeast(severity, "medium")),
      ["medium", "high", "critical"]
    )
    assert.isTrue(isAtLeast("severe", "critical"))
  })
})

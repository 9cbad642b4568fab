/**
 * Every operation of SPEC 4, by group: where it is sent, what it takes and what it gives. The API and the client are both
 * derived from these; a client so carries nothing that only a server needs.
 */
import * as Schema from "effect/Schema"
import { CredentialPage, CredentialSearch } from "../domain/Credential.ts"
import { EventPage, EventSearch, IdentifierEventPage, IdentifierEventSearch } from "../domain/Event.ts"
import { IdentifierCreated, NewIdentifier } from "../domain/Identifier.ts"
import { IdentifierGroupCreated, NewIdentifierGroup } from "../domain/IdentifierGroup.ts"
import { IntelQuestion, IntelRequest } from "../domain/Intel.ts"
import {
  AssignedPolicies,
  AssignPolicy,
  PolicyAssignmentList,
  PolicyAssignmentPage,
  PolicyUuid
} from "../domain/MatchingPolicy.ts"
import type { Operation } from "../domain/Permission.ts"
import { RecommendationList, RecommendationPage } from "../domain/Recommendation.ts"
import { NewReport } from "../domain/Report.ts"
import { AddUsers } from "../domain/Tenant.ts"
import { TypedEvent } from "../domain/TypedEvent.ts"
import { someText } from "../domain/Words.ts"

export interface Endpoint {
  readonly operation: Operation
  readonly method: "DELETE" | "GET" | "POST"
  /** After the prefix. */
  readonly path: `/${string}`
  readonly params?: Schema.Struct.Fields
  readonly query?: Schema.Struct.Fields | Schema.Top
  readonly payload?: Schema.Top
  /** Absent where a success says nothing. */
  readonly success?: Schema.Top
}

// Literals alone, no calls: a bundler then leaves out what a program does not use.

/** SPEC 4.1. */
export const credentials = {
  search: {
    operation: "credentials.search",
    method: "POST",
    path: "/v4/credentials/global/_search",
    payload: CredentialSearch,
    success: CredentialPage
  }
} as const satisfies Group

/** SPEC 4.2, 4.3, 4.14. */
export const events = {
  search: {
    operation: "events.search",
    method: "POST",
    path: "/v4/events/global/_search",
    payload: EventSearch,
    success: EventPage
  },
  ofIdentifier: {
    operation: "events.ofIdentifier",
    method: "POST",
    path: "/v4/events/identifiers/:identifier_id/_search",
    params: { identifier_id: Schema.Int },
    payload: IdentifierEventSearch,
    success: IdentifierEventPage
  },
  get: {
    operation: "events.get",
    method: "GET",
    path: "/v4/events/",
    query: { uid: someText },
    success: TypedEvent
  }
} as const satisfies Group

/** SPEC 4.4. */
export const identifiers = {
  create: {
    operation: "identifiers.create",
    method: "POST",
    path: "/v2/assets/",
    payload: NewIdentifier,
    success: IdentifierCreated
  }
} as const satisfies Group

/** SPEC 4.5. */
export const identifierGroups = {
  create: {
    operation: "identifierGroups.create",
    method: "POST",
    path: "/v2/assets/groups/",
    payload: NewIdentifierGroup,
    success: IdentifierGroupCreated
  }
} as const satisfies Group

/** SPEC 4.11. */
export const recommendations = {
  list: {
    operation: "recommendations.list",
    method: "GET",
    path: "/v4/identifier-recommendations/",
    query: RecommendationList,
    success: RecommendationPage
  }
} as const satisfies Group

/** SPEC 4.7 to 4.10. */
export const matchingPolicies = {
  assign: {
    operation: "matchingPolicies.assign",
    method: "POST",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy
  },
  assignments: {
    operation: "matchingPolicies.assignments",
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    params: { policy_uuid: PolicyUuid },
    query: PolicyAssignmentList,
    success: PolicyAssignmentPage
  },
  ofIdentifier: {
    operation: "matchingPolicies.ofIdentifier",
    method: "GET",
    path: "/v4/matching-policies/by_identifier_id/:identifier_id",
    params: { identifier_id: Schema.Int },
    success: AssignedPolicies
  },
  delete: {
    operation: "matchingPolicies.delete",
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid",
    params: { policy_uuid: PolicyUuid }
  }
} as const satisfies Group

/** SPEC 4.6. */
export const reports = {
  create: {
    operation: "reports.create",
    method: "POST",
    path: "/v2/reporting/reports",
    payload: NewReport
  }
} as const satisfies Group

/** SPEC 4.12. */
export const tenants = {
  addUsers: {
    operation: "tenants.addUsers",
    method: "POST",
    path: "/v2/tenants/:tenant_id/users",
    params: { tenant_id: Schema.Int },
    payload: AddUsers
  }
} as const satisfies Group

/** SPEC 4.13. */
export const intel = {
  ask: {
    operation: "intel.ask",
    method: "POST",
    path: "/v4/threat_flow/intel/requests",
    payload: IntelQuestion,
    success: IntelRequest
  }
} as const satisfies Group

interface Group {
  readonly [name: string]: Endpoint
}

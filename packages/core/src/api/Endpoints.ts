/**
 * The contract: the one description of every operation. The client, the HTTP API, the service's permission checks and
 * `openapi.json` are derived from it. It contains nothing that only a server needs, so clients can import it.
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
import type { Permission } from "../domain/Permission.ts"
import { RecommendationList, RecommendationPage } from "../domain/Recommendation.ts"
import { NewReport } from "../domain/Report.ts"
import { AddUsers } from "../domain/Tenant.ts"
import { TypedEvent } from "../domain/TypedEvent.ts"
import { TokenAnswer, TokenDescription, TokenRequest } from "../domain/Token.ts"
import { integerParameter, nonEmptyText } from "../domain/RequestField.ts"

export interface Endpoint {
  /** `group.endpoint`, its name in the HTTP API and in `openapi.json`. */
  readonly operation: `${string}.${string}`
  readonly method: "DELETE" | "GET" | "POST"
  /** After the prefix. */
  readonly path: `/${string}`
  /** The permission that the API key must have. */
  readonly permission: Permission
  /** The rate limit that a call counts against. */
  readonly tier: Tier
  /** Whether it changes nothing, so that a client may retry it. */
  readonly isRead: boolean
  readonly isBeta?: true
  readonly isDeprecated?: true
  readonly params?: Fields
  readonly query?: Fields | Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown>
  /** `Schema.Void` if a success has no body. */
  readonly success: Schema.Codec<unknown, unknown>
}

interface Fields {
  readonly [name: PropertyKey]: Schema.Codec<unknown, unknown>
}

export type Tier = "search" | "basic"

const idParameter = integerParameter(Schema.Int)

// Literals without calls, so that bundlers can drop unused operations.

/** See docs/api.md#search-credentials. */
export const credentials = {
  search: {
    operation: "credentials.search",
    method: "POST",
    path: "/v4/credentials/global/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    payload: CredentialSearch,
    success: CredentialPage
  }
} as const satisfies Group

/** See docs/api.md#search-events. */
export const events = {
  search: {
    operation: "events.search",
    method: "POST",
    path: "/v4/events/global/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    payload: EventSearch,
    success: EventPage
  },
  ofIdentifier: {
    operation: "events.ofIdentifier",
    method: "POST",
    path: "/v4/events/identifiers/:identifier_id/_search",
    permission: "Read Tenant",
    tier: "basic",
    isRead: true,
    params: { identifier_id: idParameter },
    payload: IdentifierEventSearch,
    success: IdentifierEventPage
  },
  get: {
    operation: "events.get",
    method: "GET",
    path: "/v4/events/",
    permission: "Read Tenant",
    tier: "basic",
    isRead: true,
    isBeta: true,
    query: { uid: nonEmptyText },
    success: TypedEvent
  }
} as const satisfies Group

/** See docs/api.md#create-an-identifier. */
export const identifiers = {
  create: {
    operation: "identifiers.create",
    method: "POST",
    path: "/v2/assets/",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    isDeprecated: true,
    payload: NewIdentifier,
    success: IdentifierCreated
  }
} as const satisfies Group

/** See docs/api.md#create-an-identifier-group. */
export const identifierGroups = {
  create: {
    operation: "identifierGroups.create",
    method: "POST",
    path: "/v2/assets/groups/",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    payload: NewIdentifierGroup,
    success: IdentifierGroupCreated
  }
} as const satisfies Group

/** See docs/api.md#list-recommendations. */
export const recommendations = {
  list: {
    operation: "recommendations.list",
    method: "GET",
    path: "/v4/identifier-recommendations/",
    permission: "Read Tenant",
    tier: "basic",
    isRead: true,
    query: RecommendationList,
    success: RecommendationPage
  }
} as const satisfies Group

/** See docs/api.md#matching-policy. */
export const matchingPolicies = {
  assign: {
    operation: "matchingPolicies.assign",
    method: "POST",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy,
    success: Schema.Void
  },
  assignments: {
    operation: "matchingPolicies.assignments",
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    permission: "Read Tenant",
    tier: "basic",
    isRead: true,
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    query: PolicyAssignmentList,
    success: PolicyAssignmentPage
  },
  ofIdentifier: {
    operation: "matchingPolicies.ofIdentifier",
    method: "GET",
    path: "/v4/matching-policies/by_identifier_id/:identifier_id",
    permission: "Read Tenant",
    tier: "basic",
    isRead: true,
    isBeta: true,
    params: { identifier_id: idParameter },
    success: AssignedPolicies
  },
  delete: {
    operation: "matchingPolicies.delete",
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    success: Schema.Void
  }
} as const satisfies Group

/** See docs/api.md#create-a-report. */
export const reports = {
  create: {
    operation: "reports.create",
    method: "POST",
    path: "/v2/reporting/reports",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    payload: NewReport,
    success: Schema.Void
  }
} as const satisfies Group

/** See docs/api.md#add-users-to-a-tenant. */
export const tenants = {
  addUsers: {
    operation: "tenants.addUsers",
    method: "POST",
    path: "/v2/tenants/:tenant_id/users",
    permission: "Write Tenant Admin",
    tier: "basic",
    isRead: false,
    params: { tenant_id: idParameter },
    payload: AddUsers,
    success: Schema.Void
  }
} as const satisfies Group

/** See docs/api.md#ask-for-intelligence. */
export const intel = {
  ask: {
    operation: "intel.ask",
    method: "POST",
    path: "/v4/threat_flow/intel/requests",
    permission: "Write Tenant",
    tier: "basic",
    isRead: false,
    payload: IntelQuestion,
    success: IntelRequest
  }
} as const satisfies Group

/** Outside the prefix; any valid API key may call them. See docs/api.md#authentication. */
export const tokens = {
  generate: {
    operation: "tokens.generate",
    method: "POST",
    path: "/tokens/generate",
    tier: "basic",
    isRead: true,
    payload: TokenRequest,
    success: TokenAnswer
  },
  test: {
    operation: "tokens.test",
    method: "GET",
    path: "/tokens/test",
    tier: "basic",
    isRead: true,
    success: TokenDescription
  }
} as const satisfies { readonly [name: string]: Omit<Endpoint, "permission"> }

/** Every group below the prefix, by its name in the HTTP API. */
export const contract = {
  credentials,
  events,
  identifiers,
  identifierGroups,
  recommendations,
  matchingPolicies,
  reports,
  tenants,
  intel
} as const satisfies { readonly [group: string]: Group }

interface Group {
  readonly [name: string]: Endpoint
}

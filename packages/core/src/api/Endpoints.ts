/**
 * The contract: one table of all operations. The client, the routes of the service with their permission checks, and
 * `openapi.json` are derived from it. It imports nothing that only a server needs, so that clients can import it.
 */
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  CredentialAction,
  CredentialPage,
  CredentialSearch,
  maxCredentialTargets,
  TenantCredentialList
} from "../domain/Credential.ts"
import {
  AnnotatedEvent,
  EventAction,
  EventAnnotation,
  EventPage,
  EventSearch,
  EventTypeList,
  ExpandedPage,
  ExpandQuery,
  IdentifierEventPage,
  IdentifierEventSearch,
  maxEventTargets,
  SeverityList,
  TenantEventSearch,
  unknownTypesWarning
} from "../domain/Event.ts"
import { IdentifierCreated, NewIdentifier } from "../domain/Identifier.ts"
import { IdentifierGroupCreated, IdentifierGroupList, NewIdentifierGroup } from "../domain/IdentifierGroup.ts"
import { IntelAnswer, IntelQuestion, IntelRequest } from "../domain/Intel.ts"
import {
  AssignedPolicies,
  AssignPolicy,
  MatchingPolicy,
  MatchingPolicyList,
  MatchingPolicyPage,
  MatchingPolicyUpdate,
  NewMatchingPolicy,
  PolicyAssignmentList,
  PolicyAssignmentPage,
  PolicyUuid
} from "../domain/MatchingPolicy.ts"
import {
  MonitoredIdentifier,
  MonitoredIdentifierList,
  MonitoredIdentifierPage,
  MonitoredIdentifierUpdate,
  NewMonitoredIdentifier
} from "../domain/MonitoredIdentifier.ts"
import type { Failure } from "../domain/Failures.ts"
import type { Page } from "../domain/Page.ts"
import type { Permission } from "../domain/Permission.ts"
import {
  maxRecommendationTargets,
  RecommendationAction,
  RecommendationList,
  RecommendationPage
} from "../domain/Recommendation.ts"
import { NewReport, Report, ReportFile, ReportFormat, ReportId, ReportList, ReportPage } from "../domain/Report.ts"
import { AddUsers, TenantList, TenantMemberList } from "../domain/Tenant.ts"
import { TypedEvent } from "../domain/TypedEvent.ts"
import { TokenAnswer, TokenDescription, TokenRequest } from "../domain/Token.ts"
import { integerParameter, nonEmptyText } from "../domain/schema/RequestField.ts"

export type Endpoint = CursorEndpoint | ListEndpoint | SingleEndpoint

interface EndpointBase {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** The path after the prefix. */
  readonly path: `/${string}`
  /** The permission that the API key must have; null if any valid key may call it. Default: see {@link permissionOf}. */
  readonly permission?: Permission | null
  /** The rate limit that applies to the call. Default: `basic`. */
  readonly tier?: Tier
  /** Set if the operation changes nothing although it is no GET, so that a client may retry it. */
  readonly isRead?: true
  /** Whether a page may cost a unit of the search quota. */
  readonly costsQuota?: true
  readonly isBeta?: true
  readonly isDeprecated?: true
  readonly params?: Fields
  readonly query?: Fields | Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown>
  /** Query fields that the client's method takes as separate arguments, like `params`. */
  readonly keys?: ReadonlyArray<string>
  /** A warning to log before a valid request is sent; undefined if there is none. */
  readonly warning?: (request: unknown) => string | undefined
  /** Whether its path is relative to the base URL, without the prefix. */
  readonly isOutsidePrefix?: true
}

interface CursorEndpoint extends EndpointBase {
  readonly media?: undefined
  /** The name of the client's method that reads page by page. */
  readonly pages: string
  readonly isList?: undefined
  readonly success: Schema.Codec<Page<unknown>, unknown>
}

interface ListEndpoint extends EndpointBase {
  readonly media?: undefined
  readonly pages?: undefined
  readonly isList: true
  readonly success: Schema.Codec<ReadonlyArray<unknown>, unknown>
}

interface SingleEndpoint extends EndpointBase {
  readonly pages?: undefined
  readonly isList?: undefined
  /** `Schema.Void` if a success has no body; a schema of bytes for a file. */
  readonly success: Schema.Codec<unknown, unknown>
  /** The media types of the response, if it is a file instead of JSON. */
  readonly media?: ReadonlyArray<string>
  /** The field of the response that the client's method returns; default: the whole response. */
  readonly result?: string
  /**
   * Only for an action on several targets: the field that identifies a target, and the maximum number of targets per
   * request.
   */
  readonly batch?: { readonly target: string; readonly maxTargets: number }
}

/** An operation outside the prefix. It takes a token, or the API key itself if `security` is `apiKey`. */
export interface TokenEndpoint extends EndpointBase {
  readonly media?: ReadonlyArray<string> | undefined
  readonly success: Schema.Codec<unknown, unknown>
  readonly security?: "apiKey"
}

interface Fields {
  readonly [name: PropertyKey]: Schema.Codec<unknown, unknown>
}

export type Tier = "search" | "basic"

export const tierOf = ({ tier = "basic" }: Pick<EndpointBase, "method" | "tier">): Tier => tier

/** Whether the operation changes nothing, so that a client may retry it. */
export const isReadOnly = ({ isRead, method }: Pick<EndpointBase, "isRead" | "method">): boolean =>
  isRead === true || method === "GET"

/** The permission that the API key must have; undefined if any valid key may call the operation. */
export const permissionOf = (
  endpoint: Pick<EndpointBase, "isOutsidePrefix" | "isRead" | "method" | "permission">
): Permission | undefined => {
  const { isOutsidePrefix, permission } = endpoint
  if (isOutsidePrefix === true || permission === null) return undefined
  return permission ?? (isReadOnly(endpoint) ? "Read Tenant" : "Write Tenant")
}

export type RequestOf<E> = PartOf<E, "params"> & PartOf<E, "query"> & PartOf<E, "payload">

type PartOf<E, Name extends string> = E extends { readonly [Key in Name]: infer S }
  ? { readonly [Key in Name]: TypeOf<S> }
  : unknown

/** The decoded value of a schema or of a struct's fields. */
export type TypeOf<S> = S extends Schema.Top
  ? S["Type"]
  : S extends Schema.Struct.Fields
    ? Schema.Struct<S>["Type"]
    : never

/** A service's handlers for all operations, in the same groups as {@link contract}. */
export type Handlers<Caller, Answer = never> = {
  readonly [G in keyof Contract]: {
    readonly [Name in keyof Contract[G]]: (
      request: RequestOf<Contract[G][Name]>,
      caller: Caller
    ) => Effect.Effect<SuccessOf<Contract[G][Name]> | Answer, Failure>
  }
}

type SuccessOf<E> = E extends { readonly success: infer S } ? TypeOf<S> : never

type Contract = typeof contract

const idParameter = integerParameter(Schema.Int)
const textParameter = Schema.String
const noBody = Schema.Void

// Object literals without calls and without members of `Schema`, so that bundlers can drop unused operations.

/** See docs/api.md#search-credentials. */
export const credentials = {
  /**
   * Searches the whole data set; matches are sorted by `imported_at`. Costs search quota. See
   * docs/api.md#search-credentials.
   */
  search: {
    method: "POST",
    path: "/v4/credentials/global/_search",
    tier: "search",
    isRead: true,
    payload: CredentialSearch,
    costsQuota: true,
    pages: "pages",
    success: CredentialPage
  },
  /** Lists the credentials of all identifiers of the tenant, without duplicates; costs no quota. */
  ofTenant: {
    method: "GET",
    path: "/v2/me/feed/credentials",
    query: TenantCredentialList,
    pages: "pagesOfTenant",
    success: CredentialPage
  },
  /**
   * Ignores or remediates credentials by their `credential_hash`, or undoes that. More than 100 targets are sent in
   * several requests, in order; if one fails, `done` of the error has the targets of the previous requests.
   */
  act: {
    method: "POST",
    path: "/v4/credentials/actions",
    payload: CredentialAction,
    batch: { target: "credential_hash", maxTargets: maxCredentialTargets },
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#search-events. */
export const events = {
  /**
   * Searches the whole data set; matches are sorted by `estimated_created_at`. Costs search quota. See
   * docs/api.md#search-events.
   */
  search: {
    method: "POST",
    path: "/v4/events/global/_search",
    tier: "search",
    isRead: true,
    payload: EventSearch,
    warning: unknownTypesWarning,
    costsQuota: true,
    pages: "pages",
    success: EventPage
  },
  /** Lists the events that match one identifier; costs no quota. See docs/api.md#search-events-of-an-identifier. */
  ofIdentifier: {
    method: "POST",
    path: "/v4/events/identifiers/:identifier_id/_search",
    isRead: true,
    params: { identifier_id: idParameter },
    payload: IdentifierEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfIdentifier",
    success: IdentifierEventPage
  },
  /**
   * Retrieves one complete event, with the data of its type, by the `uid` in its metadata. See
   * docs/api.md#retrieve-an-event.
   *
   * @beta
   */
  get: {
    method: "GET",
    path: "/v4/events/",
    isBeta: true,
    query: { uid: nonEmptyText },
    keys: ["uid"],
    success: TypedEvent
  },
  /**
   * Lists the events of all identifiers of the tenant, without duplicates; costs no quota. Ignored and remediated
   * events are left out unless a filter asks for them.
   */
  ofTenant: {
    method: "POST",
    path: "/v4/events/tenant/_search",
    tier: "search",
    isRead: true,
    payload: TenantEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfTenant",
    success: IdentifierEventPage
  },
  /** Like `ofTenant`, but only for the identifiers of one group. */
  ofGroup: {
    method: "POST",
    path: "/v4/events/identifier_groups/:group_id/_search",
    tier: "search",
    isRead: true,
    params: { group_id: idParameter },
    payload: TenantEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfGroup",
    success: IdentifierEventPage
  },
  /**
   * Ignores or remediates events, or undoes that. More than 10 targets are sent in several requests, in order; if one
   * fails, `done` of the error has the targets of the previous requests.
   */
  act: {
    method: "POST",
    path: "/v4/events/actions",
    payload: EventAction,
    batch: { target: "uid", maxTargets: maxEventTargets },
    success: noBody
  },
  /** Changes the tenant's tags, severity or notes of an event. An absent field stays unchanged; null removes it. */
  annotate: {
    method: "PATCH",
    path: "/v4/events/tenant/metadata",
    query: { uid: nonEmptyText },
    keys: ["uid"],
    payload: EventAnnotation,
    success: AnnotatedEvent
  },
  /**
   * Lists the credentials or the cookies of a stealer log beyond the first page.
   *
   * @beta
   */
  expand: {
    method: "GET",
    path: "/v4/events/_expand",
    isBeta: true,
    query: ExpandQuery,
    keys: ["uid", "field"],
    pages: "pagesOfExpansion",
    success: ExpandedPage
  },
  /** Lists the event types that this service can filter by, in categories with labels. */
  types: {
    method: "GET",
    path: "/v4/events/filters/types",
    result: "categories",
    success: EventTypeList
  },
  /** Lists the severities that this service can filter by, with labels. */
  severities: {
    method: "GET",
    path: "/v4/events/filters/severities",
    result: "severities",
    success: SeverityList
  }
} as const satisfies Group

/** See docs/api.md#create-an-identifier. */
export const identifiers = {
  /**
   * See docs/api.md#create-an-identifier.
   *
   * @deprecated Use `create`, where the service answers it.
   */
  createV2: {
    method: "POST",
    path: "/v2/assets/",
    isDeprecated: true,
    payload: NewIdentifier,
    result: "asset",
    success: IdentifierCreated
  },
  /** Lists the identifiers of the tenant, in ascending order. */
  list: {
    method: "GET",
    path: "/v4/identifiers/",
    query: MonitoredIdentifierList,
    pages: "pages",
    success: MonitoredIdentifierPage
  },
  /** Retrieves one identifier. */
  get: {
    method: "GET",
    path: "/v4/identifiers/:identifier_id",
    params: { identifier_id: idParameter },
    success: MonitoredIdentifier
  },
  /** Starts to monitor an asset. */
  create: {
    method: "POST",
    path: "/v4/identifiers/",
    payload: NewMonitoredIdentifier,
    success: MonitoredIdentifier
  },
  /** Changes an identifier, which is then matched again. An absent name, group or `is_disabled` stays unchanged. */
  update: {
    method: "PUT",
    path: "/v4/identifiers/:identifier_id",
    params: { identifier_id: idParameter },
    payload: MonitoredIdentifierUpdate,
    success: MonitoredIdentifier
  },
  /** Deletes an identifier and its matches. A service may take up to an hour to apply this. */
  delete: {
    method: "DELETE",
    path: "/v4/identifiers/:identifier_id",
    params: { identifier_id: idParameter },
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#create-an-identifier-group. */
export const identifierGroups = {
  /** See docs/api.md#create-an-identifier-group. */
  create: {
    method: "POST",
    path: "/v2/assets/groups/",
    payload: NewIdentifierGroup,
    result: "assets_group",
    success: IdentifierGroupCreated
  },
  /** Lists all groups of the tenant. */
  list: {
    method: "GET",
    path: "/v2/assets/groups/",
    result: "assets_groups",
    success: IdentifierGroupList
  },
  /** Retrieves one group. */
  get: {
    method: "GET",
    path: "/v2/assets/groups/:group_id",
    params: { group_id: idParameter },
    result: "assets_group",
    success: IdentifierGroupCreated
  },
  /** Renames a group. */
  update: {
    method: "PUT",
    path: "/v2/assets/groups/:group_id",
    params: { group_id: idParameter },
    payload: NewIdentifierGroup,
    result: "assets_group",
    success: IdentifierGroupCreated
  },
  /** Deletes the group, but keeps its identifiers. */
  delete: {
    method: "DELETE",
    path: "/v2/assets/groups/:group_id",
    params: { group_id: idParameter },
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#list-recommendations. */
export const recommendations = {
  /** Lists recommendations in the service's order. See docs/api.md#list-recommendations. */
  list: {
    method: "GET",
    path: "/v4/identifier-recommendations/",
    query: RecommendationList,
    pages: "pages",
    success: RecommendationPage
  },
  /**
   * Accepts recommendations, which creates their identifiers, or rejects them. More than 100 are sent in several
   * requests, in order; if one fails, `done` of the error has the targets of the previous requests.
   */
  act: {
    method: "POST",
    path: "/v4/identifier-recommendations/actions",
    payload: RecommendationAction,
    batch: { target: "id", maxTargets: maxRecommendationTargets },
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#matching-policy. */
export const matchingPolicies = {
  /** See docs/api.md#assign-a-matching-policy. */
  assign: {
    method: "POST",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy,
    success: noBody
  },
  /** Lists assignments, sorted by `assigned_at`. See docs/api.md#list-policy-assignments. */
  assignments: {
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    query: PolicyAssignmentList,
    pages: "pagesOfAssignments",
    success: PolicyAssignmentPage
  },
  /** Lists all policies of an identifier, without pages. See docs/api.md#list-policies-of-an-identifier. */
  ofIdentifier: {
    method: "GET",
    path: "/v4/matching-policies/by_identifier_id/:identifier_id",
    isBeta: true,
    params: { identifier_id: idParameter },
    isList: true,
    success: AssignedPolicies
  },
  /** Deletes the policy and its assignments. See docs/api.md#delete-a-matching-policy. */
  delete: {
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    success: noBody
  },
  /** Lists all policies of the tenant. */
  list: {
    method: "GET",
    path: "/v4/matching-policies",
    isBeta: true,
    query: MatchingPolicyList,
    pages: "pages",
    success: MatchingPolicyPage
  },
  /** Creates a policy, which has no effect until it is assigned. */
  create: {
    method: "POST",
    path: "/v4/matching-policies",
    isBeta: true,
    payload: NewMatchingPolicy,
    success: MatchingPolicy
  },
  /** Retrieves one policy. */
  get: {
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    success: MatchingPolicy
  },
  /** Changes a policy. The change applies to events that are matched from then on. */
  update: {
    method: "PUT",
    path: "/v4/matching-policies/:policy_uuid",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: MatchingPolicyUpdate,
    success: MatchingPolicy
  },
  /** Removes the assignments of a policy to identifiers. */
  unassign: {
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy,
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#create-a-report. */
export const reports = {
  /** See docs/api.md#create-a-report. */
  create: {
    method: "POST",
    path: "/v2/reporting/reports",
    payload: NewReport,
    success: noBody
  },
  /** Lists the reports of the tenant. */
  list: {
    method: "GET",
    path: "/v4/reports",
    query: ReportList,
    pages: "pages",
    success: ReportPage
  },
  /** Retrieves one report, without its content. */
  get: {
    method: "GET",
    path: "/v4/reports/:report_id",
    params: { report_id: ReportId },
    success: Report
  },
  /** Downloads a report as a file. */
  download: {
    method: "GET",
    path: "/v4/reports/:report_id/download",
    params: { report_id: ReportId },
    query: { format: ReportFormat },
    keys: ["format"],
    media: ["application/pdf", "text/csv"],
    success: ReportFile
  }
} as const satisfies Group

/** See docs/api.md#add-users-to-a-tenant. */
export const tenants = {
  /** Adds users to a tenant. See docs/api.md#add-users-to-a-tenant. */
  addUsers: {
    method: "POST",
    path: "/v2/tenants/:tenant_id/users",
    permission: "Write Tenant Admin",
    params: { tenant_id: idParameter },
    payload: AddUsers,
    success: noBody
  },
  /** Lists the tenants that the key's owner may act for. */
  mine: {
    method: "GET",
    path: "/v2/me/tenants",
    permission: null,
    result: "tenants",
    success: TenantList
  },
  /** Lists the users of a tenant. */
  users: {
    method: "GET",
    path: "/v2/tenants/:tenant_id/users",
    params: { tenant_id: idParameter },
    result: "users",
    success: TenantMemberList
  },
  /** Removes a user from a tenant. */
  removeUser: {
    method: "DELETE",
    path: "/v2/tenants/:tenant_id/users/:user_id",
    permission: "Write Tenant Admin",
    params: { tenant_id: idParameter, user_id: idParameter },
    success: noBody
  }
} as const satisfies Group

/** See docs/api.md#ask-for-intelligence. */
export const intel = {
  /** Submits a question, and returns the id of the request. See docs/api.md#ask-for-intelligence. */
  ask: {
    method: "POST",
    path: "/v4/threat_flow/intel/requests",
    payload: IntelQuestion,
    success: IntelRequest
  },
  /** Retrieves the state of a question, by the `request_id` of its request. */
  get: {
    method: "GET",
    path: "/v4/threat_flow/reports/requests/:request_id",
    params: { request_id: textParameter },
    success: IntelAnswer
  }
} as const satisfies Group

/** Operations outside the prefix, which any valid API key may call. See docs/api.md#authentication. */
export const tokens = {
  /** See docs/api.md#exchange-an-api-key. */
  generate: {
    method: "POST",
    path: "/tokens/generate",
    isOutsidePrefix: true,
    isRead: true,
    security: "apiKey",
    payload: TokenRequest,
    success: TokenAnswer
  },
  /** See docs/api.md#describe-a-token. */
  test: {
    method: "GET",
    path: "/tokens/test",
    isOutsidePrefix: true,
    success: TokenDescription
  }
} as const satisfies { readonly [name: string]: TokenEndpoint }

/** All groups of operations below the prefix, by their name in the HTTP API. */
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

export interface Group {
  readonly [name: string]: Endpoint
}

/** The row of each operation of {@link contract}, with its name in `openapi.json`: that of its group and its own. */
export const listOperations = () =>
  Object.entries(contract).flatMap(([group, endpoints]) =>
    Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => ({
      group,
      name,
      operation: `${group}.${name}`,
      endpoint
    }))
  )

/**
 * The contract: the one table of every operation. The client, the routes of the service with their permission checks, and
 * `openapi.json` are derived from it. It imports nothing that only a server needs, so clients can import it.
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
import { NewReport, Report, ReportFile, ReportFormat, ReportList, ReportPage } from "../domain/Report.ts"
import { AddUsers, TenantList, TenantMemberList } from "../domain/Tenant.ts"
import { TypedEvent } from "../domain/TypedEvent.ts"
import { TokenAnswer, TokenDescription, TokenRequest } from "../domain/Token.ts"
import { integerParameter, nonEmptyText } from "../domain/schema/RequestField.ts"

/** A row of the table. */
export type Endpoint = CursorEndpoint | ListEndpoint | SingleEndpoint

interface EndpointBase {
  /** `group.endpoint`: the method of the client, and the name in `openapi.json`. */
  readonly operation: `${string}.${string}`
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  /** After the prefix. */
  readonly path: `/${string}`
  /** The permission that the API key must have; any valid key may call an operation without it. */
  readonly permission?: Permission
  /** The rate limit that a call counts against. Default: `basic`. */
  readonly tier?: Tier
  /** It changes nothing, so that a client may retry it, as it may retry any GET. */
  readonly isRead?: true
  /** Whether a page may cost a unit of the search quota. */
  readonly costsQuota?: true
  readonly isBeta?: true
  readonly isDeprecated?: true
  /** In the order of the path. */
  readonly params?: Fields
  readonly query?: Fields | Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown>
  /** The fields of the query that the client's method takes as arguments of their own, as it takes `params`. */
  readonly keys?: ReadonlyArray<string>
  /** A warning before a request is sent, although the request is valid. */
  readonly warning?: (request: unknown) => string | undefined
  /** Whether its path is relative to the base URL, without the prefix. */
  readonly isOutsidePrefix?: true
  /** How it can fail beside what any operation can fail with. */
  readonly failures?: ReadonlyArray<"NotFound" | "V2Failure">
}

/** A listing by cursor. */
interface CursorEndpoint extends EndpointBase {
  readonly media?: undefined
  /** The client's method that reads it page by page. */
  readonly pages: string
  readonly isList?: undefined
  readonly success: Schema.Codec<Page<unknown>, unknown>
}

/** A list that is not paged. */
interface ListEndpoint extends EndpointBase {
  readonly media?: undefined
  readonly pages?: undefined
  readonly isList: true
  readonly success: Schema.Codec<ReadonlyArray<unknown>, unknown>
}

interface SingleEndpoint extends EndpointBase {
  readonly pages?: undefined
  readonly isList?: undefined
  /** `Schema.Void` if a success has no body, a schema of bytes for a file. */
  readonly success: Schema.Codec<unknown, unknown>
  /** The media types of the answer, if it is a file and not JSON. */
  readonly media?: ReadonlyArray<string>
  /** The field of the answer that the client's method returns. */
  readonly result?: string
  /** For an action on many targets: the field of a target that names it, and how many a request may have. */
  readonly batch?: { readonly target: string; readonly maxTargets: number }
}

/** An operation outside the prefix, which takes a token or, to get one, the key itself. */
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

/** Whether it changes nothing, so that a client may retry it. */
export const isReadOnly = ({ isRead, method }: Pick<EndpointBase, "isRead" | "method">): boolean =>
  isRead === true || method === "GET"

/** The decoded parts of a request. */
export type RequestOf<E> = PartOf<E, "params"> & PartOf<E, "query"> & PartOf<E, "payload">

type PartOf<E, Name extends string> = E extends { readonly [Key in Name]: infer S }
  ? { readonly [Key in Name]: TypeOf<S> }
  : unknown

/** The decoded value of a schema, or of the fields of one. */
export type TypeOf<S> = S extends Schema.Top
  ? S["Type"]
  : S extends Schema.Struct.Fields
    ? Schema.Struct<S>["Type"]
    : never

/** The handler of each operation, for a service: in groups, as in {@link contract}. */
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

// Literals without calls and without members of `Schema`, so that bundlers can drop unused operations.

/** See docs/api.md#search-credentials. */
export const credentials = {
  /** Every match in the whole data set, by `imported_at`. Costs search quota. See docs/api.md#search-credentials. */
  search: {
    operation: "credentials.search",
    method: "POST",
    path: "/v4/credentials/global/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    payload: CredentialSearch,
    costsQuota: true,
    pages: "pages",
    success: CredentialPage
  },
  /** The credentials of all identifiers of the tenant, each once; costs no quota. */
  ofTenant: {
    operation: "credentials.ofTenant",
    method: "GET",
    path: "/v2/me/feed/credentials",
    permission: "Read Tenant",
    query: TenantCredentialList,
    pages: "pagesOfTenant",
    success: CredentialPage
  },
  /**
   * Ignores or remediates credentials by their `credential_hash`, or undoes it. More than 100 are sent in several requests,
   * in their order; a failure has the targets of the requests before it as `done`.
   */
  act: {
    operation: "credentials.act",
    method: "POST",
    path: "/v4/credentials/actions",
    permission: "Write Tenant",
    payload: CredentialAction,
    batch: { target: "credential_hash", maxTargets: maxCredentialTargets },
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#search-events. */
export const events = {
  /** Every match in the whole data set, by `estimated_created_at`. Costs search quota. See docs/api.md#search-events. */
  search: {
    operation: "events.search",
    method: "POST",
    path: "/v4/events/global/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    payload: EventSearch,
    warning: unknownTypesWarning,
    costsQuota: true,
    pages: "pages",
    success: EventPage
  },
  /** The events that were matched to one identifier; costs no quota. See docs/api.md#search-events-of-an-identifier. */
  ofIdentifier: {
    operation: "events.ofIdentifier",
    method: "POST",
    path: "/v4/events/identifiers/:identifier_id/_search",
    permission: "Read Tenant",
    isRead: true,
    params: { identifier_id: idParameter },
    payload: IdentifierEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfIdentifier",
    success: IdentifierEventPage,
    failures: ["NotFound"]
  },
  /**
   * One event in full, with the data of its type, by the `uid` in its metadata. See docs/api.md#retrieve-an-event.
   *
   * @beta
   */
  get: {
    operation: "events.get",
    method: "GET",
    path: "/v4/events/",
    permission: "Read Tenant",
    isBeta: true,
    query: { uid: nonEmptyText },
    keys: ["uid"],
    success: TypedEvent,
    failures: ["NotFound"]
  },
  /**
   * The events of all identifiers of the tenant, each once; costs no quota. Ignored and remediated events are left out
   * unless a filter asks for them.
   */
  ofTenant: {
    operation: "events.ofTenant",
    method: "POST",
    path: "/v4/events/tenant/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    payload: TenantEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfTenant",
    success: IdentifierEventPage
  },
  /** The same for the identifiers of one group. */
  ofGroup: {
    operation: "events.ofGroup",
    method: "POST",
    path: "/v4/events/identifier_groups/:group_id/_search",
    permission: "Read Tenant",
    tier: "search",
    isRead: true,
    params: { group_id: idParameter },
    payload: TenantEventSearch,
    warning: unknownTypesWarning,
    pages: "pagesOfGroup",
    success: IdentifierEventPage,
    failures: ["NotFound"]
  },
  /**
   * Ignores or remediates events, or undoes it. More than 10 are sent in several requests, in their order; a failure has
   * the targets of the requests before it as `done`.
   */
  act: {
    operation: "events.act",
    method: "POST",
    path: "/v4/events/actions",
    permission: "Write Tenant",
    payload: EventAction,
    batch: { target: "uid", maxTargets: maxEventTargets },
    success: noBody,
    failures: ["NotFound"]
  },
  /** Changes the tenant's tags, severity or notes of an event: what is absent stays, null removes. */
  annotate: {
    operation: "events.annotate",
    method: "PATCH",
    path: "/v4/events/tenant/metadata",
    permission: "Write Tenant",
    query: { uid: nonEmptyText },
    keys: ["uid"],
    payload: EventAnnotation,
    success: AnnotatedEvent,
    failures: ["NotFound"]
  },
  /**
   * The credentials or the cookies of a stealer log beyond its first page.
   *
   * @beta
   */
  expand: {
    operation: "events.expand",
    method: "GET",
    path: "/v4/events/_expand",
    permission: "Read Tenant",
    isBeta: true,
    query: ExpandQuery,
    keys: ["uid", "field"],
    pages: "pagesOfExpansion",
    success: ExpandedPage,
    failures: ["NotFound"]
  },
  /** The types that this service filters by, in categories, with texts for people. */
  types: {
    operation: "events.types",
    method: "GET",
    path: "/v4/events/filters/types",
    permission: "Read Tenant",
    result: "categories",
    success: EventTypeList
  },
  /** The severities that this service filters by, with texts for people. */
  severities: {
    operation: "events.severities",
    method: "GET",
    path: "/v4/events/filters/severities",
    permission: "Read Tenant",
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
    operation: "identifiers.createV2",
    method: "POST",
    path: "/v2/assets/",
    permission: "Write Tenant",
    isDeprecated: true,
    payload: NewIdentifier,
    result: "asset",
    success: IdentifierCreated,
    failures: ["V2Failure"]
  },
  /** The identifiers of the tenant, in ascending order. */
  list: {
    operation: "identifiers.list",
    method: "GET",
    path: "/v4/identifiers/",
    permission: "Read Tenant",
    query: MonitoredIdentifierList,
    pages: "pages",
    success: MonitoredIdentifierPage
  },
  /** One identifier. */
  get: {
    operation: "identifiers.get",
    method: "GET",
    path: "/v4/identifiers/:identifier_id",
    permission: "Read Tenant",
    params: { identifier_id: idParameter },
    success: MonitoredIdentifier,
    failures: ["NotFound"]
  },
  /** Starts to monitor an asset. */
  create: {
    operation: "identifiers.create",
    method: "POST",
    path: "/v4/identifiers/",
    permission: "Write Tenant",
    payload: NewMonitoredIdentifier,
    success: MonitoredIdentifier
  },
  /** Changes an identifier, which is then matched again. An absent name, group or `is_disabled` stays. */
  update: {
    operation: "identifiers.update",
    method: "PUT",
    path: "/v4/identifiers/:identifier_id",
    permission: "Write Tenant",
    params: { identifier_id: idParameter },
    payload: MonitoredIdentifierUpdate,
    success: MonitoredIdentifier,
    failures: ["NotFound"]
  },
  /** Deletes an identifier with its matches. A service may take up to an hour to show it. */
  delete: {
    operation: "identifiers.delete",
    method: "DELETE",
    path: "/v4/identifiers/:identifier_id",
    permission: "Write Tenant",
    params: { identifier_id: idParameter },
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#create-an-identifier-group. */
export const identifierGroups = {
  /** See docs/api.md#create-an-identifier-group. */
  create: {
    operation: "identifierGroups.create",
    method: "POST",
    path: "/v2/assets/groups/",
    permission: "Write Tenant",
    payload: NewIdentifierGroup,
    result: "assets_group",
    success: IdentifierGroupCreated,
    failures: ["V2Failure"]
  },
  /** All groups of the tenant. */
  list: {
    operation: "identifierGroups.list",
    method: "GET",
    path: "/v2/assets/groups/",
    permission: "Read Tenant",
    result: "assets_groups",
    success: IdentifierGroupList
  },
  /** One group. */
  get: {
    operation: "identifierGroups.get",
    method: "GET",
    path: "/v2/assets/groups/:group_id",
    permission: "Read Tenant",
    params: { group_id: idParameter },
    result: "assets_group",
    success: IdentifierGroupCreated,
    failures: ["NotFound"]
  },
  /** Renames a group. */
  update: {
    operation: "identifierGroups.update",
    method: "PUT",
    path: "/v2/assets/groups/:group_id",
    permission: "Write Tenant",
    params: { group_id: idParameter },
    payload: NewIdentifierGroup,
    result: "assets_group",
    success: IdentifierGroupCreated,
    failures: ["NotFound", "V2Failure"]
  },
  /** Keeps the identifiers of the group. */
  delete: {
    operation: "identifierGroups.delete",
    method: "DELETE",
    path: "/v2/assets/groups/:group_id",
    permission: "Write Tenant",
    params: { group_id: idParameter },
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#list-recommendations. */
export const recommendations = {
  /** In the service's order. See docs/api.md#list-recommendations. */
  list: {
    operation: "recommendations.list",
    method: "GET",
    path: "/v4/identifier-recommendations/",
    permission: "Read Tenant",
    query: RecommendationList,
    pages: "pages",
    success: RecommendationPage
  },
  /**
   * Accepts recommendations, which creates their identifiers, or rejects them. More than 100 are sent in several requests,
   * in their order; a failure has the targets of the requests before it as `done`.
   */
  act: {
    operation: "recommendations.act",
    method: "POST",
    path: "/v4/identifier-recommendations/actions",
    permission: "Write Tenant",
    payload: RecommendationAction,
    batch: { target: "id", maxTargets: maxRecommendationTargets },
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#matching-policy. */
export const matchingPolicies = {
  /** See docs/api.md#assign-a-matching-policy. */
  assign: {
    operation: "matchingPolicies.assign",
    method: "POST",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    permission: "Write Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy,
    success: noBody,
    failures: ["NotFound"]
  },
  /** By `assigned_at`. See docs/api.md#list-policy-assignments. */
  assignments: {
    operation: "matchingPolicies.assignments",
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    permission: "Read Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    query: PolicyAssignmentList,
    pages: "pagesOfAssignments",
    success: PolicyAssignmentPage,
    failures: ["NotFound"]
  },
  /** All at once, without paging. See docs/api.md#list-policies-of-an-identifier. */
  ofIdentifier: {
    operation: "matchingPolicies.ofIdentifier",
    method: "GET",
    path: "/v4/matching-policies/by_identifier_id/:identifier_id",
    permission: "Read Tenant",
    isBeta: true,
    params: { identifier_id: idParameter },
    isList: true,
    success: AssignedPolicies,
    failures: ["NotFound"]
  },
  /** Also deletes its assignments. See docs/api.md#delete-a-matching-policy. */
  delete: {
    operation: "matchingPolicies.delete",
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid",
    permission: "Write Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    success: noBody,
    failures: ["NotFound"]
  },
  /** All policies of the tenant. */
  list: {
    operation: "matchingPolicies.list",
    method: "GET",
    path: "/v4/matching-policies",
    permission: "Read Tenant",
    isBeta: true,
    query: MatchingPolicyList,
    pages: "pages",
    success: MatchingPolicyPage
  },
  /** A policy has no effect until it is assigned. */
  create: {
    operation: "matchingPolicies.create",
    method: "POST",
    path: "/v4/matching-policies",
    permission: "Write Tenant",
    isBeta: true,
    payload: NewMatchingPolicy,
    success: MatchingPolicy
  },
  /** One policy. */
  get: {
    operation: "matchingPolicies.get",
    method: "GET",
    path: "/v4/matching-policies/:policy_uuid",
    permission: "Read Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    success: MatchingPolicy,
    failures: ["NotFound"]
  },
  /** Applies to what is matched from then on. */
  update: {
    operation: "matchingPolicies.update",
    method: "PUT",
    path: "/v4/matching-policies/:policy_uuid",
    permission: "Write Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: MatchingPolicyUpdate,
    success: MatchingPolicy,
    failures: ["NotFound"]
  },
  /** Takes a policy from identifiers. */
  unassign: {
    operation: "matchingPolicies.unassign",
    method: "DELETE",
    path: "/v4/matching-policies/:policy_uuid/assignments",
    permission: "Write Tenant",
    isBeta: true,
    params: { policy_uuid: PolicyUuid },
    payload: AssignPolicy,
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#create-a-report. */
export const reports = {
  /** See docs/api.md#create-a-report. */
  create: {
    operation: "reports.create",
    method: "POST",
    path: "/v2/reporting/reports",
    permission: "Write Tenant",
    payload: NewReport,
    success: noBody,
    failures: ["V2Failure"]
  },
  /** Reports of the tenant. */
  list: {
    operation: "reports.list",
    method: "GET",
    path: "/v4/reports",
    permission: "Read Tenant",
    query: ReportList,
    pages: "pages",
    success: ReportPage
  },
  /** One report, without its content. */
  get: {
    operation: "reports.get",
    method: "GET",
    path: "/v4/reports/:report_id",
    permission: "Read Tenant",
    params: { report_id: textParameter },
    success: Report,
    failures: ["NotFound"]
  },
  /** The bytes of a report as a file. */
  download: {
    operation: "reports.download",
    method: "GET",
    path: "/v4/reports/:report_id/download",
    permission: "Read Tenant",
    params: { report_id: textParameter },
    query: { format: ReportFormat },
    keys: ["format"],
    media: ["application/pdf", "text/csv"],
    success: ReportFile,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#add-users-to-a-tenant. */
export const tenants = {
  /** Needs the permission Write Tenant Admin. See docs/api.md#add-users-to-a-tenant. */
  addUsers: {
    operation: "tenants.addUsers",
    method: "POST",
    path: "/v2/tenants/:tenant_id/users",
    permission: "Write Tenant Admin",
    params: { tenant_id: idParameter },
    payload: AddUsers,
    success: noBody,
    failures: ["V2Failure", "NotFound"]
  },
  /** The tenants that the person behind the key may act for. */
  mine: {
    operation: "tenants.mine",
    method: "GET",
    path: "/v2/me/tenants",
    result: "tenants",
    success: TenantList
  },
  /** Who belongs to a tenant. */
  users: {
    operation: "tenants.users",
    method: "GET",
    path: "/v2/tenants/:tenant_id/users",
    permission: "Read Tenant",
    params: { tenant_id: idParameter },
    result: "users",
    success: TenantMemberList,
    failures: ["NotFound"]
  },
  /** Needs the permission Write Tenant Admin. */
  removeUser: {
    operation: "tenants.removeUser",
    method: "DELETE",
    path: "/v2/tenants/:tenant_id/users/:user_id",
    permission: "Write Tenant Admin",
    params: { tenant_id: idParameter, user_id: idParameter },
    success: noBody,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** See docs/api.md#ask-for-intelligence. */
export const intel = {
  /** Returns the id of the request. See docs/api.md#ask-for-intelligence. */
  ask: {
    operation: "intel.ask",
    method: "POST",
    path: "/v4/threat_flow/intel/requests",
    permission: "Write Tenant",
    payload: IntelQuestion,
    success: IntelRequest
  },
  /** The state of a question, by the `request_id` of its request. */
  get: {
    operation: "intel.get",
    method: "GET",
    path: "/v4/threat_flow/reports/requests/:request_id",
    permission: "Read Tenant",
    params: { request_id: textParameter },
    success: IntelAnswer,
    failures: ["NotFound"]
  }
} as const satisfies Group

/** Outside the prefix; any valid API key may call them. See docs/api.md#authentication. */
export const tokens = {
  /** See docs/api.md#exchange-an-api-key. */
  generate: {
    operation: "tokens.generate",
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
    operation: "tokens.test",
    method: "GET",
    path: "/tokens/test",
    isOutsidePrefix: true,
    success: TokenDescription
  }
} as const satisfies { readonly [name: string]: TokenEndpoint }

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

export interface Group {
  readonly [name: string]: Endpoint
}

/** Declares the tools for agents. Untrusted text appears only in members named `untrusted_…` or inside `data`. */
import { credentialQueryTypes } from "@threat-exposure/core/domain/Credential"
import { EventStatus, maxEventTargets } from "@threat-exposure/core/domain/Event"
import { identifierTypes, searchTypes } from "@threat-exposure/core/domain/Identifier"
import { recommendationStatuses } from "@threat-exposure/core/domain/Recommendation"
import { severities } from "@threat-exposure/core/domain/Severity"
import { TriageAction } from "@threat-exposure/core/domain/Triage"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { answerFields, defaultAnswer, maxAnswer, ToolFailed } from "./Answer.ts"

const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

const from = optional(Schema.String, "The value of next in an earlier answer")
const time = (what: string) =>
  optional(Schema.String, `${what}: 2026-01-31, 2026-01-31T08:00:00Z, or a span before now such as 30d`)
const size = (most: number) =>
  optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })), `Items in the answer, at most ${most}`)

const maxBytes = optional(
  Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: maxAnswer })),
  `Bytes of the answer, ${defaultAnswer} by default and at most ${maxAnswer}: agents cut what is longer`
)

/**
 * Arguments of a tool. Uses only schemas without identifiers: these would become `$ref` in the input schema, which
 * several agents do not resolve. The error for an unknown argument lists the known ones.
 */
const parametersOf = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: `is not an argument of this tool, which takes ${Object.keys(fields).join(", ")}`
  })

const truncated = Schema.Boolean.annotate({ description: "Whether the item was too large and was cut" })

// Strict: if an unknown argument were ignored, a search without the intended filter would return other results at the
// same cost.
const writing = Context.make(Tool.Strict, true).pipe(Context.add(Tool.Destructive, false))
const reading = writing.pipe(Context.add(Tool.Readonly, true))

const eventFields = {
  uid: Schema.String,
  type: Schema.String,
  severity: Schema.String,
  estimated_created_at: Schema.NullOr(Schema.String),
  matched_at: Schema.NullOr(Schema.String),
  link: Schema.NullOr(Schema.String),
  untrusted_title: Schema.NullOr(Schema.String),
  untrusted_highlights: Schema.Unknown,
  truncated
}

const EventItem = Schema.Struct(eventFields)

export const SearchEvents = Tool.make("search_events", {
  description:
    "Search events: what was found in breach dumps, stealer logs, pastes, forums and other sources. One search per call, none with identifier_id. Secrets are redacted.",
  parameters: parametersOf({
    query: optional(Schema.NonEmptyString, "Words, phrases in quotes, AND, OR, NOT"),
    identifier_id: optional(Schema.Int, "Only events that were matched to this identifier; costs no searches"),
    types: optional(
      Schema.Array(Schema.String),
      "Types of events, such as leak, stealer_log; with identifier_id, fewer: an error lists them"
    ),
    severities: optional(Schema.Array(Schema.Literals(severities)), "Severities"),
    since: time("Created at or after"),
    until: time("Created at or before"),
    size: size(10),
    max_bytes: maxBytes,
    from
  }),
  success: Schema.Struct({ ...answerFields, events: Schema.Array(EventItem) }),
  failure: ToolFailed
}).annotateMerge(reading)

const TenantEventItem = Schema.Struct({
  ...eventFields,
  status: Schema.Literals(EventStatus.literals),
  identifier_ids: Schema.Array(Schema.Int),
  tags: Schema.Array(Schema.String)
})

export const ListTenantEvents = Tool.make("list_tenant_events", {
  description:
    "List the events that were matched to any identifier of the tenant, newest first, each once. Costs no searches. Without status, ignored and remediated events are left out. Secrets are redacted.",
  parameters: parametersOf({
    query: optional(Schema.NonEmptyString, "Words, phrases in quotes, AND, OR, NOT"),
    types: optional(Schema.Array(Schema.String), "Types of events, such as leak, stealer_log"),
    severities: optional(Schema.Array(Schema.Literals(severities)), "Severities"),
    status: optional(Schema.Array(Schema.Literals(EventStatus.literals)), "States of events"),
    tags: optional(Schema.Array(Schema.String), "Tags of the tenant"),
    since: time("Created at or after"),
    until: time("Created at or before"),
    size: size(10),
    max_bytes: maxBytes,
    from
  }),
  success: Schema.Struct({ ...answerFields, events: Schema.Array(TenantEventItem) }),
  failure: ToolFailed
}).annotateMerge(reading)

export const ListIdentifiers = Tool.make("list_identifiers", {
  description: "List what the tenant monitors. Costs no searches. Secrets are redacted.",
  parameters: parametersOf({
    types: optional(Schema.Array(Schema.String), "Types of identifiers, such as domain, keyword, identity"),
    is_disabled: optional(Schema.Boolean, "Only disabled ones, or only enabled ones"),
    size: size(100),
    max_bytes: maxBytes,
    from
  }),
  success: Schema.Struct({
    ...answerFields,
    identifiers: Schema.Array(
      Schema.Struct({
        id: Schema.Int,
        name: Schema.NullOr(Schema.String),
        type: Schema.String,
        matches: Schema.String,
        is_disabled: Schema.Boolean,
        group_id: Schema.NullOr(Schema.Int),
        event_count: Schema.NullOr(Schema.Int),
        truncated
      })
    )
  }),
  failure: ToolFailed
}).annotateMerge(reading)

export const ListPolicies = Tool.make("list_policies", {
  description: "List the matching policies of the tenant: which events match an identifier. Costs no searches.",
  parameters: parametersOf({ size: size(25), max_bytes: maxBytes, from }),
  success: Schema.Struct({
    ...answerFields,
    policies: Schema.Array(
      Schema.Struct({
        uuid: Schema.String,
        name: Schema.String,
        policy_type: Schema.String,
        value: Schema.Unknown,
        truncated
      })
    )
  }),
  failure: ToolFailed
}).annotateMerge(reading)

export const GetEvent = Tool.make("get_event", {
  description: "Get one event in full by its uid. Secrets are redacted; a large event is cut and marked truncated.",
  parameters: parametersOf({
    uid: Schema.NonEmptyString.annotate({ description: "The uid, as in the results of search_events" }),
    max_bytes: maxBytes
  }),
  success: Schema.Struct({
    ...answerFields,
    uid: Schema.String,
    event_type: Schema.String,
    truncated,
    data: Schema.Unknown
  }),
  failure: ToolFailed
}).annotateMerge(reading)

const CredentialItem = Schema.Struct({
  id: Schema.Int,
  untrusted_account: Schema.String,
  untrusted_domain: Schema.NullOr(Schema.String),
  source_id: Schema.String,
  untrusted_source_name: Schema.NullOr(Schema.String),
  imported_at: Schema.String,
  password: Schema.Literals(["clear", "hashed", "none"]).annotate({
    description: "How the leaked password is stored. The password itself is never returned"
  }),
  truncated
})

export const SearchCredentials = Tool.make("search_credentials", {
  description: "Search leaked credentials. One search per call and 100 results. Passwords are never returned.",
  parameters: parametersOf({
    type: Schema.Literals(credentialQueryTypes).annotate({
      description:
        "domain: accounts whose address is in it; auth_domain: accounts that log in to it; email: exactly this address; keyword: user name; secret: accounts with this password"
    }),
    value: Schema.NonEmptyString.annotate({
      description: "What to search for; removed from the answer where type is secret"
    }),
    since: time("Imported at or after"),
    size: size(100),
    max_bytes: maxBytes,
    from
  }),
  success: Schema.Struct({ ...answerFields, credentials: Schema.Array(CredentialItem) }),
  failure: ToolFailed
}).annotateMerge(reading)

const checkFields = {
  verdict: Schema.Literals(["clean", "leaked", "incomplete", "skipped"]),
  ...answerFields,
  truncated,
  data: Schema.Unknown.annotate({ description: "The report of the check, without values" })
}

export const CheckText = Tool.make("check_text", {
  description: "Find secrets in a text, search for each, and report which have leaked. Two searches per secret.",
  parameters: parametersOf({ text: Schema.String, max_bytes: maxBytes }),
  success: Schema.Struct(checkFields),
  failure: ToolFailed
}).annotateMerge(reading)

export const CheckRepository = Tool.make("check_repository", {
  description:
    "Find secrets in a git repository on this machine, search for each, and report which have leaked. Its config file and its ignore file apply. Two searches per secret.",
  parameters: parametersOf({
    path: Schema.NonEmptyString.annotate({
      description:
        "A folder of the repository, below one of the roots that the server was started with; the whole repository is checked"
    }),
    scope: optional(Schema.Literals(["changes", "tree"]), "changes: not committed yet (default); tree: every file"),
    max_bytes: maxBytes
  }),
  success: Schema.Struct(checkFields),
  failure: ToolFailed
}).annotateMerge(reading)

export const ListRecommendations = Tool.make("list_recommendations", {
  description: "List what the service suggests to monitor. Costs no searches.",
  parameters: parametersOf({
    status: Schema.optionalKey(Schema.Literals(recommendationStatuses)),
    size: size(100),
    max_bytes: maxBytes,
    from
  }),
  success: Schema.Struct({
    ...answerFields,
    recommendations: Schema.Array(
      Schema.Struct({
        id: Schema.Int,
        status: Schema.NullOr(Schema.String),
        relevancy: Schema.NullOr(Schema.String),
        updated_at: Schema.NullOr(Schema.String),
        data: Schema.Unknown,
        truncated
      })
    )
  }),
  failure: ToolFailed
}).annotateMerge(reading)

export const Quota = Tool.make("quota", {
  description: "How many searches are left. Costs none; unknown before the first search of the session.",
  parameters: Schema.Record(Schema.String, Schema.Never.annotate({ message: "This tool takes no arguments" })),
  success: Schema.Struct(answerFields),
  failure: ToolFailed
}).annotateMerge(reading)

export const CreateIdentifier = Tool.make("create_identifier", {
  description: "Create an identifier, which is monitored from then on. No tool can undo this.",
  parameters: parametersOf({
    name: Schema.String,
    type: Schema.optionalKey(Schema.Literals(identifierTypes)),
    search_types: Schema.optionalKey(Schema.Array(Schema.Literals(searchTypes))),
    data: optional(Schema.Record(Schema.String, Schema.Unknown), "What it matches, by its type"),
    experimental_search_types: Schema.optionalKey(Schema.Array(Schema.String)),
    risks: Schema.optionalKey(Schema.Array(Schema.Int))
  }),
  success: Schema.Struct({ ...answerFields, id: Schema.Int, type: Schema.String }),
  failure: ToolFailed
}).annotateMerge(writing)

export const ActOnEvents = Tool.make("act_on_events", {
  description:
    "Ignore events, which are then of no interest, or remediate them, which are then dealt with; or undo it. Listings of the tenant leave both out. If one uid is unknown, nothing is done.",
  parameters: parametersOf({
    uids: Schema.Array(Schema.NonEmptyString)
      .check(Schema.isMinLength(1), Schema.isMaxLength(maxEventTargets))
      .annotate({ description: `1 to ${maxEventTargets} uids, as in the results of list_tenant_events` }),
    action: Schema.Literals(TriageAction.literals)
  }),
  success: Schema.Struct({ ...answerFields, action: Schema.String, uids: Schema.Array(Schema.String) }),
  failure: ToolFailed
}).annotateMerge(writing)

export const AnnotateEvent = Tool.make("annotate_event", {
  description:
    "Replace the tags, the severity or the notes that the tenant gives an event. What is absent stays; null removes it.",
  parameters: parametersOf({
    uid: Schema.NonEmptyString.annotate({ description: "The uid, as in the results of list_tenant_events" }),
    tags: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
    severity: Schema.optionalKey(Schema.NullOr(Schema.Literals(severities))),
    notes: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  success: Schema.Struct({
    ...answerFields,
    uid: Schema.String,
    tags: Schema.Array(Schema.String),
    severity: Schema.NullOr(Schema.String),
    notes: Schema.NullOr(Schema.String)
  }),
  failure: ToolFailed
}).annotateMerge(writing)

export const UpdateIdentifier = Tool.make("update_identifier", {
  description:
    "Rename, enable or disable an identifier, or change which types and severities of events it matches. It is then matched again. What is absent stays.",
  parameters: parametersOf({
    id: Schema.Int.annotate({ description: "The id, as in the results of list_identifiers" }),
    name: optional(Schema.NonEmptyString, "A name for people"),
    is_disabled: optional(Schema.Boolean, "A disabled identifier matches nothing new, and keeps what it has"),
    categories: optional(Schema.Array(Schema.String), "Types of events that it matches; empty for all"),
    severities: optional(Schema.Array(Schema.Literals(severities)), "Severities that it matches; empty for all")
  }),
  success: Schema.Struct({
    ...answerFields,
    id: Schema.Int,
    name: Schema.NullOr(Schema.String),
    is_disabled: Schema.Boolean
  }),
  failure: ToolFailed
}).annotateMerge(writing)

/** Tools that need the permission Read Tenant. */
export const ReadTools = Toolkit.make(
  SearchEvents,
  ListTenantEvents,
  ListIdentifiers,
  ListPolicies,
  GetEvent,
  SearchCredentials,
  CheckText,
  CheckRepository,
  ListRecommendations,
  Quota
)

/** Tools that need the permission Write Tenant and `--allow-writes`. */
export const WriteTools = Toolkit.make(CreateIdentifier, UpdateIdentifier, ActOnEvents, AnnotateEvent)

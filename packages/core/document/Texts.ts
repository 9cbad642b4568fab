/** Texts of `openapi.json` and docs/api.md about operations and fields, in Markdown; links refer to docs/api.md. */

const cursorText = "The `next` of the previous page, with everything else but `size` unchanged."

export interface OperationText {
  /** The heading of the operation. */
  readonly summary: string
  readonly description: string
  /** Whether it is part of the common specification. */
  readonly isSpecified?: true
  /** Descriptions of path and query parameters by name, unless {@link parameterTexts} has them. */
  readonly parameters?: { readonly [name: string]: string }
}

/** Default descriptions of parameters by name; an operation may override them. */
export const parameterTexts: { readonly [name: string]: string } = {
  from: cursorText,
  group_id: "The id of the group.",
  identifier_id: "The id of the identifier.",
  policy_uuid: "The uuid of the policy.",
  report_id: "The id of the report.",
  tenant_id: "The tenant. A tenant other than the one of the key answers 404."
}

export const operationTexts: { readonly [operation: string]: OperationText } = {
  "credentials.search": {
    summary: "Search credentials",
    description: "Searches the credentials of the whole data set.",
    isSpecified: true
  },
  "credentials.ofTenant": {
    summary: "List the credentials of the tenant",
    description: "Lists the credentials that any enabled identifier of the tenant matches, each once.",
    parameters: {
      size: "Items in the page: 1 to 100, default 20.",
      order_type: "`desc` (default): newest import first. `asc`: oldest first."
    }
  },
  "credentials.act": {
    summary: "Act on credentials",
    description:
      "Sets the state of credentials for the tenant: ignored, remediated or open. Their listing shows it as `ignored_at` or `remediated_at`."
  },
  "events.search": {
    summary: "Search events",
    description: "Searches the events of the whole data set.",
    isSpecified: true
  },
  "events.ofIdentifier": {
    summary: "Search events of an identifier",
    description: "Searches the events that were matched to one identifier.",
    isSpecified: true
  },
  "events.get": {
    summary: "Retrieve an event",
    description: "Returns one event in full, with the data of its type.",
    isSpecified: true,
    parameters: {
      uid: "The `uid` of the event's metadata, at least one character. It contains slashes, so encode it whole: `bot%2Fsource%2F1`. The name of the parameter is _not specified_."
    }
  },
  "events.expand": {
    summary: "Expand a stealer log",
    description:
      "Lists the credentials or the cookies of a [stealer log](#stealer_log), page by page from the first on. Any event can be expanded, as any event can be retrieved; one without such a list has an empty page.",
    parameters: {
      uid: "The `uid` of the event's metadata, encoded as a whole.",
      field: "The list.",
      size: "Items in the page: 1 to 20, default 20."
    }
  },
  "events.ofTenant": {
    summary: "Search events of the tenant",
    description:
      "Searches the events that were matched to any identifier of the tenant, enabled or not, each once. Ignored and remediated events are left out unless a filter asks for them."
  },
  "events.ofGroup": {
    summary: "Search events of a group",
    description:
      "Searches the events that were matched to any identifier of the [group](#create-an-identifier-group), each once, with the identifiers of the group that it was matched to."
  },
  "events.types": {
    summary: "List the types of events",
    description: "Lists the types that a search of the tenant's events can filter by, in categories."
  },
  "events.severities": {
    summary: "List the severities of events",
    description: "Lists the severities that a search can filter by, from least to most severe."
  },
  "events.act": {
    summary: "Act on events",
    description:
      "Sets the state of events for the tenant: ignored, remediated or open. It is the same for every identifier that an event matches."
  },
  "events.annotate": {
    summary: "Annotate an event",
    description:
      "Changes the tags, the notes or the severity that the tenant gives an event. A field that is absent stays as it is.",
    parameters: {
      uid: "The `uid` of the event's metadata, at least one character, encoded whole."
    }
  },
  "identifiers.createV2": {
    summary: "Create an identifier",
    description:
      "Creates an identifier: an asset that is monitored from then on. Deprecated in favour of [Add an identifier](#add-an-identifier).",
    isSpecified: true
  },
  "identifiers.list": {
    summary: "List identifiers",
    description: "Lists what the tenant monitors.",
    parameters: {
      order_by:
        "Ascending, by id where absent. Names and types are compared by code unit; equal ones are listed by id.",
      is_disabled: "Only disabled identifiers, or only enabled ones.",
      group_id: "Only identifiers of this group.",
      types: "Only identifiers whose `data` has one of these types. Repeat the parameter for more.",
      authorization_status: "In this service, every identifier is `authorized`.",
      size: "Items in the page: 1 to 100, default 20."
    }
  },
  "identifiers.get": {
    summary: "Retrieve an identifier",
    description: "Returns one identifier."
  },
  "identifiers.create": {
    summary: "Add an identifier",
    description:
      "Creates an identifier: an asset that is monitored from then on. It replaces [Create an identifier](#create-an-identifier)."
  },
  "identifiers.update": {
    summary: "Change an identifier",
    description: "Changes, disables or enables an identifier."
  },
  "identifiers.delete": {
    summary: "Delete an identifier",
    description:
      "Deletes an identifier with its matches and its policy assignments. The events stay for other identifiers."
  },
  "identifierGroups.create": {
    summary: "Create an identifier group",
    description: "Creates a group of identifiers.",
    isSpecified: true
  },
  "identifierGroups.list": {
    summary: "List identifier groups",
    description: "Lists all groups of the tenant, by id."
  },
  "identifierGroups.get": {
    summary: "Retrieve an identifier group",
    description: "Returns one group."
  },
  "identifierGroups.update": {
    summary: "Change an identifier group",
    description:
      "Renames a group. The body is a `NewIdentifierGroup`; its `id` and `tenant_id` are ignored, and what is absent stays."
  },
  "identifierGroups.delete": {
    summary: "Delete an identifier group",
    description: "Deletes a group. Its identifiers stay, without a group."
  },
  "recommendations.list": {
    summary: "List recommendations",
    description: "Lists identifiers that the service suggests to monitor.",
    isSpecified: true,
    parameters: {
      query: "Recommendations whose data contains this text, in any case.",
      types: "Recommendations of one of these types. Repeat the parameter for more.",
      status: "Recommendations in this state.",
      size: "Items in the page: 1 to 100, default 100."
    }
  },
  "recommendations.act": {
    summary: "Act on recommendations",
    description:
      "Accepts or rejects recommendations. The client has a method for each, `client.recommendations.accept` and `client.recommendations.reject`, too."
  },
  "matchingPolicies.list": {
    summary: "List matching policies",
    description: "Lists the matching policies of the tenant, by time of creation.",
    parameters: {
      order: "`desc` (default): newest first. `asc`: oldest first.",
      size: "Items in the page: 1 to 25, default 25."
    }
  },
  "matchingPolicies.create": {
    summary: "Create a matching policy",
    description: "Creates a [matching policy](#matching-policy). It has no effect until it is assigned."
  },
  "matchingPolicies.assign": {
    summary: "Assign a matching policy",
    description:
      "Assigns a [matching policy](#matching-policy) to identifiers. From then on, the policy decides which events match them.",
    isSpecified: true
  },
  "matchingPolicies.assignments": {
    summary: "List policy assignments",
    description: "Lists the identifiers that a matching policy is assigned to.",
    isSpecified: true,
    parameters: {
      order: "`desc` (default): newest first. `asc`: oldest first.",
      size: "Items in the page: 1 to 100, default 25."
    }
  },
  "matchingPolicies.ofIdentifier": {
    summary: "List policies of an identifier",
    description: "Lists the matching policies of one identifier, all at once.",
    isSpecified: true
  },
  "matchingPolicies.get": {
    summary: "Retrieve a matching policy",
    description: "Returns one matching policy."
  },
  "matchingPolicies.update": {
    summary: "Change a matching policy",
    description: "Changes the name and the value of a matching policy. Its type stays."
  },
  "matchingPolicies.unassign": {
    summary: "Unassign a matching policy",
    description:
      "Takes a matching policy from identifiers. The body is that of the [assignment](#assign-a-matching-policy); `clean_past_events` has no effect."
  },
  "matchingPolicies.delete": {
    summary: "Delete a matching policy",
    description: "Deletes a matching policy and its assignments.",
    isSpecified: true
  },
  "reports.create": {
    summary: "Create a report",
    description: "Creates a report of the tenant's events.",
    isSpecified: true
  },
  "reports.list": {
    summary: "List reports",
    description: "Lists the reports of the tenant.",
    parameters: {
      order_by: "`id`, `title`, `author`, `created_at` (default), `updated_at` or `status`.",
      order_type: "`desc` (default) or `asc`.",
      include_archived: "No effect: this service has no archived reports.",
      size: "Items in the page: 1 to 100, default 20."
    }
  },
  "reports.get": {
    summary: "Retrieve a report",
    description: "Returns one report, without its content."
  },
  "reports.download": {
    summary: "Download a report",
    description:
      "Returns a report as a file. It is about the events of the tenant, whatever their state, in the longest `time_interval` before the report was created, by `estimated_created_at`. Secrets in titles are masked.",
    parameters: {
      format: "The form of the file."
    }
  },
  "tenants.addUsers": {
    summary: "Add users to a tenant",
    description: "Makes users members of a tenant.",
    isSpecified: true,
    parameters: {
      tenant_id: "The tenant. _Not specified:_ a tenant other than the one of the key answers 404."
    }
  },
  "tenants.mine": {
    summary: "List the tenants of the key",
    description: "Lists the tenants that the person behind the key may act for."
  },
  "tenants.users": {
    summary: "List the users of a tenant",
    description: "Lists who belongs to a tenant, by id."
  },
  "tenants.removeUser": {
    summary: "Remove a user from a tenant",
    description: "Ends the membership of a user.",
    parameters: {
      user_id: "The user. One who does not belong to the tenant answers 404."
    }
  },
  "intel.ask": {
    summary: "Ask for intelligence",
    description: "Submits a question to the threat-intelligence generator.",
    isSpecified: true
  },
  "intel.get": {
    summary: "Retrieve an answer",
    description:
      "Returns the status of a question and, once the operator has answered it with `intel answer`, its report.",
    parameters: {
      request_id: "The `request_id` of the question."
    }
  },
  "tokens.generate": {
    summary: "Exchange an API key",
    description:
      "Exchanges an API key for a token that is valid for one hour. The key itself does not expire unless it was created with an expiry."
  },
  "tokens.test": {
    summary: "Describe a token",
    description: "Describes the token of the request."
  }
}

/** The descriptions of the groups of operations. */
export const groupTexts: { readonly [group: string]: string } = {
  credentials: "Leaked credentials",
  events: "Events: what was found, and where",
  identifiers: "Monitored assets",
  identifierGroups: "Groups of monitored assets",
  recommendations: "Suggested identifiers",
  matchingPolicies: "Which events match an identifier (beta)",
  reports: "Reports",
  tenants: "Membership of tenants",
  intel: "Threat-intelligence requests",
  tokens: "API keys and tokens"
}

const policy = {
  policy_type: "One of the [types](#matching-policy); another one is an `OtherPolicy`.",
  value: "In the shape of its [type](#matching-policy)."
}

const newPolicy = {
  name: "At least one character.",
  type: "`INCLUDED_KEYWORDS`, `EXCLUDED_KEYWORDS`, `LUCENE_QUERY`, `ASTP_DOMAIN` or `ASTP_COOKIES`.",
  value: "In the shape of the [type](#matching-policy)."
}

const eventSearch = {
  size: "Items in the page: 1 to 10, default 10 (_not specified_).",
  from: cursorText,
  order: "`desc` (default): newest first. `asc`: oldest first."
}

const eventFilters = {
  severity:
    "One severity: events of that severity or a higher one. A list: events of one of its members. _Not specified:_ an override of the tenant counts instead of the event's own severity.",
  estimated_created_at: "Bounds on the time of the event. Each is a date or a [timestamp](#timestamps).",
  type: "Events of one of these types."
}

const stateFilters = {
  tags: "Events that have all of these tags (_not specified_: all, not any).",
  is_ignored: "Deprecated, use `status`. If true, ignored events only.",
  is_remediated: "Deprecated, use `status`. If true, remediated events only."
}

const page = {
  items: "The resources of this page. It may be empty in the middle of a listing.",
  next: "The cursor of the next page; null on the last page, and only there."
}

/**
 * Descriptions of fields by schema. Names of nested fields are joined by dots, and the name of a list of objects ends
 * in `[]`. A field with a self-explanatory name has no description.
 */
export const fieldTexts: { readonly [schema: string]: { readonly [field: string]: string } } = {
  TokenRequest: {
    tenant_id: "The tenant that the token is for. _Not specified:_ a tenant other than the one of the key answers 403."
  },
  TokenAnswer: {
    token: "The token to send as `Bearer`.",
    refresh_token_exp:
      "Seconds since 1970. It is not the expiry of the token; the token is valid for one hour. _Not specified:_ this service gives the time until which the key can be exchanged, at most a year ahead."
  },
  TokenDescription: {
    tenant_id: "The tenant of the token.",
    user_id: "The user of the token. This service's keys belong to no user: null.",
    scopes: "What the API key may do, in the words of [Permissions](#permissions)."
  },
  CredentialPage: page,
  EventPage: page,
  IdentifierEventPage: page,
  ExpandedPage: page,
  MonitoredIdentifierPage: page,
  RecommendationPage: page,
  MatchingPolicyPage: page,
  PolicyAssignmentPage: page,
  ReportPage: page,
  ValidationError: {
    detail: "One entry for each fault."
  },
  ValidationFault: {
    loc: "The place of the fault. In this service: `body`, `query` or `path`, then names of fields and indexes in lists.",
    msg: "What is wrong, for people.",
    type: "What is wrong, for programs: see [Errors](#errors).",
    input: "The value at fault. This service never sends it, because it may be a secret.",
    ctx: 'Numbers and words of the rule: `{ "ge": 1 }`.'
  },
  V4Error: {
    "error.code": "What is wrong, for programs.",
    "error.message": "What is wrong, for people.",
    "error.data": "More about it."
  },
  V2Error: {
    message: "What is wrong, for people.",
    code: "What is wrong, for programs."
  },
  CredentialSearch: {
    from: cursorText,
    size: "Items in the page: 1 to 10,000, default 10.",
    include: "Fields that are sent only on request: `known_password_id`, `auth_domains`, `urls`.",
    order: "`desc` (default): newest import first. `asc`: oldest first."
  },
  CredentialFilters: {
    imported_at: "Inclusive bounds on the time of import. Each is a [timestamp](#timestamps)."
  },
  CredentialQuery: {
    domain: "Credentials whose address is in that domain.",
    auth_domain: "Credentials that somebody used to log in to a host of that domain.",
    secret: "Credentials with that password.",
    email: "Credentials of that e-mail address.",
    keyword: "Credentials whose user name, the part of `identity_name` before the `@`, matches the keyword."
  },
  CredentialAction: {
    "targets[]": "The credentials: 1 to 100.",
    "targets[].credential_hash": "The `credential_hash` of one or more credentials."
  },
  EventSearch: {
    query: "What to find; every event without it.",
    ...eventSearch
  },
  EventFilters: eventFilters,
  EventQuery: {
    domain: "Events with a host name, URL or e-mail address of the domain or of a subdomain, in any field or text.",
    email: "Events with that address, in any field or text.",
    keyword: "Events with the words of the keyword one after another, in any field; the first 128 of them.",
    query_string: "Events that the [search language](#search-language) finds.",
    username:
      "Events with an account of that name: an author, the login of a victim, the part of a leaked address before the `@`, an `@mention`.",
    github_repository: "Events with a link to the repository, or a field that names it.",
    brand: "Events with the words of the name one after another, in any field.",
    name: "Events with both names anywhere in the event; with `is_strict`, side by side.",
    bin: "Events with a card whose number begins with these six to eight digits; five digits find only a BIN of these five.",
    ip: "Events with that IPv4 or IPv6 address, however it is written.",
    credentials: "Events with that account together with exactly that password.",
    secret: "Events with exactly that password, key or token, in a field or in a text.",
    azure_tenant: "Events with that tenant's UUID, or its `….onmicrosoft.com` domain."
  },
  IdentifierEventSearch: {
    query: "Narrows the events of the identifier.",
    ...eventSearch
  },
  IdentifierEventFilters: {
    ...eventFilters,
    ...stateFilters,
    status: "Events in one of these states."
  },
  StealerLogCredential: {
    url: "Where it was used to log in.",
    password: "Secret.",
    application: "The program that had stored it."
  },
  StealerLogCookie: {
    host_key: "The host that had set it.",
    expires_utc: "As the log has it.",
    value: "Secret."
  },
  TenantEventSearch: {
    query: "Narrows the events of the tenant.",
    ...eventSearch
  },
  TenantEventFilters: {
    ...eventFilters,
    type: "Events of one of these types. Unknown types answer 422.",
    ...stateFilters,
    status: "Events in one of these states; open ones without this field.",
    materialized_at:
      "Bounds on the time at which the event reached the tenant. With one of them, `order` goes by this time."
  },
  EventTypeList: {
    "categories[].value": "The name of the category.",
    "categories[].label": "A text for people.",
    "categories[].types[].value": "The type in a filter.",
    "categories[].types[].label": "A text for people."
  },
  SeverityList: {
    "severities[].value": "The severity in a filter.",
    "severities[].label": "A text for people.",
    "severities[].color": "The color that it is shown in, such as `#dc2626`."
  },
  EventAction: {
    "targets[]": "The events: 1 to 10.",
    "targets[].uid": "The `uid` of the event's metadata."
  },
  EventAnnotation: {
    tags: "At most 50 of at most 100 characters. Their order is kept; of equal ones the first stays. Null removes all of them.",
    severity: "Counts instead of the event's own severity in filters and in what is shown. Null removes it.",
    notes: "At most 10,000 characters. Null removes them."
  },
  AnnotatedEvent: {
    notes: "Empty if there are none.",
    severity: "The override; null if there is none."
  },
  NewIdentifier: {
    name: "At least one character. Which other fields are required is _not specified_; this service requires no other.",
    type: "_Not specified:_ default `keyword`.",
    search_types: "The [types of events](#event-types) that may match; every type if it is empty.",
    data: "What to look for, by type: see [Identifier](#identifier).",
    experimental_search_types: "Further types of events that may match. Every type may match if both lists are empty.",
    risks: "Stored and returned."
  },
  NewMonitoredIdentifier: {
    data: "What to look for.",
    name: "At least one character. Default: the value of `data`.",
    categories: "The [types of events](#event-types) that may match.",
    emerging_categories: "Further types. Every type may match if both lists are empty.",
    severities: "The severities that may match; all of them if it is empty.",
    group_id: "The group that it is in. A group that does not exist answers 422."
  },
  MonitoredIdentifierUpdate: {
    data: "What to look for from then on.",
    name: "Stays where it is absent. A name that was the value of `data` becomes the new value.",
    categories: "As when it was added.",
    emerging_categories: "As when it was added.",
    severities: "As when it was added.",
    group_id: "Stays where it is absent. Null leaves the group.",
    is_disabled: "Stays where it is absent."
  },
  NewIdentifierGroup: {
    id: "Default: the next free number of the tenant. A group of the tenant that has this id is replaced.",
    tenant_id: "Ignored: the group belongs to the tenant of the key.",
    feed_id: "Default: the id.",
    feed_owner_id: "Default: the tenant.",
    name: "Default: empty. _Not specified:_ at most 1,000 characters.",
    urn: "Default: `urn:threat-exposure:identifier-group:ID`. _Not specified:_ at most 1,000 characters."
  },
  RecommendationAction: {
    "targets[]": "The recommendations: 1 to 100.",
    "targets[].id": "The id of the recommendation."
  },
  NewIncludedKeywordsPolicy: newPolicy,
  NewExcludedKeywordsPolicy: newPolicy,
  NewLuceneQueryPolicy: newPolicy,
  NewDomainMatchPolicy: newPolicy,
  NewCookiesPolicy: newPolicy,
  AssignPolicy: {
    identifier_ids: "The identifiers.",
    clean_past_events:
      "_Not specified:_ default false. If true, past events of the identifiers that the policy does not match are removed from them."
  },
  MatchingPolicyUpdate: {
    name: "At least one character.",
    value: "In the shape of the type of the policy."
  },
  NewReport: {
    author: "Who made it.",
    elements: "Its parts.",
    audience: "`technical` is the only known value; others are accepted (_not specified_)."
  },
  ReportElement: {
    id: "Which part.",
    position: "Where in the report.",
    enabled: "Whether the report has it.",
    sort_by: "`custom` is the only known value; others are accepted (_not specified_).",
    time_interval:
      "A duration in ISO 8601, such as `P7D` (_not specified_). Any other text is accepted and means 30 days."
  },
  Report: {
    title: "As in the request that created it.",
    author: "As in the request.",
    tenant_id: "The tenant of the key.",
    report_type: "In this service the `audience` of the request.",
    status: "`draft`, `processing`, `completed`, `scheduled` or `paused`; in this service always `completed`."
  },
  TenantUser: {
    user_id: "The user. A user who already belongs to the tenant gets the new role (_not specified_).",
    is_readonly: "_Not specified:_ default true for a `viewer`, else false.",
    role: "`viewer` is the only known value, and the default (_not specified_); others of at most 1,000 characters are accepted."
  },
  TenantList: {
    tenants: "In this service, the tenant of the key."
  },
  Tenant: {
    name: "This service knows no names: null."
  },
  TenantMember: {
    role: "`viewer` is the only known value."
  },
  IntelQuestion: {
    question: "The question, in natural language.",
    tone: "`analytical` is the only known value; others are accepted (_not specified_)."
  },
  IntelRequest: {
    request_id: "A UUID. [Retrieve an answer](#retrieve-an-answer) takes it."
  },
  IntelAnswer: {
    status: "`processing`, `completed` or `error`.",
    report: "Null until it is completed."
  },
  IntelReport: {
    related_activity_uids: "The uids of events."
  },
  Credential: {
    identity_name: "The name of the account, normally an e-mail address.",
    domain: "The domain of the account.",
    source_id: "The id of the source. The client reads an absent one from `source`, or as the empty string.",
    imported_at: "When it was imported into the data set.",
    hash: "The hash of the password, or the password itself if `hash_type` is null or `unknown`. A secret in every case: the client redacts it.",
    hash_type: "The kind of hash, such as `sha1`.",
    source: "The breach or dump that it comes from.",
    known_password_id: "Null unless `include` asks for it.",
    event_uid: "The `uid` of the event that the credential was found in.",
    auth_domains:
      "Names of the hosts that the credential was used to log in to, without a path; at most 100. Present if `include` asks for it.",
    urls: "Addresses of the pages on which the credential was used to log in. Present if `include` asks for it.",
    remediated_at: "Since when the tenant has it as remediated, in the listing of the tenant's credentials.",
    ignored_at: "Since when the tenant has it as ignored, in the listing of the tenant's credentials."
  },
  Source: {
    description_en: "Description in English.",
    description_fr: "Description in French.",
    breached_at: "When the data was taken.",
    leaked_at: "When the data became available.",
    is_alert_enabled: "Whether the source raises alerts; false if absent.",
    pii_tags: "Kinds of personal data in the source."
  },
  Event: {
    tenant_metadata: "The tenant's own annotations.",
    highlights:
      "By name of a field, the passages that matched. Matches are wrapped in `<mark>`. The rest is text from the leak: treat it as untrusted input, not as HTML. This service masks secrets in it."
  },
  IdentifierEvent: {
    identifiers: "The identifiers of the tenant that the event was matched to."
  },
  EventMetadata: {
    estimated_created_at:
      "When the source of the event, such as a post or a leak, was created. Events are listed in the order of this time.",
    matched_at:
      "When the event matched. _Not specified:_ in a global search, the first match with an identifier of the tenant; without one, what was loaded with the event, or when it was loaded.",
    type: "A [type of search results](#event-types).",
    uid: "The name of the event, normally `<index>/<source>/<id>`. It identifies the event in every operation.",
    severity: "One of `Severity`.",
    svc_url: "Address of the event's page in the web application of the service.",
    title: "_Not specified:_ the title or the name in the event's data.",
    materialized_at:
      "When the event reached the tenant: see [When an event reached the tenant](#when-an-event-reached-the-tenant)."
  },
  TenantMetadata: {
    "severity.original": "The severity of the event.",
    "severity.override": "The severity that the tenant gave it.",
    remediated_at: "When the tenant marked it as remediated.",
    ignored_at: "When the tenant marked it as ignored."
  },
  MatchedIdentifier: {
    name: "`<redacted>` instead of a secret (_not specified_)."
  },
  TypedEventMetadata: {
    estimated_created_at: "When the source of the event was created.",
    svc_url: "Address of the event's page in the web application of the service.",
    matched_at: "When the event matched.",
    severity: "One of `Severity`.",
    uid: "As in [Event](#event)."
  },
  UnknownEvent: {
    event_type: "A type that has no schema of its own.",
    data: "As received."
  },
  BlogPostData: {
    url: "Address of the post.",
    content: "Text of the post.",
    posted_at: "When it was published."
  },
  BotData: {
    name: "Name of the infected device.",
    url: "Address that the stolen session belongs to.",
    "actor.id": "The seller.",
    victim_information: "The infected device.",
    "victim_information.isp": "Internet provider.",
    "victim_information.installed_at": "When it was infected.",
    price: "The asking price, as text."
  },
  BucketData: {
    url: "Address of the bucket.",
    bucket: "The storage bucket."
  },
  BucketObjectData: {
    url: "Address of the object.",
    bucket: "The storage bucket."
  },
  ChatMessageData: {
    actor: "The author.",
    context: "The conversation.",
    content: "Text of the message.",
    parent_context: "What the message replies to.",
    "parent_context.parent_uid": "`uid` of that event.",
    forward_info: "Where the message was forwarded from."
  },
  CcData: {
    bank: "Issuing bank.",
    bin: "First digits of the card number.",
    brand: "Card network.",
    expiration: "Expiry of the card.",
    owner: "Name on the card.",
    has_cvv: "Whether the leaked record contains it; the other `has_` fields mean the same for theirs."
  },
  DockerImageData: {
    content: "Text of the image that was found.",
    digest: "Digest of the image.",
    "tags[]": "Its tags."
  },
  DockerRepositoryData: {
    url: "Address of the repository."
  },
  ForumPostData: {
    actor: "The author.",
    context: "Where in the forum.",
    content: "Text of the post.",
    url: "Address of the post."
  },
  InvalidCredentialData: {
    identity_name: "Account name.",
    tenant_integration_id: "UUID of the integration that tested the credential."
  },
  ValidCredentialData: {
    identity_name: "Account name.",
    tenant_integration_id: "UUID of the integration that tested the credential."
  },
  MitigatedCredentialData: {
    identity_name: "Account name.",
    tenant_integration_id: "UUID of the integration that acted.",
    mitigation_action: "What was done."
  },
  LeakData: {
    site_url: "The site that leaked.",
    leaked_credential_count: "Credentials in it.",
    pii_tags: "Kinds of personal data.",
    source: "The breach."
  },
  LeakedCredentialData: {
    identity_name: "Account name.",
    password: "A secret: the client redacts it.",
    source: "The breach."
  },
  ListingData: {
    url: "Address of the offer.",
    escrow: "Whether payment is held in escrow.",
    price: "A number, unlike the price of a `bot`.",
    stock_count: "How many are for sale.",
    actor: "The seller.",
    classification: "What the offer is about.",
    context: "Where in the market."
  },
  LookalikeData: {
    domain: "The domain that imitates another.",
    identifier_domains: "The domains that it imitates.",
    feed: "The specification shows only null; any value is accepted.",
    cert_data: "The specification shows only null; any value is accepted.",
    subject: "The specification shows only null; any value is accepted.",
    issuer: "Issuer of the certificate."
  },
  PasteData: {
    url: "Address of the paste.",
    actor: "The author.",
    syntax: "Language of the text."
  },
  RansomleakData: {
    url: "Address of the announcement.",
    victim_information: "The organisation that was attacked."
  },
  ServiceData: {
    url: "Address of the service.",
    asn: "Autonomous system number.",
    content: "What the service answered.",
    service: "Kind of service.",
    product: "Software.",
    vulnerabilities: "Identifiers of known vulnerabilities."
  },
  SocialMediaAccountData: {
    url: "Address of the account.",
    site: "The network."
  },
  StealerLogData: {
    victim_information: "The infected device.",
    "victim_information.hwid": "Hardware id.",
    "victim_information.uac": "User account control.",
    "victim_information.process_elevation": "Whether the malware ran with elevated rights.",
    malware_information: "The malware."
  },
  Identifier: {
    type: "One of `IdentifierType`.",
    search_types: "Of `SearchType`: the [types of events](#event-types) that may match; every type if it is empty.",
    name: "At least one character.",
    data: "What to look for, by type.",
    tenant_id: "The tenant of the key.",
    feed_id: "_Not specified:_ the id; each identifier is a feed of its own.",
    experimental_search_types: "As in the request: further types that may match.",
    "v3_refs.asset_uuid": "_Not specified:_ a random UUID.",
    risks: "As in the request.",
    fetching_progress: "_Not specified:_ 100 if it was matched against every event before the answer, or else 0.",
    count: "_Not specified:_ the number of events that it matched when it was created.",
    urn: "_Not specified:_ `urn:threat-exposure:identifier:ID`.",
    is_disabled: "_Not specified:_ false in this answer.",
    source: "Where it comes from. `USER` is the only known value.",
    data_updated_at: "_Not specified:_ when it was created."
  },
  MonitoredIdentifier: {
    id: "The same as in v2.",
    name: "The value of `data` if no name was given. `<redacted>` instead of a secret.",
    tenant_id: "The tenant of the key.",
    data: "What to look for.",
    categories: "The [types of events](#event-types) that may match, as `search_types` of v2.",
    emerging_categories:
      "Further types, as `experimental_search_types` of v2. Every type may match if both lists are empty.",
    severities: "The severities that may match; all of them if it is empty.",
    group_id: "The [group](#create-an-identifier-group) that it is in.",
    enrichments: "Null while the identifier is matched against the stored events.",
    "enrichments.domain_reachable_at": "_Not specified:_ null.",
    "enrichments.domain_resolves_at": "_Not specified:_ null.",
    "enrichments.usage_count": "_Not specified:_ null.",
    "enrichments.event_count": "How many events match, whatever their state.",
    "enrichments.authorization_status": "`pending`, `rejected` or `authorized`; in this service always `authorized`.",
    is_disabled: "A disabled identifier matches nothing new, and keeps the events that it has.",
    updated_at: "When it was created or changed."
  },
  IdentifierGroup: {
    id: "_Not specified:_ unique within the tenant.",
    tenant_id: "The tenant of the key."
  },
  Recommendation: {
    data: "What to monitor, tagged by its type.",
    status: "One of `RecommendationStatus`.",
    relevancy: "A level in upper case. `HIGH` is the only known value."
  },
  IncludedKeywordsPolicy: policy,
  ExcludedKeywordsPolicy: policy,
  LuceneQueryPolicy: policy,
  DomainMatchPolicy: policy,
  CookiesPolicy: policy,
  OtherPolicy: policy,
  KeywordsValue: {
    keywords: "At least one. _Not specified:_ at most 500, of at most 256 characters."
  },
  DomainMatchValue: {
    match_mode: "`email_domain_only`, `auth_domain_and_email_domain` or `auth_domain_only`."
  },
  PolicyAssignment: {
    identifier_name: "`<redacted>` instead of a secret (_not specified_).",
    clean_past_events: "As in the request that assigned it."
  },
  AssignedPolicy: {
    clean_past_events: "As in the request that assigned it."
  }
}

/**
 * The texts of each operation in `openapi.json` and docs/api.md, in Markdown; links lead into docs/api.md. Apart from the table
 * of operations, so that clients do not carry it.
 */
import { cursorText } from "./FieldTexts.ts"

export interface OperationText {
  /** The heading of the operation. */
  readonly summary: string
  readonly description: string
  /** Whether it is part of the common specification. */
  readonly isSpecified?: true
  /** The parameters of the path and of the query, by name. */
  readonly parameters?: { readonly [name: string]: string }
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
      from: cursorText,
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
    isSpecified: true,
    parameters: {
      identifier_id: "The id of the identifier."
    }
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
      from: cursorText,
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
      "Searches the events that were matched to any identifier of the [group](#create-an-identifier-group), each once, with the identifiers of the group that it was matched to.",
    parameters: {
      group_id: "The id of the group."
    }
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
      size: "Items in the page: 1 to 100, default 20.",
      from: cursorText
    }
  },
  "identifiers.get": {
    summary: "Retrieve an identifier",
    description: "Returns one identifier.",
    parameters: {
      identifier_id: "The id of the identifier."
    }
  },
  "identifiers.create": {
    summary: "Add an identifier",
    description:
      "Creates an identifier: an asset that is monitored from then on. It replaces [Create an identifier](#create-an-identifier)."
  },
  "identifiers.update": {
    summary: "Change an identifier",
    description: "Changes, disables or enables an identifier.",
    parameters: {
      identifier_id: "The id of the identifier."
    }
  },
  "identifiers.delete": {
    summary: "Delete an identifier",
    description:
      "Deletes an identifier with its matches and its policy assignments. The events stay for other identifiers.",
    parameters: {
      identifier_id: "The id of the identifier."
    }
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
    description: "Returns one group.",
    parameters: {
      group_id: "The id of the group."
    }
  },
  "identifierGroups.update": {
    summary: "Change an identifier group",
    description:
      "Renames a group. The body is a `NewIdentifierGroup`; its `id` and `tenant_id` are ignored, and what is absent stays.",
    parameters: {
      group_id: "The id of the group."
    }
  },
  "identifierGroups.delete": {
    summary: "Delete an identifier group",
    description: "Deletes a group. Its identifiers stay, without a group.",
    parameters: {
      group_id: "The id of the group."
    }
  },
  "recommendations.list": {
    summary: "List recommendations",
    description: "Lists identifiers that the service suggests to monitor.",
    isSpecified: true,
    parameters: {
      query: "Recommendations whose data contains this text, in any case.",
      types: "Recommendations of one of these types. Repeat the parameter for more.",
      status: "Recommendations in this state.",
      size: "Items in the page: 1 to 100, default 100.",
      from: cursorText
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
      size: "Items in the page: 1 to 25, default 25.",
      from: cursorText
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
    isSpecified: true,
    parameters: {
      policy_uuid: "The uuid of the policy."
    }
  },
  "matchingPolicies.assignments": {
    summary: "List policy assignments",
    description: "Lists the identifiers that a matching policy is assigned to.",
    isSpecified: true,
    parameters: {
      policy_uuid: "The uuid of the policy.",
      order: "`desc` (default): newest first. `asc`: oldest first.",
      size: "Items in the page: 1 to 100, default 25.",
      from: cursorText
    }
  },
  "matchingPolicies.ofIdentifier": {
    summary: "List policies of an identifier",
    description: "Lists the matching policies of one identifier, all at once.",
    isSpecified: true,
    parameters: {
      identifier_id: "The id of the identifier."
    }
  },
  "matchingPolicies.get": {
    summary: "Retrieve a matching policy",
    description: "Returns one matching policy.",
    parameters: {
      policy_uuid: "The uuid of the policy."
    }
  },
  "matchingPolicies.update": {
    summary: "Change a matching policy",
    description: "Changes the name and the value of a matching policy. Its type stays.",
    parameters: {
      policy_uuid: "The uuid of the policy."
    }
  },
  "matchingPolicies.unassign": {
    summary: "Unassign a matching policy",
    description:
      "Takes a matching policy from identifiers. The body is that of the [assignment](#assign-a-matching-policy); `clean_past_events` has no effect.",
    parameters: {
      policy_uuid: "The uuid of the policy."
    }
  },
  "matchingPolicies.delete": {
    summary: "Delete a matching policy",
    description: "Deletes a matching policy and its assignments.",
    isSpecified: true,
    parameters: {
      policy_uuid: "The uuid of the policy."
    }
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
      size: "Items in the page: 1 to 100, default 20.",
      from: cursorText
    }
  },
  "reports.get": {
    summary: "Retrieve a report",
    description: "Returns one report, without its content.",
    parameters: {
      report_id: "The id of the report."
    }
  },
  "reports.download": {
    summary: "Download a report",
    description:
      "Returns a report as a file. It is about the events of the tenant, whatever their state, in the longest `time_interval` before the report was created, by `estimated_created_at`. Secrets in titles are masked.",
    parameters: {
      report_id: "The id of the report.",
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
    description: "Lists who belongs to a tenant, by id.",
    parameters: {
      tenant_id: "The tenant. A tenant other than the one of the key answers 404."
    }
  },
  "tenants.removeUser": {
    summary: "Remove a user from a tenant",
    description: "Ends the membership of a user.",
    parameters: {
      tenant_id: "The tenant. A tenant other than the one of the key answers 404.",
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

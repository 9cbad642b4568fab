/** The flags of a search for events. See docs/api.md#search-events. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"
import { rawPages } from "@threat-exposure/core/client/ClientOptions"
import type { Events } from "@threat-exposure/core/client/Events"
import type { Page } from "@threat-exposure/core/domain/Page"
import {
  type EventSearch,
  EventStatus,
  type IdentifierEventSearch,
  tenantEventTypes,
  type TenantEventSearch
} from "@threat-exposure/core/domain/Event"
import { severities } from "@threat-exposure/core/domain/Severity"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { say } from "../output/Output.ts"
import { domainGiven, listFlag, optionalText, valueFlag } from "./Flags.ts"
import { order } from "./CredentialRequest.ts"
import { namingInputs, namingMissing } from "./Refusal.ts"
import { UsageInvalid } from "./UsageInvalid.ts"
import { secretEnvFlag, secretStdinFlag } from "./Secrets.ts"
import { sinceFlag, timeRangeOf, untilFlag } from "./TimeFlags.ts"

export const eventFilterFlags = {
  severity: listFlag(
    "severity",
    "LIST",
    `One severity: events of it or a higher one; several: events of exactly these (${severities.join(", ")})`
  ),
  types: listFlag("types", "LIST", "Types of events, such as leak, paste, stealer_log")
}

const eventQueryFlags = {
  query: optionalText("query", "TEXT", "Words, phrases in quotes, AND, OR, NOT"),
  domain: optionalText("domain", "DOMAIN", "Events about a domain"),
  email: valueFlag("email", "ADDRESS", "Events with an e-mail address"),
  keyword: optionalText("keyword", "TEXT", "Events with a keyword"),
  username: optionalText("username", "NAME", "Events with a user name"),
  repository: optionalText("repository", "OWNER/NAME", "Events about a GitHub repository"),
  brand: optionalText("brand", "NAME", "Events about a brand"),
  person: optionalText("person", "NAME", "Events about a person: first name, then last name"),
  strict: switchFlag("strict", "With --person: the names must be next to each other"),
  bin: valueFlag("bin", "DIGITS", "Events with payment cards of this bank identification number"),
  ip: valueFlag("ip", "ADDRESS", "Events with an IP address"),
  azureTenant: optionalText("azure-tenant", "ID", "Events about a tenant of Azure"),
  account: optionalText(
    "account",
    "NAME",
    "With --secret-env or --secret-stdin: events with this user name and password"
  ),
  secretEnv: secretEnvFlag,
  secretStdin: secretStdinFlag
}

export const eventFlags = {
  identifier: Flag.Int("identifier").pipe(
    Flag.withMetavar("ID"),
    Flag.optional,
    Flag.withDescription("Events that were matched to one identifier; costs no quota")
  ),
  ...eventQueryFlags,
  ...eventFilterFlags,
  status: Flag.Literals("status", EventStatus.literals).pipe(
    Flag.withMetavar("CHOICE"),
    Flag.atLeast(0),
    Flag.withDescription("With --identifier: open, ignored or remediated; may be repeated")
  ),
  tags: listFlag("tags", "LIST", "With --identifier: tags of the tenant"),
  since: sinceFlag("Created"),
  until: untilFlag("Created"),
  order
}

type Given<Flags> = { readonly [Name in keyof Flags]: Flags[Name] extends Flag.Flag<infer Value> ? Value : never }

export type EventFlagValues = Given<typeof eventFlags>

/** Events of the tenant, or of a group of identifiers. */
export type TenantEventRequest =
  | { readonly _tag: "OfTenant"; readonly search: TenantEventSearch }
  | { readonly _tag: "OfGroup"; readonly groupId: number; readonly search: TenantEventSearch }

/** Events of the whole data set, or of one identifier. */
export type EventRequest =
  | { readonly _tag: "Global"; readonly search: EventSearch }
  | { readonly _tag: "OfIdentifier"; readonly identifierId: number; readonly search: IdentifierEventSearch }

/** `secret` is the value from `--secret-env` or `--secret-stdin`. */
export const eventRequestOf = Effect.fnUntraced(function* (
  flags: EventFlagValues,
  secret: Redacted.Redacted | undefined
): Effect.fn.Return<EventRequest, UsageInvalid, Effect.Services<ReturnType<typeof say>>> {
  const queries = yield* eventQueries(flags, secret)
  if (queries.length > 1) return yield* new UsageInvalid({ message: "Give only one query; the other flags narrow it" })
  const severity = yield* oneOf("severity", flags.severity, severities)
  const estimated_created_at = yield* timeRangeOf(flags)
  const common = {
    ...(severity.length === 0 ? {} : { severity: severity.length === 1 ? (severity[0] ?? "low") : severity }),
    ...(estimated_created_at === undefined ? {} : { estimated_created_at })
  }
  const search = { order: flags.order, ...(queries[0] === undefined ? {} : { query: queries[0] }) }
  if (Option.isSome(flags.identifier)) {
    const type = yield* eventTypes(flags.types)
    const filters = {
      ...common,
      ...(type.length === 0 ? {} : { type }),
      ...(flags.status.length === 0 ? {} : { status: flags.status }),
      ...(flags.tags.length === 0 ? {} : { tags: flags.tags })
    }
    return {
      _tag: "OfIdentifier",
      identifierId: flags.identifier.value,
      search: { ...search, filters }
    }
  }
  if (flags.status.length > 0 || flags.tags.length > 0) {
    return yield* new UsageInvalid({ message: "--status and --tags need --identifier" })
  }
  const type = yield* eventTypes(flags.types)
  return {
    _tag: "Global",
    search: { ...search, filters: { ...common, ...(type.length === 0 ? {} : { type }) } }
  }
})

/** Pages of a request, with the items as received. `from` is the cursor of an earlier page. */
export const receivedPages = (
  events: Events["Service"],
  request: EventRequest | TenantEventRequest,
  from: string | null
): Stream.Stream<Page<unknown>, ApiError> => {
  switch (request._tag) {
    case "Global":
      return rawPages(events.pages({ ...request.search, from }))
    case "OfIdentifier":
      return rawPages(events.pagesOfIdentifier(request.identifierId, { ...request.search, from }))
    case "OfTenant":
      return rawPages(events.pagesOfTenant({ ...request.search, from }))
    case "OfGroup":
      return rawPages(events.pagesOfGroup(request.groupId, { ...request.search, from }))
  }
}

/** Names in a refusal of the request the flag or the identifier that was given. */
export const namingRequest =
  (request: EventRequest) =>
  <A, E, R>(operation: Effect.Effect<A, ApiError | E, R>) => {
    const named = namingInputs(eventInputs)(operation)
    return request._tag === "OfIdentifier" ? namingMissing("identifier", request.identifierId)(named) : named
  }

/** Flags of the members of a search for events. */
export const eventInputs = {
  query_string: "--query",
  fqdn: "--domain",
  email: "--email",
  keyword: "--keyword",
  username: "--username or --account",
  password: "--secret-env or --secret-stdin",
  secret: "--secret-env or --secret-stdin",
  repo_owner: "--repository",
  repo_name: "--repository",
  name: "--brand",
  first_name: "--person",
  last_name: "--person",
  bin: "--bin",
  ip: "--ip",
  tenant_id: "--azure-tenant",
  severity: "--severity",
  type: "--types",
  status: "--status",
  tags: "--tags",
  gte: "--since",
  lte: "--until"
}

/** Decodes words that must all be in `known`. */
export const oneOf = <const Known extends string>(
  flag: string,
  given: ReadonlyArray<string>,
  known: ReadonlyArray<Known>
): Effect.Effect<ReadonlyArray<Known>, UsageInvalid> =>
  Effect.forEach(given, (word) => {
    const found = known.find((name) => name === word)
    return found === undefined
      ? Effect.fail(new UsageInvalid({ message: `--${flag}: ${shownWord(word)} is not one of ${known.join(", ")}` }))
      : Effect.succeed(found)
  })

/** Quotes a word in a message only if it can be a name of the API; anything else may be a misplaced secret. */
const shownWord = (word: string): string => (/^[a-z]+(?:_[a-z]+)*$/u.test(word) && word.length <= 30 ? word : "a value")

/** Decodes types. Newer services have more types, so an unknown type is sent, with a warning. */
export const typesOf = Effect.fnUntraced(function* (
  flag: string,
  given: ReadonlyArray<string>,
  known: ReadonlyArray<string>
) {
  const unknown = given.filter((type) => !known.includes(type))
  if (unknown.length > 0) {
    yield* say(
      `--${flag}: ${[...new Set(unknown.map(shownWord))].join(", ")} is not known to this version, and sent as given; known are ${known.join(", ")}`
    )
  }
  return given
})

export const eventTypes = (given: ReadonlyArray<string>) => typesOf("types", given, tenantEventTypes)

const eventQueries = Effect.fnUntraced(function* (
  flags: Given<typeof eventQueryFlags>,
  secret: Redacted.Redacted | undefined
): Effect.fn.Return<ReadonlyArray<NonNullable<EventSearch["query"]>>, UsageInvalid> {
  const [repo_owner = "", repo_name = "", ...moreParts] = Option.getOrElse(flags.repository, () => "").split("/")
  if (Option.isSome(flags.repository) && (repo_owner === "" || repo_name === "" || moreParts.length > 0)) {
    return yield* new UsageInvalid({ message: "--repository takes OWNER/NAME" })
  }
  const names = Option.getOrElse(flags.person, () => "")
    .trim()
    .split(/\s+/u)
  if (Option.isSome(flags.person) && names.length < 2) {
    return yield* new UsageInvalid({ message: "--person takes a first name and a last name" })
  }
  if (flags.strict && Option.isNone(flags.person)) {
    return yield* new UsageInvalid({ message: "--strict needs --person" })
  }
  if (Option.isSome(flags.account) && secret === undefined) {
    return yield* new UsageInvalid({ message: "--account needs a password: --secret-env or --secret-stdin" })
  }
  const domain = yield* domainGiven("domain", flags.domain)
  return [
    ...Option.toArray(Option.map(flags.query, (query_string) => ({ type: "query_string", query_string }) as const)),
    ...Option.toArray(Option.map(domain, (fqdn) => ({ type: "domain", fqdn }) as const)),
    ...Option.toArray(Option.map(flags.email, (email) => ({ type: "email", email }) as const)),
    ...Option.toArray(Option.map(flags.keyword, (keyword) => ({ type: "keyword", keyword }) as const)),
    ...Option.toArray(Option.map(flags.username, (username) => ({ type: "username", username }) as const)),
    ...Option.toArray(
      Option.map(flags.repository, () => ({ type: "github_repository", repo_owner, repo_name }) as const)
    ),
    ...Option.toArray(Option.map(flags.brand, (name) => ({ type: "brand", name }) as const)),
    ...Option.toArray(
      Option.map(
        flags.person,
        () =>
          ({
            type: "name",
            first_name: names[0] ?? "",
            last_name: names.slice(1).join(" "),
            is_strict: flags.strict
          }) as const
      )
    ),
    ...Option.toArray(Option.map(flags.bin, (bin) => ({ type: "bin", bin }) as const)),
    ...Option.toArray(Option.map(flags.ip, (ip) => ({ type: "ip", ip }) as const)),
    ...Option.toArray(Option.map(flags.azureTenant, (tenant_id) => ({ type: "azure_tenant", tenant_id }) as const)),
    ...(secret === undefined
      ? []
      : [
          Option.match(flags.account, {
            onNone: () => ({ type: "secret", secret }) as const,
            onSome: (username) => ({ type: "credentials", username, password: secret }) as const
          })
        ])
  ]
})

/** Implements the tools. */
import type { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { type ApiError, isApiError } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { type Credential, type CredentialQuery, passwordFormOf } from "@threat-exposure/core/domain/Credential"
import { type Event, type IdentifierEvent } from "@threat-exposure/core/domain/Event"
import type { MatchingPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import type { MonitoredIdentifier } from "@threat-exposure/core/domain/MonitoredIdentifier"
import type { Page } from "@threat-exposure/core/domain/Page"
import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { plan as planOf, run } from "@threat-exposure/leak-check/LeakCheck"
import { isComplete } from "@threat-exposure/leak-check/Report"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import { minValueLength } from "@threat-exposure/leak-check/search/SearchEligibility"
import { maxInFlight } from "@threat-exposure/leak-check/search/SearchRun"
import { domainOf } from "@threat-exposure/leak-check/target/Target"
import { firstReadablePage, type ReadablePage } from "@threat-exposure/leak-check/search/ReadablePages"
import { instantOf } from "@threat-exposure/leak-check/config/TimeInput"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import { redactEvent, withoutValues } from "../redaction/Redaction.ts"
import { valueForms } from "../request/Flags.ts"
import { dataText, updateOf } from "../request/IdentifierData.ts"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import type { UsageInvalid } from "../request/UsageInvalid.ts"
import { CheckedRepositories, type CheckInput } from "./CheckedRepositories.ts"
import { type Cut, fitJson, fitItems, dataBytes, ToolFailed, withoutTags } from "./Answer.ts"
import { SearchBudget } from "./SearchBudget.ts"
import { ReadTools, WriteTools } from "./Tools.ts"

export const readHandlers = ReadTools.toLayer(
  Effect.gen(function* () {
    const budget = yield* SearchBudget
    const client = yield* Effect.context<ApiClient | Credentials | Events>()
    const events = yield* Events
    const credentials = yield* Credentials
    const recommendations = yield* Recommendations
    const identifiers = yield* Identifiers
    const policies = yield* MatchingPolicies
    const repositories = yield* CheckedRepositories

    /** Searches for values only: the domains of a config file are ignored. */
    const check = Effect.fnUntraced(function* (input: CheckInput, maxBytes: number | undefined) {
      const { candidates, settings } = input
      const report = yield* budget.spend(
        Math.min(1, candidates.length),
        Effect.fnUntraced(function* (left, onSent) {
          const maxSearches = Math.min(left, settings.maxSearches)
          const plan = yield* planOf({ ...input, settings: { ...settings, maxSearches } })
          const reportSent = (answered: number) => onSent(Math.min(plan.searches.length, answered + maxInFlight))
          reportSent(0)
          const report = yield* run(plan, {
            onProgress: ({ searched }) => Effect.sync(() => reportSent(searched))
          }).pipe(
            Effect.mapError(({ refusal }) => failureOf(refusal)),
            Effect.provide(client)
          )
          return [report, report.searches] as const
        })
      )
      const values = candidates.map(({ value }) => Redacted.value(value))
      const { isCut, value } = fitJson(withoutValues({ wholes: values })(withoutTags(report)), dataBytes(maxBytes))
      return {
        verdict: report.verdict,
        complete: !isCut && isComplete(report),
        next: null,
        ...(yield* budget.after(report.searches)),
        truncated: isCut,
        data: value
      }
    })

    /** Returns the first page, which costs one search. */
    const search = <A>(pages: Stream.Stream<Page<A>, ApiError>) =>
      budget.spend(1, () => Effect.map(firstPage(pages), (page) => [page, 1] as const))

    return ReadTools.of({
      search_events: Effect.fn("Mcp.search_events")(function* (given) {
        const { began, from } = yield* placeOf(given.from)
        const gte = yield* timeOf("since", given.since, began)
        const lte = yield* timeOf("until", given.until, began)
        if (gte !== undefined && lte !== undefined && gte > lte) {
          return yield* new ToolFailed({ reason: "since is after until: nothing lies between them" })
        }
        const filters = {
          ...severityFilter(given.severities ?? []),
          ...(gte === undefined && lte === undefined ? {} : { estimated_created_at: { gte, lte } })
        }
        const { identifier_id, query, size = 10, types = [] } = given
        const text = query === undefined ? {} : { query: { type: "query_string", query_string: query } as const }
        const searched = searchedIn(query)
        const answerOf = (page: ReadablePage<Event>, cost: Effect.Success<ReturnType<typeof budget.after>>) => {
          const shown = fitItems(page.items, eventItem, dataBytes(given.max_bytes, size), { wholes: searched })
          return { ...completeness(page, shown), next: nextOf(page, began), ...cost, events: shown }
        }
        const request = { ...text, filters: { ...filters, ...(types.length === 0 ? {} : { type: types }) } }
        if (identifier_id === undefined) {
          const page = yield* withoutSearched(searched)(search(events.pages({ ...request, size, from })))
          return answerOf(page, yield* budget.after(1))
        }
        const page = yield* withoutSearched(searched)(
          firstPage(events.pagesOfIdentifier(identifier_id, { ...request, size, from }))
        )
        return answerOf(page, yield* budget.after(0))
      }),

      list_tenant_events: Effect.fn("Mcp.list_tenant_events")(function* (given) {
        const { began, from } = yield* placeOf(given.from)
        const gte = yield* timeOf("since", given.since, began)
        const lte = yield* timeOf("until", given.until, began)
        const { query, size = 10, status, tags, types } = given
        const searched = searchedIn(query)
        const pages = events.pagesOfTenant({
          ...(query === undefined ? {} : { query: { type: "query_string", query_string: query } }),
          filters: {
            ...severityFilter(given.severities ?? []),
            ...(gte === undefined && lte === undefined ? {} : { estimated_created_at: { gte, lte } }),
            ...(types === undefined ? {} : { type: types }),
            ...(status === undefined ? {} : { status }),
            ...(tags === undefined ? {} : { tags })
          },
          size,
          from
        })
        const page = yield* withoutSearched(searched)(firstPage(pages))
        const shown = fitItems(page.items, tenantEventItem, dataBytes(given.max_bytes, size), { wholes: searched })
        return { ...completeness(page, shown), next: nextOf(page, began), ...(yield* budget.after(0)), events: shown }
      }),

      list_identifiers: Effect.fn("Mcp.list_identifiers")(function* ({
        from,
        is_disabled,
        max_bytes,
        size = 20,
        types
      }) {
        const page = yield* firstPage(
          identifiers.pages({
            size,
            ...(from === undefined ? {} : { from }),
            ...(is_disabled === undefined ? {} : { is_disabled }),
            ...(types === undefined ? {} : { types })
          })
        )
        const shown = fitItems(page.items, identifierItem, dataBytes(max_bytes, size))
        return { ...completeness(page, shown), ...(yield* budget.after(0)), identifiers: shown }
      }),

      list_policies: Effect.fn("Mcp.list_policies")(function* ({ from, max_bytes, size = 25 }) {
        const page = yield* firstPage(policies.pages({ size, ...(from === undefined ? {} : { from }) }))
        const shown = fitItems(page.items, policyItem, dataBytes(max_bytes, size))
        return { ...completeness(page, shown), ...(yield* budget.after(0)), policies: shown }
      }),

      get_event: Effect.fn("Mcp.get_event")(function* ({ max_bytes, uid }) {
        const event = yield* Effect.mapError(namingMissing("event", uid)(events.get(uid)), failureOf)
        const { isCut, value } = fitJson(
          withoutTags(redactEvent({ metadata: event.metadata, data: event.data })),
          dataBytes(max_bytes)
        )
        return {
          complete: !isCut,
          next: null,
          ...(yield* budget.after(0)),
          uid,
          event_type: event.event_type,
          truncated: isCut,
          data: value
        }
      }),

      search_credentials: Effect.fn("Mcp.search_credentials")(function* ({
        from: given,
        max_bytes,
        since,
        size = 20,
        type,
        value
      }) {
        const { began, from } = yield* placeOf(given)
        const gte = yield* timeOf("since", since, began)
        const page = yield* search(
          credentials.pages({
            query: yield* credentialQuery(type, value),
            ...(gte === undefined ? {} : { filters: { imported_at: { gte } } }),
            size,
            from
          })
        ).pipe(withoutSearched(value.length < minValueLength ? [] : [value]))
        const shown = fitItems(
          page.items,
          credentialItem,
          dataBytes(max_bytes, size),
          type === "secret" ? { secrets: [value] } : {}
        )
        return {
          ...completeness(page, shown),
          next: nextOf(page, began),
          ...(yield* budget.after(1)),
          credentials: shown
        }
      }),

      check_text: Effect.fn("Mcp.check_text")(function* ({ max_bytes, text }) {
        const settings = defaults(yield* DateTime.now)
        return yield* check(
          { repository: "text", settings, candidates: candidatesIn(text, { path: "text" }, { isFile: false }) },
          max_bytes
        )
      }),

      check_repository: ({ max_bytes, path, scope = "changes" }) =>
        Effect.flatMap(repositories.read(path, scope), (input) => check(input, max_bytes)),

      list_recommendations: Effect.fn("Mcp.list_recommendations")(function* ({ from, max_bytes, size = 20, status }) {
        const page = yield* firstPage(
          recommendations.pages({
            size,
            ...(from === undefined ? {} : { from }),
            ...(status === undefined ? {} : { status })
          })
        )
        const shown = fitItems(page.items, recommendationItem, dataBytes(max_bytes, size))
        return { ...completeness(page, shown), ...(yield* budget.after(0)), recommendations: shown }
      }),

      quota: Effect.fn("Mcp.quota")(function* () {
        return { complete: true, next: null, ...(yield* budget.after(0)) }
      })
    })
  })
)

export const writeHandlers = WriteTools.toLayer(
  Effect.gen(function* () {
    const budget = yield* SearchBudget
    const identifiers = yield* Identifiers
    const events = yield* Events
    return WriteTools.of({
      create_identifier: Effect.fn("Mcp.create_identifier")(function* (given) {
        const { id, type } = yield* Effect.mapError(identifiers.createV2(given), failureOf)
        return { complete: true, next: null, ...(yield* budget.after(0)), id, type }
      }),

      update_identifier: Effect.fn("Mcp.update_identifier")(function* ({ id, ...changes }) {
        const current = yield* Effect.mapError(namingMissing("identifier", id)(identifiers.get(id)), failureOf)
        const body = yield* Effect.mapError(updateOf(current, changes), failureOf)
        const { is_disabled, name } = yield* Effect.mapError(identifiers.update(id, body), failureOf)
        return { complete: true, next: null, ...(yield* budget.after(0)), id, name, is_disabled }
      }),

      act_on_events: Effect.fn("Mcp.act_on_events")(function* ({ action, uids }) {
        yield* Effect.mapError(events.act(uids, action), failureOf)
        return { complete: true, next: null, ...(yield* budget.after(0)), action, uids }
      }),

      annotate_event: Effect.fn("Mcp.annotate_event")(function* ({ uid, ...annotation }) {
        const { notes, severity, tags } = yield* Effect.mapError(events.annotate(uid, annotation), failureOf)
        return { complete: true, next: null, ...(yield* budget.after(0)), uid, tags, severity, notes }
      })
    })
  })
)

const firstPage = <A>(pages: Stream.Stream<Page<A>, ApiError>): Effect.Effect<ReadablePage<A>, ToolFailed> =>
  Effect.mapError(namingInputs(listingArguments)(firstReadablePage(pages)), failureOf)

/** Arguments of the members of a request for a listing. */
const listingArguments = {
  query_string: "query",
  email: "value",
  fqdn: "value",
  keyword: "value",
  secret: "value",
  type: "types",
  severity: "severities",
  status: "status",
  tags: "tags",
  gte: "since",
  lte: "until",
  from: "from",
  size: "size"
}

const failureOf = (error: ApiError | UsageInvalid): ToolFailed =>
  new ToolFailed({ reason: isApiError(error) ? `${failureText(error)}${advice(error)}` : error.message })

const advice = (error: ApiError): string => {
  switch (error.name) {
    case "Unauthorized":
      return ". Ask the person to sign in again: threat-exposure login"
    case "RateLimited":
      return error.isQuotaSpent || error.retryAfter !== undefined ? "" : ". Try again in a minute"
    case "Unavailable":
    case "TimedOut":
      return ". Try again in a minute"
    default:
      return ""
  }
}

/**
 * Decodes `from` into a cursor and the time at which the listing began. Spans are relative to that time on every page:
 * the service accepts a cursor only with the filters of the first page.
 */
const placeOf = Effect.fnUntraced(function* (given: string | undefined) {
  if (given === undefined) return { began: yield* DateTime.now, from: null }
  const [, milliseconds, from] = /^(\d{1,15})~(.+)$/su.exec(given) ?? []
  return from === undefined
    ? yield* new ToolFailed({ reason: "from takes the value of next in an earlier answer to the same search" })
    : { began: DateTime.makeUnsafe(Number(milliseconds)), from }
})

const nextOf = ({ next }: { readonly next: string | null }, began: DateTime.Utc): string | null =>
  next === null ? null : `${DateTime.toEpochMillis(began)}~${next}`

/** The time as the API expects it; undefined if none is given. */
const timeOf = Effect.fnUntraced(function* (name: string, given: string | undefined, now: DateTime.Utc) {
  if (given === undefined) return undefined
  const instant = instantOf(given, now)
  return instant === undefined
    ? yield* new ToolFailed({
        reason: `${name} takes a past date (2026-01-31), a date-time (2026-01-31T08:00:00Z) or a span before now (30d)`
      })
    : DateTime.formatIso(instant)
})

const severityFilter = (severities: ReadonlyArray<Severity>) =>
  severities.length === 0 ? {} : { severity: severities }

const completeness = (
  { next, unreadable }: ReadablePage<unknown>,
  shown: ReadonlyArray<{ readonly truncated: boolean }>
) => ({
  complete: next === null && unreadable === 0 && !shown.some(({ truncated }) => truncated),
  next
})

/**
 * The searched text without the quotes of a phrase. It may be a password, so neither answers nor errors may repeat it.
 */
const searchedIn = (query = ""): ReadonlyArray<string> => {
  const searched = query.trim().replace(/^"(.*)"$/su, "$1")
  return searched.length < minValueLength ? [] : [searched]
}

/** Removes the searched text from the reason of a failure. */
const withoutSearched = (searched: ReadonlyArray<string>) =>
  Effect.mapError(
    (failure: ToolFailed) => new ToolFailed({ reason: String(withoutValues({ secrets: searched })(failure.reason)) })
  )

const orNull = (given: string | null | undefined, cut: Cut["text"]) =>
  given === null || given === undefined ? null : cut(given)

const eventItem = ({ highlights, metadata, tenant_metadata }: Event, { json, own, text }: Cut) => ({
  uid: own(metadata.uid),
  type: own(metadata.type),
  severity: own(tenant_metadata.severity?.override ?? metadata.severity),
  estimated_created_at: orNull(metadata.estimated_created_at, own),
  matched_at: orNull(metadata.matched_at, own),
  link: orNull(metadata.svc_url, own),
  untrusted_title: orNull(metadata.title, text),
  untrusted_highlights: json(highlights)
})

const tenantEventItem = (event: IdentifierEvent, cut: Cut) => {
  const { ignored_at, remediated_at, tags } = event.tenant_metadata
  return {
    ...eventItem(event, cut),
    status: ignored_at ? ("ignored" as const) : remediated_at ? ("remediated" as const) : ("open" as const),
    identifier_ids: event.identifiers.map(({ id }) => id),
    tags: tags.map(cut.text)
  }
}

const identifierItem = (
  { data, enrichments, group_id, id, is_disabled, name }: MonitoredIdentifier,
  { own, text }: Cut
) => ({
  id,
  name: orNull(name, own),
  type: own(data.type),
  matches: text(dataText(data)),
  is_disabled,
  group_id,
  event_count: enrichments?.event_count ?? null
})

const policyItem = ({ name, policy_type, uuid, value }: MatchingPolicy, { json, own }: Cut) => ({
  uuid: own(uuid),
  name: own(name),
  policy_type: own(policy_type),
  value: json(value)
})

const recommendationItem = ({ data, id, relevancy, status, updated_at }: Recommendation, { json, own }: Cut) => ({
  id,
  status: orNull(status, own),
  relevancy: orNull(relevancy, own),
  updated_at: orNull(updated_at, own),
  data: json(data)
})

const credentialQuery = (type: CredentialQuery["type"], value: string): Effect.Effect<CredentialQuery, ToolFailed> => {
  switch (type) {
    case "domain":
    case "auth_domain": {
      const fqdn = domainOf(value)
      return fqdn === undefined
        ? Effect.fail(new ToolFailed({ reason: "value is not a host name: give one such as example.com" }))
        : Effect.succeed({ type, fqdn })
    }
    case "email":
      return valueForms.email.isValid(value)
        ? Effect.succeed({ type, email: value })
        : Effect.fail(new ToolFailed({ reason: `value is not ${valueForms.email.form}` }))
    case "keyword":
      return Effect.succeed({ type, keyword: value })
    case "secret":
      return Effect.succeed({ type, secret: Redacted.make(value) })
  }
}

const credentialItem = (credential: Credential, { own, text }: Cut) => {
  const { domain, id, identity_name, imported_at, source, source_id } = credential
  return {
    id,
    untrusted_account: text(identity_name),
    untrusted_domain: orNull(domain, text),
    source_id: own(source_id),
    untrusted_source_name: orNull(source?.name, text),
    imported_at: own(imported_at),
    password: passwordFormOf(credential)
  }
}

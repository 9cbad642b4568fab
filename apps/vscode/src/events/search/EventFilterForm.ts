/** The questions for filters and searches, loaded with the first of them. */
import {
  type EventQuery,
  type EventStatus,
  globalEventTypes,
  identifierEventTypes
} from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { Clock, DateTime, Effect, Redacted } from "effect"
import { endOf, endPrompt, faultOfEnd, faultOfStart, startOf, startPrompt } from "../../editor/form/DateRange.ts"
import { filled } from "../../editor/form/Validation.ts"
import { type Cancelled, type Choice, Editor, type Step, type TextQuestion } from "../../editor/Editor.ts"
import { form, type FormStep, stepsOf, within } from "../../editor/form/Form.ts"
import { capitalized, count, t } from "../../words/Localisation.ts"
import { describe, type EventFilter, noFilter, severityText } from "./EventFilter.ts"
import { severityIcon } from "../list/EventRow.ts"
import { queryFields } from "./QueryFields.ts"
import { describeQuery, type SavedSearch } from "./SavedSearch.ts"
import { nameOfType } from "../../words/TypeNames.ts"

/** Asks until the person finishes; earlier choices are marked. */
const filterStep = (
  editor: Editor["Service"],
  title: string,
  scope: "global" | "identifiers"
): FormStep<EventFilter> => ({
  ask: Effect.fnUntraced(function* (before, step, keep) {
    let filter = before
    for (;;) {
      const part = yield* editor.pick(parts(filter, scope), {
        title,
        step,
        placeholder: describe(filter) || t("No filter")
      })
      if (part === "done") return filter
      if (part === "clear") filter = noFilter
      // Escape and Back in a part lead back to the list of parts.
      else filter = yield* editPart(editor, title, part, filter, step).pipe(Effect.catch(() => Effect.succeed(filter)))
      keep(filter)
    }
  })
})

/** Asks for a filter alone. */
export const editFilter = (
  before: EventFilter,
  title: string,
  scope: "global" | "identifiers"
): Effect.Effect<EventFilter, Cancelled, Editor> =>
  Effect.flatMap(Editor, (editor) => form([filterStep(editor, title, scope)], before))

type Part = "severity" | "type" | "time" | "tags" | "status" | "clear" | "done"

const parts = (filter: EventFilter, scope: "global" | "identifiers"): ReadonlyArray<Choice<Part>> => {
  const only = (part: EventFilter) => describe(part) || t("any")
  const { severity, type, estimated_created_at, tags, status } = filter
  const ofIdentifiers: ReadonlyArray<Choice<Part>> = [
    { label: t("Tags"), description: only(tags === undefined ? {} : { tags }), icon: "tag", value: "tags" },
    {
      label: t("Status"),
      description: only(status === undefined ? {} : { status }),
      icon: "circle-slash",
      value: "status"
    }
  ]
  return [
    { label: t("Apply"), icon: "check", value: "done" },
    {
      label: t("Severity"),
      description: only(severity === undefined ? {} : { severity }),
      icon: "warning",
      value: "severity"
    },
    { label: t("Type"), description: only(type === undefined ? {} : { type }), icon: "symbol-class", value: "type" },
    {
      label: t("Time"),
      description: only(estimated_created_at === undefined ? {} : { estimated_created_at }),
      icon: "calendar",
      value: "time"
    },
    ...(scope === "identifiers" ? ofIdentifiers : []),
    { label: t("Clear all"), icon: "clear-all", value: "clear" }
  ]
}

/** The answers in one part of a filter. */
interface PartAnswers {
  readonly filter: EventFilter
  /** Whether severities are chosen one by one. */
  readonly isExact: boolean
  /** Days back from now; 0 for any number, -1 for bounds that are asked for. */
  readonly days: number
  readonly start: string
  readonly end: string
  readonly tags: string
}

const editPart = Effect.fnUntraced(function* (
  editor: Editor["Service"],
  title: string,
  part: Exclude<Part, "clear" | "done">,
  filter: EventFilter,
  step: Step
): Effect.fn.Return<EventFilter, Cancelled> {
  const now = yield* Clock.currentTimeMillis
  const { estimated_created_at: when, severity, tags } = filter
  const answers = yield* form(
    stepsOfPart(editor, title, now)[part],
    {
      filter,
      isExact: typeof severity === "object",
      days: when === undefined ? 0 : -1,
      start: when?.gte ?? "",
      end: when?.lte ?? "",
      tags: tags?.join(", ") ?? ""
    },
    step.number
  )
  return answers.filter
})

const stepsOfPart = (
  editor: Editor["Service"],
  title: string,
  now: number
): Readonly<Record<Exclude<Part, "clear" | "done">, ReadonlyArray<FormStep<PartAnswers>>>> => {
  const { pick, pickMany, text } = stepsOf<PartAnswers>(editor, title)
  const hasBounds = ({ days }: PartAnswers) => days < 0
  return {
    severity: [
      pick<Severity | "any" | "exact">({
        choices: () => [
          { label: t("Any severity"), value: "any" },
          ...severities.toReversed().map((severity) => ({
            label: capitalized(severityText(severity)),
            icon: severityIcon(severity).id,
            value: severity
          })),
          { label: t("Exactly…"), value: "exact" }
        ],
        get: ({ filter: { severity }, isExact }) =>
          isExact ? "exact" : typeof severity === "string" ? severity : "any",
        set: (answers, chosen) =>
          chosen === "exact"
            ? { ...answers, isExact: true }
            : { ...answers, isExact: false, filter: withSeverity(answers.filter, chosen === "any" ? [] : chosen) }
      }),
      pickMany<Severity>({
        isAsked: ({ isExact }) => isExact,
        choices: () => severities.map((severity) => ({ label: capitalized(t(severity)), value: severity })),
        get: ({ filter: { severity } }) => (typeof severity === "object" ? severity : []),
        set: (answers, exact) => ({ ...answers, filter: withSeverity(answers.filter, exact) })
      })
    ],
    type: [
      pickMany<string>({
        choices: () =>
          [...new Set<string>([...identifierEventTypes, ...globalEventTypes])]
            .toSorted()
            .map((name) => ({ label: capitalized(nameOfType(name)), value: name })),
        get: ({ filter: { type = [] } }) => type,
        question: () => ({ placeholder: t("Types (none means all)") }),
        set: (answers, type) => {
          const { type: _, ...rest } = answers.filter
          return { ...answers, filter: type.length === 0 ? rest : { ...rest, type } }
        }
      })
    ],
    time: [
      pick<number>({
        choices: () => [
          { label: t("Any time"), value: 0 },
          ...[1, 7, 30, 90, 365].map((days) => ({
            label: count(days, "The last day", "The last {0} days"),
            value: days
          })),
          { label: t("From … to …"), value: -1 }
        ],
        get: ({ days }) => days,
        set: (answers, days) => ({
          ...answers,
          days,
          filter:
            days < 0
              ? answers.filter
              : withTime(answers.filter, days === 0 ? {} : { gte: `${dayBefore(now, days)}T00:00:00Z` })
        })
      }),
      text({
        isAsked: hasBounds,
        question: ({ start }) => ({ prompt: startPrompt(), value: start, check: faultOfStart }),
        set: (answers, start) => ({ ...answers, start })
      }),
      text({
        isAsked: hasBounds,
        question: ({ end, start }) => ({
          prompt: endPrompt(),
          value: end,
          check: (given) => faultOfEnd(given, start)
        }),
        set: (answers, end) => ({
          ...answers,
          end,
          filter: withTime(answers.filter, { gte: startOf(answers.start), lte: endOf(end) })
        })
      })
    ],
    tags: [
      text({
        question: ({ tags }) => ({ prompt: t("Tags, separated by commas"), value: tags }),
        set: (answers, typed) => {
          const { tags: _, ...rest } = answers.filter
          const tags = words(typed)
          return { ...answers, tags: typed, filter: tags.length === 0 ? rest : { ...rest, tags } }
        }
      })
    ],
    status: [
      pickMany<EventStatus>({
        choices: () =>
          (["open", "ignored", "remediated"] as const).map((state) => ({ label: capitalized(t(state)), value: state })),
        get: ({ filter: { status = [] } }) => status,
        set: (answers, status) => {
          const { status: _, ...rest } = answers.filter
          return { ...answers, filter: status.length === 0 ? rest : { ...rest, status } }
        }
      })
    ]
  }
}

const dayBefore = (now: number, days: number) =>
  DateTime.formatIso(DateTime.makeUnsafe(now - days * 86_400_000)).slice(0, 10)

const withSeverity = (filter: EventFilter, severity: Severity | ReadonlyArray<Severity>): EventFilter => {
  const { severity: _, ...rest } = filter
  return severity.length === 0 ? rest : { ...rest, severity }
}

const withTime = (
  filter: EventFilter,
  { gte, lte }: { readonly gte?: string | undefined; readonly lte?: string | undefined }
): EventFilter => {
  const { estimated_created_at: _, ...rest } = filter
  if (gte === undefined && lte === undefined) return rest
  const bounds = { ...(gte === undefined ? {} : { gte }), ...(lte === undefined ? {} : { lte }) }
  return { ...rest, estimated_created_at: bounds }
}

const words = (text: string) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "")

/** The answers to the questions for a query. */
interface QueryAnswers {
  readonly type: EventQuery["type"]
  /** By field, as they were typed. */
  readonly texts: Readonly<Record<string, string>>
  readonly isStrict: boolean
}

const noQuery: QueryAnswers = { type: "domain", texts: {}, isStrict: true }

/** Asks for one of the thirteen queries; a saved one is none of those with a secret, which no setting may hold. */
const querySteps = (
  editor: Editor["Service"],
  title: string,
  kind: "any" | "saved"
): ReadonlyArray<FormStep<QueryAnswers>> => {
  const { pick, text } = stepsOf<QueryAnswers>(editor, title)
  const types: ReadonlyArray<EventQuery["type"]> = [
    "domain",
    "email",
    "keyword",
    "query_string",
    "username",
    "github_repository",
    "brand",
    "name",
    "bin",
    "ip",
    "azure_tenant",
    ...(kind === "saved" ? [] : (["credentials", "secret"] as const))
  ]
  /** The question for the field at a place, where the query has so many. */
  const field = (place: number) =>
    text({
      isAsked: ({ type }) => place < queryFields[type].length,
      question: ({ texts, type }) => {
        const name = queryFields[type][place]
        return {
          prompt: name === undefined ? "" : promptOf(name),
          value: name === undefined ? undefined : texts[name],
          password: name === "password" || name === "secret",
          check: filled
        }
      },
      set: (answers, given) => {
        const name = queryFields[answers.type][place]
        return name === undefined ? answers : { ...answers, texts: { ...answers.texts, [name]: given } }
      }
    })
  return [
    pick<EventQuery["type"]>({
      choices: () => types.map((name) => ({ label: capitalized(nameOfType(name)), value: name })),
      get: ({ type }) => type,
      question: () => ({ placeholder: t("Search by") }),
      set: (answers, type) => ({ ...answers, type })
    }),
    field(0),
    field(1),
    pick<boolean>({
      isAsked: ({ type }) => type === "name",
      choices: () => [
        { label: t("Exactly this name"), value: true },
        { label: t("Similar names too"), value: false }
      ],
      get: ({ isStrict }) => isStrict,
      set: (answers, isStrict) => ({ ...answers, isStrict })
    })
  ]
}

const queryOf = ({ isStrict, texts, type }: QueryAnswers): EventQuery => {
  const answer = (field: string) => texts[field] ?? ""
  const text = (field: string) => answer(field).trim()
  switch (type) {
    case "domain":
      return { type, fqdn: text("fqdn") }
    case "email":
      return { type, email: text("email") }
    case "keyword":
      return { type, keyword: text("keyword") }
    case "query_string":
      return { type, query_string: text("query_string") }
    case "username":
      return { type, username: text("username") }
    case "github_repository":
      return { type, repo_owner: text("repo_owner"), repo_name: text("repo_name") }
    case "brand":
      return { type, name: text("name") }
    case "name":
      return { type, first_name: text("first_name"), last_name: text("last_name"), is_strict: isStrict }
    case "bin":
      return { type, bin: text("bin") }
    case "ip":
      return { type, ip: text("ip") }
    case "credentials":
      return { type, username: text("username"), password: Redacted.make(answer("password")) }
    case "secret":
      return { type, secret: Redacted.make(answer("secret")) }
    case "azure_tenant":
      return { type, tenant_id: text("tenant_id") }
  }
}

/** Asks for a query, and for a filter of what it finds. */
export const askSearch = (
  editor: Editor["Service"]
): Effect.Effect<{ readonly query: EventQuery; readonly filter: EventFilter }, Cancelled> => {
  const title = t("Search Events")
  interface Answers {
    readonly query: QueryAnswers
    readonly filter: EventFilter
  }
  return form<Answers>(
    [
      ...within<Answers, QueryAnswers>(querySteps(editor, title, "any"), {
        get: ({ query }) => query,
        set: (answers, query) => ({ ...answers, query })
      }),
      ...within<Answers, EventFilter>([filterStep(editor, title, "global")], {
        get: ({ filter }) => filter,
        set: (answers, filter) => ({ ...answers, filter })
      })
    ],
    { query: noQuery, filter: noFilter }
  ).pipe(Effect.map(({ filter, query }) => ({ filter, query: queryOf(query) })))
}

interface SavedAnswers {
  /** Whether the query stays the one that it was. */
  readonly isKept: boolean
  readonly query: QueryAnswers
  readonly filter: EventFilter
  /** Undefined until it was typed. */
  readonly name: string | undefined
}

/** Asks for a search to save, in the place of the one before; `others` have names that it cannot have. */
export const askSavedSearch = Effect.fnUntraced(function* (
  editor: Editor["Service"],
  before: SavedSearch | undefined,
  others: ReadonlyArray<SavedSearch>
): Effect.fn.Return<SavedSearch, Cancelled> {
  const title = before === undefined ? t("New Saved Search") : t("Edit Saved Search")
  const { pick, text } = stepsOf<SavedAnswers>(editor, title)
  const kept = before?.query
  const queryNow = ({ isKept, query }: SavedAnswers) => (isKept ? kept : queryOf(query))
  const answers = yield* form<SavedAnswers>(
    [
      pick<boolean>({
        isAsked: () => kept !== undefined,
        choices: () => [
          { label: t("Keep the query: {0}", kept === undefined ? "" : describeQuery(kept)), value: true },
          { label: t("Another query"), value: false }
        ],
        get: ({ isKept }) => isKept,
        set: (answers, isKept) => ({ ...answers, isKept })
      }),
      ...within<SavedAnswers, QueryAnswers>(querySteps(editor, title, "saved"), {
        isAsked: ({ isKept }) => !isKept,
        get: ({ query }) => query,
        set: (answers, query) => ({ ...answers, query })
      }),
      ...within<SavedAnswers, EventFilter>([filterStep(editor, title, "global")], {
        get: ({ filter }) => filter,
        set: (answers, filter) => ({ ...answers, filter })
      }),
      text({
        question: (answers) => {
          const query = queryNow(answers)
          const usual = before?.name ?? (query === undefined ? "" : describeQuery(query))
          return nameQuestion(answers.name ?? usual, others)
        },
        set: (answers, name) => ({ ...answers, name })
      })
    ],
    { isKept: kept !== undefined, query: noQuery, filter: before?.filters ?? noFilter, name: undefined }
  )
  const query = queryNow(answers)
  return {
    name: answers.name ?? "",
    ...(query === undefined ? {} : { query }),
    filters: answers.filter,
    ...(before?.order === undefined ? {} : { order: before.order })
  }
})

/** Asks for a name for a search. */
export const askName = (
  editor: Editor["Service"],
  search: SavedSearch,
  others: ReadonlyArray<SavedSearch>
): Effect.Effect<string, Cancelled> => {
  const usual = search.query === undefined ? "" : describeQuery(search.query)
  return editor.ask({ title: t("New Saved Search"), ...nameQuestion(usual, others) })
}

const nameQuestion = (value: string, others: ReadonlyArray<SavedSearch>): Partial<TextQuestion> => ({
  prompt: t("Name of the search"),
  value,
  check: (text) =>
    filled(text) ??
    (others.some((search) => search.name === text.trim()) ? t("A search with this name already exists") : undefined)
})

const promptOf = (field: (typeof queryFields)[EventQuery["type"]][number]): string => {
  switch (field) {
    case "fqdn":
      return t("The domain, such as example.com")
    case "email":
      return t("The address, such as someone@example.com")
    case "keyword":
      return t("The keyword")
    case "query_string":
      return t("The text to search for, in the service's query language")
    case "username":
      return t("The username")
    case "repo_owner":
      return t("The owner of the repository")
    case "repo_name":
      return t("The name of the repository")
    case "name":
      return t("The name of the brand")
    case "first_name":
      return t("The first name")
    case "last_name":
      return t("The last name")
    case "bin":
      return t("The first digits of the card number")
    case "ip":
      return t("The IP address")
    case "password":
      return t("The password; it is sent to the service")
    case "secret":
      return t("The secret; it is sent to the service")
    case "tenant_id":
      return t("ID of the Azure tenant")
  }
}

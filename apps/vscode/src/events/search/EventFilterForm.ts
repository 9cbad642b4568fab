import { type EventStatus, tenantEventTypes } from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { Clock, DateTime, Effect } from "effect"
import { endOf, endPrompt, faultOfEnd, faultOfStart, startOf, startPrompt } from "../../editor/form/DateRange.ts"
import { type Cancelled, type Choice, Editor, type Step } from "../../editor/Editor.ts"
import { form, type FormStep, stepsOf } from "../../editor/form/Form.ts"
import { capitalized, count, ofSeveral, t } from "../../words/Localisation.ts"
import { describe, type EventFilter, noFilter, severityText } from "./EventFilter.ts"
import { severityIcon } from "../list/EventRow.ts"
import { nameOfType } from "../../words/TypeNames.ts"

/** Lets the person edit parts of the filter until they apply it; current choices are marked. */
export const filterStep = (
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
      // Escape and Back in a part return to the list of parts.
      else filter = yield* editPart(editor, title, part, filter, step).pipe(Effect.catch(() => Effect.succeed(filter)))
      keep(filter)
    }
  })
})

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
      label: t("State"),
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

/** Answers for one part of a filter. */
interface PartAnswers {
  readonly filter: EventFilter
  /** Whether the person chooses severities one by one. */
  readonly isExact: boolean
  /** Days back from now; 0 means no limit, -1 means explicit bounds. */
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
          tenantEventTypes.toSorted().map((name) => ({ label: capitalized(nameOfType(name)), value: name })),
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
          (["open", "ignored", "remediated"] as const).map((state) => ({
            label: capitalized(ofSeveral(state)),
            value: state
          })),
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

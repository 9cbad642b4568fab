/** Questions for the tags, the note and the severity of events. */
import { type EventAnnotation, maxNotesLength, maxTagLength, maxTags } from "@threat-exposure/core/domain/Event"
import { severities, type Severity } from "@threat-exposure/core/domain/Severity"
import { Effect } from "effect"
import type { Cancelled, Editor } from "../../editor/Editor.ts"
import { capitalized, count, number, t } from "../../words/Localisation.ts"
import { type AnyEvent, severityOf } from "../AnyEvent.ts"
import { severityIcon } from "../list/EventRow.ts"

/** Returns a function from each event to its annotation. */
export type AskAnnotation = (
  editor: Editor["Service"],
  events: ReadonlyArray<AnyEvent>
) => Effect.Effect<(event: AnyEvent) => EventAnnotation, Cancelled>

export const askTags: AskAnnotation = Effect.fnUntraced(function* (editor, events) {
  const [first, ...others] = events.map(({ tenant_metadata }) => tenant_metadata.tags)
  const shared = (first ?? []).filter((tag) => others.every((tags) => tags.includes(tag)))
  const typed = yield* editor.ask({
    title: titleFor(t("Tags"), events),
    prompt: t("Tags, separated by commas"),
    value: shared.join(", "),
    check: (text) => faultOfTags(tagsIn(text))
  })
  const tags = tagsIn(typed)
  // Each event keeps the tags that the events do not share.
  return ({ tenant_metadata }) => ({
    tags: [...new Set([...tenant_metadata.tags.filter((tag) => !shared.includes(tag)), ...tags])]
  })
})

export const askNote: AskAnnotation = Effect.fnUntraced(function* (editor, events) {
  const notes = new Set(events.map(({ tenant_metadata }) => tenant_metadata.notes ?? ""))
  const [before = ""] = notes
  // The input has a single line and would join the lines of an existing note.
  const isAdded = notes.size > 1 || before.includes("\n")
  const typed = yield* editor.ask({
    title: titleFor(t("Note"), events),
    prompt: isAdded ? t("Added below the notes that are there") : t("Empty removes the note"),
    value: isAdded ? "" : before,
    check: (text) =>
      [...notes].some((note) => note.length + text.length >= maxNotesLength)
        ? t("At most {0} characters", number(maxNotesLength))
        : undefined
  })
  return ({ tenant_metadata: { notes } }) => {
    const next = isAdded ? [notes ?? "", typed].filter((part) => part !== "").join("\n") : typed
    return { notes: next === "" ? null : next }
  }
})

export const askSeverity: AskAnnotation = Effect.fnUntraced(function* (editor, events) {
  const [first, ...others] = events.map(severityOf)
  const shared = others.every((severity) => severity === first) ? first : undefined
  const severity = yield* editor.pick<Severity | null>(
    [
      ...severities.toReversed().map((each) => ({
        label: capitalized(t(each)),
        icon: severityIcon(each).id,
        picked: each === shared,
        value: each
      })),
      { label: t("As the service reports it"), icon: "discard", value: null }
    ],
    { title: titleFor(t("Severity"), events) }
  )
  return () => ({ severity })
})

const titleFor = (what: string, events: ReadonlyArray<AnyEvent>) =>
  events.length === 1 ? what : t("{0}: {1}", what, count(events.length, "{0} event", "{0} events"))

const tagsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "")
  )
]

const faultOfTags = (tags: ReadonlyArray<string>): string | undefined =>
  tags.length > maxTags
    ? t("At most {0} tags", maxTags)
    : tags.some((tag) => tag.length > maxTagLength)
      ? t("A tag has at most {0} characters", maxTagLength)
      : undefined

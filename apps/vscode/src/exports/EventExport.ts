/** Exports the events of a saved search, of an identifier, or of all known identifiers. */
import { Effect } from "effect"
import type { Call } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { form, stepsOf } from "../editor/form/Form.ts"
import { Register } from "../register/Register.ts"
import { number, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { masking, Settings } from "../editor/Settings.ts"
import type { Subject } from "../editor/tree/Subject.ts"
import { AllIdentifiersSubject, SavedSearchSubject } from "../events/EventSubjects.ts"
import { IdentifierSubject } from "../identifiers/IdentifierRow.ts"
import { both, describe, type EventFilter, isEmpty, keptFilter, noFilter } from "../events/search/EventFilter.ts"
import type { SavedSearch } from "../events/search/SavedSearch.ts"
import { keptIdentifierFilter } from "../identifiers/IdentifiersView.ts"
import { NotPossible } from "../editor/Problem.ts"
import { type EventFormat, eventFormats } from "./EventFormats.ts"
import { Exports } from "./Exports.ts"
import * as eventSettings from "../events/EventSettings.ts"

interface Answers {
  readonly subject: Subject
  readonly maxItems: number
  readonly format: EventFormat
  /** Whether to apply the filter of the view. */
  readonly isFiltered: boolean
}

/** Reads all pages, because nobody would notice missing identifiers in a file. */
const allIdentifiers = Effect.gen(function* () {
  const editor = yield* Editor
  const register = yield* Register
  return yield* editor.progress(t("Loading identifiers"), () => register.allIdentifiers)
})

const subjects = Effect.gen(function* () {
  const settings = yield* Settings
  const identifiers = yield* allIdentifiers
  const searches = yield* settings.get(eventSettings.savedSearches)
  const masked = yield* settings.get(masking)
  const hide = (name: string) => (masked ? maskText(name) : name)
  return [
    ...(identifiers.length === 0
      ? []
      : [{ label: t("All Identifiers"), icon: "organization", value: new AllIdentifiersSubject() }]),
    ...searches.map((search) => ({
      label: hide(search.name),
      icon: "search",
      value: new SavedSearchSubject(search)
    })),
    ...identifiers.map((identifier) => ({
      label: hide(identifier.name),
      icon: "eye",
      value: new IdentifierSubject(identifier)
    }))
  ]
})

/** Exports the events of the given row, or else of what the person chooses. */
export const exportEvents = Effect.fnUntraced(function* ({ subjects: [given] }: Call) {
  const editor = yield* Editor
  const exports = yield* Exports
  const choices = given === undefined ? yield* subjects : []
  const first = given ?? choices[0]?.value
  if (first === undefined) {
    return yield* new NotPossible({ message: t("Add an identifier or save a search first.") })
  }
  const identifiers = given instanceof IdentifierSubject ? [] : yield* allIdentifiers
  const filterOfView = yield* keptFilter
  const filterOfIdentifiers = yield* keptIdentifierFilter
  /** Filter of the view that shows the subject. */
  const filterOf = ({ subject }: Answers) => (subject instanceof IdentifierSubject ? filterOfIdentifiers : filterOfView)
  const { pick } = stepsOf<Answers>(editor, t("Export Events"))
  const answers = yield* form<Answers>(
    [
      pick<Subject>({
        isAsked: () => given === undefined,
        choices: () => choices,
        get: ({ subject }) => subject,
        question: () => ({ placeholder: t("What to export") }),
        set: (answers, subject) => ({ ...answers, subject })
      }),
      pick<number>({
        choices: () => [
          ...[100, 1000, 10_000].map((maxItems) => ({
            label: t("At most {0} events", number(maxItems)),
            description: t("up to {0} requests", number(maxItems / 10)),
            value: maxItems
          })),
          { label: t("All events"), value: Number.MAX_SAFE_INTEGER }
        ],
        get: ({ maxItems }) => maxItems,
        question: () => ({ placeholder: t("The service returns ten events per request") }),
        set: (answers, maxItems) => ({ ...answers, maxItems })
      }),
      pick<EventFormat>({
        choices: () => eventFormats.map((format) => ({ label: format.toUpperCase(), value: format })),
        get: ({ format }) => format,
        set: (answers, format) => ({ ...answers, format })
      }),
      // Ask, because a file does not show that it was filtered.
      pick<boolean>({
        isAsked: (answers) => !isEmpty(filterOf(answers)),
        choices: (answers) => [
          {
            label: t("What the view shows"),
            description: describe(filterOf(answers)),
            icon: "filter",
            value: true
          },
          { label: t("Everything, without the view's filter"), icon: "clear-all", value: false }
        ],
        get: ({ isFiltered }) => isFiltered,
        set: (answers, isFiltered) => ({ ...answers, isFiltered })
      })
    ],
    { subject: first, maxItems: 100, format: eventFormats[0], isFiltered: true }
  )
  const { format, maxItems, subject } = answers
  const filter = answers.isFiltered ? filterOf(answers) : noFilter
  const search = subject instanceof SavedSearchSubject ? narrowSearch(subject.search, filter) : undefined
  if (subject instanceof SavedSearchSubject && search === undefined) {
    return yield* new NotPossible({ message: t("No events match.") })
  }
  const uri = yield* editor.whereToSave(`events.${format}`, format.toUpperCase(), format)
  yield* exports.start(
    search !== undefined
      ? { _tag: "EventsOfSearch", search, format }
      : {
          _tag: "EventsOfIdentifiers",
          identifiers: (subject instanceof IdentifierSubject ? [subject.identifier] : identifiers).map(({ id }) => id),
          ...(isEmpty(filter) ? {} : { filters: filter }),
          format
        },
    { maxItems, uri }
  )
})

/** The search with the filter of the view added; undefined if nothing can match both. */
const narrowSearch = (search: SavedSearch, filter: EventFilter): SavedSearch | undefined => {
  const filters = both(search.filters ?? {}, filter)
  return filters === undefined ? undefined : isEmpty(filters) ? search : { ...search, filters }
}

/** Exports events of a saved search, of an identifier, or of all identifiers known here. */
import { Effect, Layer } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { masking, Settings } from "../editor/Settings.ts"
import type { Subject } from "../editor/Subject.ts"
import { AllIdentifiersSubject, SavedSearchSubject } from "../events/EventSubjects.ts"
import { IdentifierSubject } from "../identifiers/IdentifierRow.ts"
import { both, describe, type EventFilter, isEmpty, keptFilter, noFilter } from "../events/EventFilter.ts"
import type { SavedSearch } from "../events/SavedSearch.ts"
import { keptIdentifierFilter } from "../identifiers/IdentifiersView.ts"
import { NotPossible } from "../editor/Problem.ts"
import { eventFormats } from "./EventFormats.ts"
import { Exports } from "./Exports.ts"
import * as eventSettings from "../events/EventSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const register = yield* Register
    const exports = yield* Exports

    const choose = Effect.gen(function* () {
      const identifiers = yield* register.identifiers
      const searches = yield* settings.get(eventSettings.savedSearches)
      const masked = yield* settings.get(masking)
      const hide = (name: string) => (masked ? maskText(name) : name)
      return yield* editor.pick<Subject>(
        [
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
        ],
        { title: t("Export Events"), placeholder: t("What to export") }
      )
    })

    /** The filters of the view, or none. Asked first, because the file does not show what it lacks. */
    const chooseFilter = Effect.fnUntraced(function* (subject: Subject) {
      const kept = subject instanceof IdentifierSubject ? keptIdentifierFilter : keptFilter
      const filter = yield* Effect.provideService(kept, Editor, editor)
      if (isEmpty(filter)) return noFilter
      return yield* editor.pick<EventFilter>(
        [
          { label: t("What the view shows"), description: describe(filter), icon: "filter", value: filter },
          { label: t("Everything, without the view's filter"), icon: "clear-all", value: noFilter }
        ],
        { title: t("Export Events") }
      )
    })

    yield* commands.on(
      "events.export",
      Effect.fnUntraced(function* ({ subjects: [given] }) {
        const subject = given ?? (yield* choose)
        const identifiers = yield* register.identifiers
        const title = t("Export Events")
        const most = yield* editor.pick(
          [
            ...[100, 1000, 10_000].map((most) => ({
              label: t("At most {0} events", most),
              description: t("up to {0} requests", most / 10),
              value: most
            })),
            { label: t("All events"), value: Number.MAX_SAFE_INTEGER }
          ],
          { title, placeholder: t("The service gives ten events per request") }
        )
        const format = yield* editor.pick(
          eventFormats.map((format) => ({ label: format.toUpperCase(), value: format })),
          { title }
        )
        const filter = yield* chooseFilter(subject)
        const search = subject instanceof SavedSearchSubject ? narrowed(subject.search, filter) : undefined
        if (subject instanceof SavedSearchSubject && search === undefined) {
          return yield* new NotPossible({ message: t("No events match.") })
        }
        const uri = yield* editor.whereToSave(`events.${format}`, format.toUpperCase(), format)
        yield* exports.start(
          search !== undefined
            ? { _tag: "EventsOfSearch", search, format }
            : {
                _tag: "EventsOfIdentifiers",
                identifiers: (subject instanceof IdentifierSubject ? [subject.identifier] : identifiers).map(
                  ({ id }) => id
                ),
                ...(isEmpty(filter) ? {} : { filters: filter }),
                format
              },
          { most, uri }
        )
      })
    )
  })
)

/** The search with the filter of the view; undefined if nothing can match. */
const narrowed = (search: SavedSearch, filter: EventFilter): SavedSearch | undefined => {
  const filters = both(search.filters ?? {}, filter)
  return filters === undefined ? undefined : isEmpty(filters) ? search : { ...search, filters }
}

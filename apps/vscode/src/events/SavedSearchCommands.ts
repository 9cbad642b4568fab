/** Saves, changes and deletes searches in a setting. */
import { Effect, Layer } from "effect"
import { filled } from "../editor/Validation.ts"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Settings } from "../editor/Settings.ts"
import { isEmpty } from "./EventFilter.ts"
import { askQuery, describeQuery, editFilter } from "./EventFilterForm.ts"
import { SavedSearchSubject } from "./EventSubjects.ts"
import { replaceSearch, type SavedSearch } from "./SavedSearch.ts"
import * as eventSettings from "./EventSettings.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings

    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    const saveSearch = Effect.fnUntraced(function* (before: SavedSearch | undefined) {
      const title = before === undefined ? t("New Saved Search") : t("Edit Saved Search")
      const isKept =
        before?.query === undefined
          ? false
          : yield* editor.pick(
              [
                { label: t("Keep the query: {0}", describeQuery(before.query)), value: true },
                { label: t("Another query"), value: false }
              ],
              { title }
            )
      const query = isKept ? before?.query : yield* ask(askQuery(title, "saved"))
      const filters = yield* ask(editFilter(before?.filters ?? {}, title, "global"))
      yield* keep(title, before?.name, {
        name: before?.name ?? (query === undefined ? "" : describeQuery(query)),
        ...(query === undefined ? {} : { query }),
        filters,
        ...(before?.order === undefined ? {} : { order: before.order })
      })
    })

    /** Asks for the name; replaces the search called `before`. */
    const keep = Effect.fnUntraced(function* (title: string, before: string | undefined, search: SavedSearch) {
      const searches = yield* settings.get(eventSettings.savedSearches)
      const name = yield* editor.ask({
        title,
        prompt: t("Name of the search"),
        value: search.name,
        check: (text) =>
          filled(text) ??
          (text.trim() !== before && searches.some((search) => search.name === text.trim())
            ? t("A search with this name already exists")
            : undefined)
      })
      const setting = yield* editor.setting("savedSearches")
      const { filters, ...rest } = search
      const kept = { ...rest, name: name.trim(), ...(filters === undefined || isEmpty(filters) ? {} : { filters }) }
      yield* editor.setSetting("savedSearches", replaceSearch(setting, before ?? kept.name, [kept]))
    })

    yield* commands.on("events.saveSearch", () => saveSearch(undefined))
    yield* commands.on("events.editSearch", ({ subjects }) => {
      const [subject] = ofKind(subjects, SavedSearchSubject)
      return subject === undefined ? Effect.void : saveSearch(subject.search)
    })
    yield* commands.on("events.keepSearch", ({ subjects }) => {
      const [subject] = ofKind(subjects, SavedSearchSubject)
      if (subject === undefined) return Effect.void
      const { search } = subject
      const name = search.query === undefined ? "" : describeQuery(search.query)
      return keep(t("New Saved Search"), undefined, { ...search, name })
    })
    yield* commands.on(
      "events.deleteSearch",
      Effect.fnUntraced(function* ({ subjects }) {
        const names = ofKind(subjects, SavedSearchSubject).map(({ search }) => search.name)
        const [first] = names
        if (first === undefined) return
        yield* editor.confirm(
          names.length === 1 ? t("Delete the saved search {0}?", first) : t("Delete {0} saved searches?", names.length),
          t("They are removed from your settings. No event is deleted."),
          t("Delete")
        )
        const setting = yield* editor.setting("savedSearches")
        yield* editor.setSetting(
          "savedSearches",
          names.reduce<unknown>((left, name) => replaceSearch(left, name, []), setting)
        )
      })
    )
    yield* commands.on("events.editSettings", () =>
      editor.execute("workbench.action.openSettingsJson", {
        revealSetting: { key: "threatExposure.savedSearches" }
      })
    )
  })
)

/** Commands that save, change and delete searches in a setting. */
import { Effect, Layer } from "effect"
import { Commands, ofKind } from "../../editor/Commands.ts"
import { Editor } from "../../editor/Editor.ts"
import { t } from "../../words/Localisation.ts"
import { Settings } from "../../editor/Settings.ts"
import { isEmpty } from "./EventFilter.ts"
import { SavedSearchSubject } from "../EventSubjects.ts"
import { replaceSearch, type SavedSearch } from "./SavedSearch.ts"
import * as eventSettings from "../EventSettings.ts"

const form = Effect.promise(() => import("./EventForms.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings

    const saveSearch = Effect.fnUntraced(function* (before: SavedSearch | undefined) {
      const { askSavedSearch } = yield* form
      const searches = yield* settings.get(eventSettings.savedSearches)
      const others = searches.filter(({ name }) => name !== before?.name)
      yield* keep(before?.name, yield* askSavedSearch(editor, before, others))
    })

    /** Asks for the name, and saves the search in place of the one named `before`. */
    const keep = Effect.fnUntraced(function* (before: string | undefined, search: SavedSearch) {
      const setting = yield* editor.setting("savedSearches")
      const { filters, ...rest } = search
      const name = search.name.trim()
      const kept = { ...rest, name, ...(filters === undefined || isEmpty(filters) ? {} : { filters }) }
      yield* editor.setSetting("savedSearches", replaceSearch(setting, before ?? name, [kept]))
    })

    yield* commands.on("events.saveSearch", () => saveSearch(undefined))
    yield* commands.on("events.editSearch", ({ subjects }) => {
      const [subject] = ofKind(subjects, SavedSearchSubject)
      return subject === undefined ? Effect.void : saveSearch(subject.search)
    })
    yield* commands.on(
      "events.keepSearch",
      Effect.fnUntraced(function* ({ subjects }) {
        const [subject] = ofKind(subjects, SavedSearchSubject)
        if (subject === undefined) return
        const { search } = subject
        const { askName } = yield* form
        const name = yield* askName(editor, search, yield* settings.get(eventSettings.savedSearches))
        yield* keep(undefined, { ...search, name })
      })
    )
    yield* commands.on(
      "events.deleteSearch",
      Effect.fnUntraced(function* ({ subjects }) {
        const names = ofKind(subjects, SavedSearchSubject).map(({ search }) => search.name)
        const [first] = names
        if (first === undefined) return
        yield* editor.confirm(
          names.length === 1
            ? t("Delete the saved search “{0}”?", first)
            : t("Delete {0} saved searches?", names.length),
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

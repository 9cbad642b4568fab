/** Keeps searches in a setting, changes them and drops them. */
import { Effect, Layer } from "effect"
import { filled } from "../Checks.ts"
import { Commands } from "../Commands.ts"
import { Editor } from "../Editor.ts"
import { t } from "../Localisation.ts"
import { Settings } from "../Settings.ts"
import { isEmpty } from "./EventFilter.ts"
import { askQuery, describeQuery, editFilter } from "./EventFilterEditor.ts"
import type { SavedSearch } from "./SavedSearch.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings

    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    const saveSearch = Effect.fnUntraced(function* (before: SavedSearch | undefined) {
      const title = before === undefined ? t("New Saved Search") : t("Edit Saved Search")
      const searches = yield* settings.get("savedSearches")
      const keep =
        before?.query === undefined
          ? false
          : yield* editor.pick(
              [
                { label: t("Keep the query: {0}", describeQuery(before.query)), value: true },
                { label: t("Another query"), value: false }
              ],
              { title }
            )
      const query = keep ? before?.query : yield* ask(askQuery(title, "saved"))
      const filters = yield* ask(editFilter(before?.filters ?? {}, title, "global"))
      const name = yield* editor.ask({
        title,
        prompt: t("Name of the search"),
        value: before?.name ?? (query === undefined ? "" : describeQuery(query)),
        check: (text) =>
          filled(text) ??
          (text.trim() !== before?.name && searches.some((search) => search.name === text.trim())
            ? t("There is a search of this name already")
            : undefined)
      })
      const search: SavedSearch = {
        name: name.trim(),
        ...(query === undefined ? {} : { query }),
        ...(isEmpty(filters) ? {} : { filters }),
        ...(before?.order === undefined ? {} : { order: before.order })
      }
      const next =
        before === undefined
          ? [...searches, search]
          : searches.map((each) => (each.name === before.name ? search : each))
      yield* settings.set("savedSearches", next)
    })

    yield* commands.on("events.saveSearch", () => saveSearch(undefined))
    yield* commands.on("events.editSearch", ({ subjects: [subject] }) =>
      subject?._tag === "SavedSearch" ? saveSearch(subject.search) : Effect.void
    )
    yield* commands.on(
      "events.deleteSearch",
      Effect.fnUntraced(function* ({ subjects }) {
        const names = new Set(
          subjects.flatMap((subject) => (subject._tag === "SavedSearch" ? [subject.search.name] : []))
        )
        const searches = yield* settings.get("savedSearches")
        yield* settings.set(
          "savedSearches",
          searches.filter(({ name }) => !names.has(name))
        )
      })
    )
  })
)

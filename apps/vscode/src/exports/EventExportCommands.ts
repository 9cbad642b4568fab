/** Exports events of a saved search, of an identifier, or of all identifiers known here. */
import { Effect, Layer } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { Settings } from "../editor/Settings.ts"
import type { Subject } from "../editor/Subject.ts"
import { eventFormats } from "./EventFormats.ts"
import { Exports } from "./Exports.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const register = yield* Register
    const exports = yield* Exports

    const choose = Effect.gen(function* () {
      const identifiers = yield* register.identifiers
      const searches = yield* settings.get("savedSearches")
      return yield* editor.pick<Subject>(
        [
          ...(identifiers.length === 0
            ? []
            : [{ label: t("All Identifiers"), icon: "organization", value: { _tag: "AllIdentifiers" as const } }]),
          ...searches.map((search) => ({
            label: search.name,
            icon: "search",
            value: { _tag: "SavedSearch" as const, search }
          })),
          ...identifiers.map((identifier) => ({
            label: identifier.name,
            icon: "eye",
            value: { _tag: "Identifier" as const, identifier }
          }))
        ],
        { title: t("Export Events"), placeholder: t("Of what?") }
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
        const uri = yield* editor.whereToSave(`events.${format}`, format.toUpperCase(), format)
        yield* exports.start(
          subject._tag === "SavedSearch"
            ? { _tag: "EventsOfSearch", search: subject.search, format }
            : {
                _tag: "EventsOfIdentifiers",
                identifiers: (subject._tag === "Identifier" ? [subject.identifier] : identifiers).map(({ id }) => id),
                format
              },
          { most, uri }
        )
      })
    )
  })
)

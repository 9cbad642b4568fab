/** Searches credentials, loads more of them, and opens one. */
import { Effect, Layer, Predicate } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { Pages } from "../editor/Pages.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { localTime } from "../words/Dates.ts"
import { t } from "../words/Localisation.ts"
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { askRequest } from "./CredentialSearchForm.ts"
import { CredentialSearches, describeQuery } from "./CredentialSearches.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const pages = yield* Pages
    const searches = yield* CredentialSearches

    yield* commands.on(
      "credentials.search",
      Effect.fnUntraced(function* () {
        const request = yield* Effect.provideService(askRequest, Editor, editor)
        const { id } = yield* searches.start(request)
        yield* pages.open("credentials", id, t("Credentials {0}", describeQuery(request.query, true)))
      })
    )

    yield* commands.on(
      "credentials.again",
      Effect.fnUntraced(function* ({ args: [id] }) {
        const search = Predicate.isString(id) ? yield* searches.restart(id) : undefined
        if (search === undefined) return
        yield* editor.progress(t("Searching credentials"), () => search.listing.first)
        yield* pages.changed("credentials", search.id)
      })
    )

    yield* commands.on(
      "credentials.loadMore",
      Effect.fnUntraced(function* ({ args: [given] }) {
        const { id, listing } = yield* searches.current(given)
        yield* editor.progress(t("Loading more credentials"), () => listing.more)
        yield* pages.changed("credentials", id)
      })
    )

    yield* commands.on(
      "credentials.open",
      Effect.fnUntraced(function* ({ args: [given] }) {
        const { id, listing } = yield* searches.current(given)
        const isMasked = yield* settings.get(masking)
        const credential = yield* editor.pick(
          listing.now().items.map((each) => ({
            label: isMasked ? maskedAccount(each.identity_name) : each.identity_name,
            description: each.source?.name ?? each.source_id,
            detail: localTime(each.imported_at),
            value: each
          })),
          { title: t("Open Credential") }
        )
        yield* pages.open("credential", `${id}/${credential.id}`, maskedAccount(credential.identity_name))
      })
    )
  })
)

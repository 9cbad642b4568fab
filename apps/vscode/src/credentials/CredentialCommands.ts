/** Commands to search credentials, load more of them, and open one. */
import { Effect, Layer, Predicate } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { Pages } from "../editor/page/Pages.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { localTime } from "../words/Dates.ts"
import { t } from "../words/Localisation.ts"
import { accountName } from "../words/Mask.ts"
import { CredentialPanels } from "./CredentialPanels.ts"
import { CredentialSearches } from "./CredentialSearches.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const pages = yield* Pages
    const searches = yield* CredentialSearches
    const panels = yield* CredentialPanels

    yield* commands.on(
      "credentials.search",
      // The form asks for everything else.
      () => panels.openForm
    )

    yield* commands.on(
      "credentials.searchAccount",
      Effect.fnUntraced(function* ({ args: [email] }) {
        if (!Predicate.isString(email)) return
        const { id } = yield* searches.start({ query: { type: "email", email }, include: [] })
        yield* panels.openSearch(id)
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
            label: accountName(each.identity_name, isMasked),
            description: each.source?.name ?? each.source_id,
            detail: localTime(each.imported_at),
            value: each
          })),
          { title: t("Open Credential") }
        )
        yield* panels.openCredential(`${id}/${credential.id}`)
      })
    )
  })
)

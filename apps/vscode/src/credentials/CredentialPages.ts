/** Provides the results of a credential search, and single credentials, as text pages on request. */
import { Effect, Layer } from "effect"
import { Detection } from "../detection/Detection.ts"
import type { Lens } from "../editor/Editor.ts"
import { type Page, Pages } from "../editor/page/Pages.ts"
import { PageWriter } from "../editor/page/PageWriter.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { t } from "../words/Localisation.ts"
import { CredentialSearches, describeQuery } from "./CredentialSearches.ts"

const part = Effect.promise(() => import("./CredentialPart.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* Settings
    const pages = yield* Pages
    const searches = yield* CredentialSearches
    const detection = yield* Detection

    yield* pages.renderedBy(
      "credentials",
      Effect.fnUntraced(function* (id) {
        const search = searches.get(id)
        if (search === undefined) return gone(yield* searches.kept(id), id)
        const { credentialsMarkdown } = yield* part
        const listed = yield* search.listing.first
        const masked = yield* settings.get(masking)
        const title = t("Credentials: {0}", describeQuery(search.request.query, masked))
        const lens = (name: string, title: string): Lens => ({ line: 0, command: { name, title, args: [id] } })
        return {
          written: credentialsMarkdown(title, listed, masked),
          lenses: [
            ...(listed.hasMore ? [lens("credentials.loadMore", `$(add) ${t("Load More")}`)] : []),
            ...(listed.items.length === 0
              ? []
              : [
                  lens("credentials.open", `$(go-to-file) ${t("Open One…")}`),
                  lens("credentials.export", `$(save) ${t("Export…")}`)
                ])
          ]
        }
      })
    )

    const documentOf = Effect.fnUntraced(function* (id: string) {
      const found = searches.credential(id)
      if (found === undefined) return undefined
      const { credentialDocument } = yield* part
      const options = { masked: yield* settings.get(masking), secretsIn: (yield* detection.load).secretsIn }
      return { ...found, options, document: credentialDocument(found.item, options) }
    })

    yield* pages.renderedBy(
      "credential",
      Effect.fnUntraced(function* (id, reveals) {
        const found = yield* documentOf(id)
        if (found === undefined) return gone(undefined, id)
        const { credentialMarkdown } = yield* part
        const uid = found.item.event_uid
        return {
          written: credentialMarkdown(found.document, reveals),
          lenses:
            uid === null
              ? []
              : [
                  {
                    line: 0,
                    command: { name: "events.openPage", title: `$(pulse) ${t("Open the event")}`, args: [uid] }
                  }
                ]
        }
      })
    )

    yield* pages.renderedBy(
      "credentialJson",
      Effect.fnUntraced(function* (id) {
        const found = yield* documentOf(id)
        if (found === undefined) return gone(undefined, id)
        const { credentialJson } = yield* part
        return { written: { text: credentialJson(found.item, found.options), secretLines: [] } }
      })
    )

    const gone = (kept: unknown, id: string): Page =>
      kept === undefined
        ? {
            written: new PageWriter()
              .heading(1, t("Search Credentials"))
              .paragraph(t("This search is no longer available. Search again."))
              .done()
          }
        : {
            written: new PageWriter()
              .heading(1, t("Search Credentials"))
              .paragraph(
                t(
                  "Results are not kept when the window reloads. Searching again uses one unit of quota for every hundred results."
                )
              )
              .done(),
            lenses: [
              {
                line: 0,
                command: { name: "credentials.again", title: `$(search) ${t("Search Again")}`, args: [id] }
              }
            ]
          }
  })
)

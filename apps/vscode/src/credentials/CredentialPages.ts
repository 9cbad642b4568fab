/** The pages of a credential search and of one credential. */
import { Effect, Layer } from "effect"
import { type Page, Pages } from "../editor/Pages.ts"
import { type Content, PageWriter } from "../editor/PageWriter.ts"
import { masked, withoutSecrets } from "../editor/Secrets.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { Detection } from "../detection/Detection.ts"
import { localDate, localTime } from "../words/Dates.ts"
import { count, currentLanguage, t } from "../words/Localisation.ts"
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { maskText } from "../words/Mask.ts"
import { CredentialSearches, describeQuery } from "./CredentialSearches.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const settings = yield* Settings
    const pages = yield* Pages
    const searches = yield* CredentialSearches
    const detection = yield* Detection

    yield* pages.renderedBy(
      "credentials",
      Effect.fnUntraced(function* (id, reveals) {
        const search = searches.get(id)
        const page = new PageWriter(reveals)
        if (search === undefined) {
          const kept = yield* searches.kept(id)
          if (kept === undefined) {
            return {
              written: page
                .heading(1, t("Search Credentials"))
                .paragraph(t("This search is no longer available. Search again."))
                .done()
            }
          }
          const isMasked = yield* settings.get(masking)
          return {
            written: page
              .heading(1, t("Credentials {0}", describeQuery(kept.query, isMasked)))
              .paragraph(t("Results are not kept over a reload. Every hundred of them use one unit of quota again."))
              .done(),
            lenses: [
              {
                line: 0,
                command: { name: "credentials.again" as const, title: `$(search) ${t("Search Again")}`, args: [id] }
              }
            ]
          }
        }
        const { items, hasMore } = yield* search.listing.first
        const isMasked = yield* settings.get(masking)
        page.heading(1, t("Credentials {0}", describeQuery(search.request.query, isMasked)))
        page.paragraph(
          items.length === 0
            ? t("No credential matches.")
            : [
                hasMore
                  ? t("The first {0} are shown; there are more.", items.length)
                  : count(items.length, "{0} credential matches.", "{0} credentials match."),
                t("Secrets are masked here: open a credential to reveal its own.")
              ].join(" ")
        )
        const hasHosts = search.request.include.includes("auth_domains")
        if (items.length > 0) {
          page.table(
            [t("Account"), t("Secret"), t("Source"), t("Imported"), ...(hasHosts ? [t("Used at")] : [])],
            items.map((item) => {
              const cells = [
                isMasked ? maskedAccount(item.identity_name) : item.identity_name,
                item.hash === null ? "" : `${masked} ${item.hash_type ?? t("clear")}`,
                item.source?.name ?? item.source_id,
                localDate(item.imported_at)
              ]
              return hasHosts ? cells.concat(item.auth_domains?.slice(0, 5).join(", ") ?? "") : cells
            })
          )
        }
        const lenses: Page["lenses"] = [
          ...(hasMore
            ? [
                {
                  line: 0,
                  command: { name: "credentials.loadMore" as const, title: `$(add) ${t("Load More")}`, args: [id] }
                }
              ]
            : []),
          ...(items.length === 0
            ? []
            : [
                {
                  line: 0,
                  command: { name: "credentials.open" as const, title: `$(go-to-file) ${t("Open One…")}`, args: [id] }
                },
                {
                  line: 0,
                  command: { name: "credentials.export" as const, title: `$(save) ${t("Export…")}`, args: [id] }
                }
              ])
        ]
        return { written: page.done(), lenses }
      })
    )

    yield* pages.renderedBy("credential", (id, reveals) =>
      Effect.gen(function* () {
        const [search = "", number = ""] = id.split("/")
        const item = searches
          .get(search)
          ?.listing.now()
          .items.find((each) => String(each.id) === number)
        const page = new PageWriter(reveals)
        if (item === undefined) {
          return {
            written: page
              .heading(1, t("Credential"))
              .paragraph(t("This search is no longer available. Search again."))
              .done()
          }
        }
        const isMasked = yield* settings.get(masking)
        page.heading(1, isMasked ? maskedAccount(item.identity_name) : item.identity_name)
        page.field(t("ID"), String(item.id))
        if (item.domain !== null) page.field(t("Domain"), item.domain)
        if (item.hash !== null) page.secret(t("Secret"), item.hash)
        page.field(t("Kind of secret"), item.hash_type ?? t("unknown, perhaps in clear"))
        page.field(t("Imported"), `${localTime(item.imported_at)} (${item.imported_at})`)
        if (item.known_password_id !== null) page.field(t("Known password"), String(item.known_password_id))
        if (item.event_uid !== null) page.field(t("Event"), item.event_uid)
        if (item.auth_domains !== undefined) page.list(t("Used at"), item.auth_domains)
        if (item.urls !== undefined) {
          const { secretsIn } = yield* detection.load
          page.list(
            t("Addresses"),
            item.urls.map((url): Content => {
              const secrets = secretsIn(url)
              return isMasked ? maskText(withoutSecrets(url, secrets)) : { text: url, secrets }
            })
          )
        }
        if (item.source !== null) {
          const { name, description_en, description_fr, breached_at, leaked_at, pii_tags, url } = item.source
          page.heading(2, t("Source"))
          page.field(t("Name"), name ?? item.source_id)
          if (breached_at !== null) page.field(t("Breached at"), localTime(breached_at))
          if (leaked_at !== null) page.field(t("Leaked at"), localTime(leaked_at))
          if (pii_tags !== null && pii_tags.length > 0) page.field(t("Data"), pii_tags.join(", "))
          if (url !== null) page.field(t("URL"), url)
          const description = currentLanguage().startsWith("fr")
            ? (description_fr ?? description_en)
            : (description_en ?? description_fr)
          if (description !== null) page.block(t("Description"), description)
        }
        const uid = item.event_uid
        return {
          written: page.done(),
          lenses:
            uid === null
              ? []
              : [
                  {
                    line: 0,
                    command: { name: "events.openPage" as const, title: `$(pulse) ${t("Open the event")}`, args: [uid] }
                  }
                ]
        }
      })
    )
  })
)

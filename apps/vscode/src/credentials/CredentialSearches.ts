/** Search Credentials…: the five queries of docs/api.md#search-credentials, shown as a table that grows, exported on request. */
import type {
  Credential,
  CredentialFilters,
  CredentialInclude,
  CredentialQuery
} from "@threat-exposure/core/domain/Credential"
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Effect, Layer, Option, Predicate, Redacted, Stream } from "effect"
import { filled } from "../editor/Validation.ts"
import { Commands } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { credentialFormats } from "../exports/CredentialFormats.ts"
import { Exports } from "../exports/Exports.ts"
import { type Listing, makeListing } from "../listing/Listing.ts"
import { count, currentLanguage, t } from "../words/Localisation.ts"
import { LeakEngine } from "../leaks/LeakEngine.ts"
import { maskAccount, maskText } from "../words/Mask.ts"
import { type Page, Pages } from "../editor/Pages.ts"
import { type Content, PageWriter } from "../editor/PageWriter.ts"
import { masked, withoutSecrets } from "../editor/Secrets.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { credentialPages, type CredentialRequest, pageSize } from "./CredentialRequest.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localDate, localTime } from "../words/Dates.ts"

interface Search {
  readonly request: CredentialRequest
  readonly listing: Listing<Credential, Failure>
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const settings = yield* Settings
    const pages = yield* Pages
    const exports = yield* Exports
    const { load } = yield* LeakEngine
    const searches = new Map<string, Search>()
    // What was found under one profile is not gone on with under another.
    yield* profiles.changes.pipe(
      Stream.runForEach(() => Effect.sync(() => searches.clear())),
      Effect.forkScoped
    )
    let last = 0
    const title = t("Search Credentials")

    yield* commands.on(
      "credentials.search",
      Effect.fnUntraced(function* () {
        const query = yield* askQuery(editor, title)
        const filters = yield* askRange(editor, title)
        const include = yield* editor.pickMany<CredentialInclude>(
          [
            { label: t("Where it was used (auth domains)"), value: "auth_domains" },
            { label: t("Addresses (URLs)"), value: "urls" },
            { label: t("Id of a known password"), value: "known_password_id" }
          ],
          { title, placeholder: t("What else to ask for; none is fine") }
        )
        const request: CredentialRequest = { query, ...(filters === undefined ? {} : { filters }), include }
        const listing = yield* makeListing<Credential, Failure, never>({
          size: 1,
          key: ({ id }) => String(id),
          page: (from) =>
            Effect.map(
              connections.ask(Stream.runHead(credentialPages(request, from))),
              Option.getOrElse(() => ({ items: [], next: null }))
            )
        })
        last += 1
        const id = String(last)
        searches.set(id, { request, listing })
        yield* pages.open("credentials", id, t("Credentials {0}", describeQuery(query, true)))
      })
    )

    const current = Effect.fnUntraced(function* (given: unknown) {
      const active = yield* pages.active
      const id = Predicate.isString(given)
        ? given
        : Option.isSome(active) && active.value.kind === "credentials"
          ? active.value.id
          : [...searches.keys()].at(-1)
      const search = id === undefined ? undefined : searches.get(id)
      return id === undefined || search === undefined
        ? yield* new NotPossible({ message: t("Search credentials first.") })
        : { id, search }
    })

    yield* commands.on(
      "credentials.loadMore",
      Effect.fnUntraced(function* ({ args: [given] }) {
        const { id, search } = yield* current(given)
        yield* editor.progress(t("Loading more credentials"), () => search.listing.more)
        yield* pages.changed("credentials", id)
      })
    )

    yield* commands.on(
      "credentials.open",
      Effect.fnUntraced(function* ({ args: [given] }) {
        const { id, search } = yield* current(given)
        const isMasked = yield* settings.get(masking)
        const credential = yield* editor.pick(
          search.listing.now().items.map((each) => ({
            label: isMasked ? maskAccount(each.identity_name) : each.identity_name,
            description: each.source?.name ?? each.source_id,
            detail: localTime(each.imported_at),
            value: each
          })),
          { title: t("Open Credential") }
        )
        yield* pages.open("credential", `${id}/${credential.id}`, maskAccount(credential.identity_name))
      })
    )

    yield* commands.on(
      "credentials.export",
      Effect.fnUntraced(function* ({ args: [given] }) {
        const { search } = yield* current(given)
        const title = t("Export Credentials")
        const most = yield* editor.pick(
          [
            ...[100, 1000, 10_000].map((most) => ({
              label: t("At most {0} credentials", most),
              description: count(most / pageSize, "up to {0} unit of quota", "up to {0} units of quota"),
              value: most
            })),
            {
              label: t("All credentials"),
              description: t("one unit of quota for every {0}", pageSize),
              value: Number.MAX_SAFE_INTEGER
            }
          ],
          { title }
        )
        const format = yield* editor.pick(
          credentialFormats.map((each) => ({ label: each.toUpperCase(), value: each })),
          { title }
        )
        const isClear = yield* editor.pick(
          [
            { label: t("Mask the secrets"), icon: "eye-closed", value: false },
            { label: t("Write the secrets in clear"), icon: "warning", value: true }
          ],
          { title }
        )
        if (isClear) {
          yield* editor.confirm(
            t("Write passwords in clear?"),
            t(
              "The file will hold passwords that anybody who can read it can use. Keep it off shared folders and out of git, and delete it when you are done."
            ),
            t("Write in Clear")
          )
        }
        const uri = yield* editor.whereToSave(`credentials.${format}`, format.toUpperCase(), format)
        yield* exports.start({ _tag: "Credentials", request: search.request, format, isClear }, { most, uri })
      })
    )

    yield* pages.renderedBy(
      "credentials",
      Effect.fnUntraced(function* (id, reveals) {
        const search = searches.get(id)
        const page = new PageWriter(reveals)
        if (search === undefined) {
          return {
            written: page.heading(1, title).paragraph(t("This search has ended: search again.")).done()
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
                isMasked ? maskAccount(item.identity_name) : item.identity_name,
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
            written: page.heading(1, t("Credential")).paragraph(t("This search has ended: search again.")).done()
          }
        }
        const isMasked = yield* settings.get(masking)
        page.heading(1, isMasked ? maskAccount(item.identity_name) : item.identity_name)
        page.field(t("Number"), String(item.id))
        if (item.domain !== null) page.field(t("Domain"), item.domain)
        if (item.hash !== null) page.secret(t("Secret"), item.hash)
        page.field(t("Kind of secret"), item.hash_type ?? t("unknown, perhaps in clear"))
        page.field(t("Imported"), `${localTime(item.imported_at)} (${item.imported_at})`)
        if (item.known_password_id !== null) page.field(t("Known password"), String(item.known_password_id))
        if (item.event_uid !== null) page.field(t("Event"), item.event_uid)
        if (item.auth_domains !== undefined) page.list(t("Used at"), item.auth_domains)
        if (item.urls !== undefined) {
          const { secretsIn } = yield* load
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

const askQuery = (editor: Editor["Service"], title: string): Effect.Effect<CredentialQuery, Cancelled> =>
  Effect.gen(function* () {
    const type = yield* editor.pick<CredentialQuery["type"]>(
      [
        { label: t("Domain"), detail: t("Accounts whose address is at a domain"), icon: "globe", value: "domain" },
        {
          label: t("Service domain"),
          detail: t("Accounts seen used to log in at a domain"),
          icon: "sign-in",
          value: "auth_domain"
        },
        { label: t("E-mail address"), detail: t("Exactly one address"), icon: "mail", value: "email" },
        { label: t("User name"), detail: t("What stands before the at sign"), icon: "account", value: "keyword" },
        { label: t("Password"), detail: t("Accounts that have exactly this password"), icon: "lock", value: "secret" }
      ],
      { title, placeholder: t("Search by (every hundred results use one unit of quota)") }
    )
    const text = yield* editor.ask({
      title,
      prompt: nameOfType(type),
      password: type === "secret",
      check: filled
    })
    switch (type) {
      case "domain":
      case "auth_domain":
        return { type, fqdn: text.trim() }
      case "email":
        return { type, email: text.trim() }
      case "keyword":
        return { type, keyword: text.trim() }
      case "secret":
        return { type, secret: Redacted.make(text) }
    }
  })

const askRange = (editor: Editor["Service"], title: string): Effect.Effect<CredentialFilters | undefined, Cancelled> =>
  Effect.gen(function* () {
    const days = yield* editor.pick(
      [
        { label: t("Imported at any time"), value: 0 },
        ...[7, 30, 365].map((count) => ({ label: t("Imported in the last {0} days", count), value: count })),
        { label: t("From … to …"), value: -1 }
      ],
      { title }
    )
    if (days === 0) return undefined
    if (days > 0) {
      const since = DateTime.subtract(yield* DateTime.now, { days })
      return { imported_at: { gte: DateTime.formatIso(since) } }
    }
    const bound = (prompt: string, time: string, earliest?: string) =>
      Effect.map(
        editor.ask({ title, prompt, check: (text) => faultOfBound(text.trim(), time, earliest) }),
        (text) => boundOf(text.trim(), time) ?? null
      )
    const gte = yield* bound(t("From (a date such as 2026-01-31; empty for no bound)"), "00:00:00Z")
    const lte = yield* bound(t("To (a date such as 2026-01-31; empty for no bound)"), lastOfDay, gte ?? undefined)
    return { imported_at: { gte, lte } }
  })

const lastOfDay = "23:59:59.999999Z"

/** A date alone means its first moment, or its last. */
const boundOf = (text: string, time: string) =>
  text === "" ? undefined : text.length === 10 ? `${text}T${time}` : text

const faultOfBound = (text: string, time: string, earliest: string | undefined) => {
  const bound = boundOf(text, time)
  if (bound === undefined) return undefined
  if (Option.isNone(toDateTime(bound))) return t("This is not a date: write it as 2026-01-31")
  return earliest !== undefined && toSortable(bound) < toSortable(earliest)
    ? t("This is before the first date")
    : undefined
}

/** Without a secret. */
const describeQuery = (query: CredentialQuery, isMasked: boolean): string => {
  switch (query.type) {
    case "domain":
    case "auth_domain":
      return query.fqdn
    case "email":
      return isMasked ? maskAccount(query.email) : query.email
    case "keyword":
      return isMasked ? maskAccount(query.keyword) : query.keyword
    case "secret":
      return t("with one password")
  }
}

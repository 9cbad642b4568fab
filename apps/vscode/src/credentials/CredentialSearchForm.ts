/** The questions of Search Credentials…: the five queries of docs/api.md#search-credentials. */
import type { CredentialFilters, CredentialInclude, CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { toDateTime, toSortable } from "@threat-exposure/core/domain/Timestamp"
import { DateTime, Effect, Option, Redacted } from "effect"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { filled } from "../editor/Validation.ts"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import type { CredentialRequest } from "./CredentialRequest.ts"

export const askRequest: Effect.Effect<CredentialRequest, Cancelled, Editor> = Effect.gen(function* () {
  const editor = yield* Editor
  const title = t("Search Credentials")
  const query = yield* askQuery(editor, title)
  const filters = yield* askRange(editor, title)
  const include = yield* editor.pickMany<CredentialInclude>(
    [
      { label: t("Where it was used (auth domains)"), value: "auth_domains" },
      { label: t("Addresses (URLs)"), value: "urls" },
      { label: t("ID of a known password"), value: "known_password_id" }
    ],
    { title, placeholder: t("Extra fields (optional)") }
  )
  return { query, ...(filters === undefined ? {} : { filters }), include }
})

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
        { label: t("User name"), detail: t("Part before the @"), icon: "account", value: "keyword" },
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

/** Form of a credential search: the five queries of docs/api.md#search-credentials, a time range, and extra fields. */
import {
  type CredentialFilters,
  CredentialInclude,
  type CredentialQuery,
  credentialQueryTypes
} from "@threat-exposure/core/domain/Credential"
import { DateTime, Redacted } from "effect"
import { endOf, faultOfEnd, faultOfStart, startOf } from "../editor/form/DateRange.ts"
import { filled } from "../editor/form/Validation.ts"
import { html, type Html, sends } from "../editor/page/Html.ts"
import { t } from "../words/Localisation.ts"
import type { CredentialMessage, SearchValues } from "./CredentialMessage.ts"
import type { CredentialRequest } from "./CredentialRequest.ts"

/** One sentence for each invalid field. */
export type SearchFaults = Readonly<Partial<Record<"text" | "from" | "to", string>>>

export const emptyForm: SearchValues = { type: "domain", text: "", days: "0", from: "", to: "", include: [] }

/** Field values of an earlier search, without its password, which would be visible on the page. */
export const valuesOf = ({ filters, include, query }: CredentialRequest): SearchValues => ({
  type: query.type,
  text:
    query.type === "secret"
      ? ""
      : query.type === "email"
        ? query.email
        : query.type === "keyword"
          ? query.keyword
          : query.fqdn,
  days: "0",
  from: filters?.imported_at?.gte ?? "",
  to: filters?.imported_at?.lte ?? "",
  include
})

export const requestOf = (
  values: SearchValues,
  now: DateTime.DateTime
): { readonly request: CredentialRequest } | { readonly faults: SearchFaults } => {
  const { from, include, text, to } = values
  const start = faultOfStart(from)
  const end = faultOfEnd(to, start === undefined ? from : "")
  const faults = Object.entries({ text: filled(text), from: start, to: end }).filter(([, fault]) => fault !== undefined)
  if (faults.length > 0) return { faults: Object.fromEntries(faults) }
  const filters = filtersOf(values, now)
  return { request: { query: queryOf(values), ...(filters === undefined ? {} : { filters }), include } }
}

const queryOf = ({ text, type }: SearchValues): CredentialQuery => {
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
}

/** `days` counts only if no range is given. */
const filtersOf = ({ days, from, to }: SearchValues, now: DateTime.DateTime): CredentialFilters | undefined => {
  const [gte, lte] = [startOf(from), endOf(to)]
  if (gte !== undefined || lte !== undefined) return { imported_at: { gte: gte ?? null, lte: lte ?? null } }
  return days === "0"
    ? undefined
    : { imported_at: { gte: DateTime.formatIso(DateTime.subtract(now, { days: Number(days) })) } }
}

const typeNames = () =>
  ({
    domain: [t("Domain"), t("Accounts whose address is at a domain")],
    auth_domain: [t("Login domain"), t("Accounts used to log in at a domain")],
    email: [t("E-mail address"), t("Exactly this address")],
    keyword: [t("Username"), t("Part before the @")],
    secret: [t("Password"), t("Accounts that have exactly this password")]
  }) as const satisfies Readonly<Record<SearchValues["type"], readonly [label: string, detail: string]>>

const includeNames = (): ReadonlyArray<readonly [CredentialInclude, string]> => [
  ["auth_domains", t("Login domains")],
  ["urls", t("URLs")],
  ["known_password_id", t("ID of a known password")]
]

export const searchForm = (values: SearchValues, faults: SearchFaults): Html => {
  const names = typeNames()
  const [label] = names[values.type]
  const isSecret = values.type === "secret"
  const hasRange = values.from !== "" || values.to !== ""
  return html`<form class="form" id="search-form" ${sends<Submit>({ _tag: "Search" })}>
    <label for="search-type">${t("Search by")}</label>
    <select id="search-type" name="type" aria-label="${t("Search by")}">
      ${credentialQueryTypes.map((type) => {
        const [name, detail] = names[type]
        return html`<option
          value="${type}"
          ${sends<CredentialMessage>({ _tag: "ChooseType", type })}
          ${type === values.type ? html`selected` : undefined}
        >
          ${t("{0}: {1}", name, detail)}
        </option>`
      })}
    </select>
    ${field(isSecret ? "secret" : "text", label, {
      name: "text",
      value: values.text,
      type: isSecret ? "password" : "text",
      fault: faults.text
    })}
    <label for="search-days">${t("Imported")}</label>
    <select id="search-days" name="days" aria-label="${t("Imported")}">
      ${["0", "7", "30", "365"].map(
        (days) =>
          html`<option value="${days}" ${days === values.days ? html`selected` : undefined}>
            ${days === "0" ? t("Imported at any time") : t("Imported in the last {0} days", days)}
          </option>`
      )}
    </select>
    <details id="search-range" ${hasRange ? html`open` : undefined}>
      <summary id="search-range-summary">${t("From … to …")}</summary>
      ${field("from", t("From"), { name: "from", value: values.from, fault: faults.from, hint: "2026-01-31" })}
      ${field("to", t("To"), { name: "to", value: values.to, fault: faults.to, hint: "2026-01-31" })}
    </details>
    <fieldset>
      <legend>${t("Extra fields (optional)")}</legend>
      ${includeNames().map(
        ([value, name]) =>
          html`<label class="check"
            ><input
              type="checkbox"
              id="${`search-${value}`}"
              name="include"
              value="${value}"
              ${values.include.includes(value) ? html`checked` : undefined}
            />
            ${name}</label
          >`
      )}
    </fieldset>
    <div class="toolbar">
      <button type="submit" class="action primary" id="search-submit">${t("Search")}</button>
      <span class="dim">${t("Every hundred results use one unit of quota.")}</span>
    </div>
  </form>`
}

/** The page's script adds the field values to this message. */
type Submit = Pick<Extract<CredentialMessage, { readonly _tag: "Search" }>, "_tag">

const field = (
  id: string,
  label: string,
  options: {
    readonly name: string
    readonly value: string
    readonly type?: "text" | "password"
    readonly hint?: string
    readonly fault: string | undefined
  }
): Html => {
  const { fault, hint = "", name, type = "text", value } = options
  return html`<label for="${`search-${id}`}">${label}</label>
    <span class="field">
      <input
        type="${type}"
        id="${`search-${id}`}"
        name="${name}"
        value="${value}"
        placeholder="${hint}"
        autocomplete="off"
        spellcheck="false"
        ${fault === undefined ? undefined : html`aria-invalid="true" aria-describedby="${`search-${id}-fault`}"`}
      />
      ${fault === undefined ? undefined : html`<span class="fault" role="alert" id="${`search-${id}-fault`}">${fault}</span>`}
    </span>`
}

/** The content of a credential's page in reading order; input of the HTML and the Markdown page. */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { type Credential, passwordFormOf } from "@threat-exposure/core/domain/Credential"
import { Redacted } from "effect"
import { type DocumentOptions, type Entry, foreign, plain, secret, type Section } from "../editor/page/Document.ts"
import { masked as hidden, withoutSecrets } from "../editor/page/Secrets.ts"
import { currentLanguage, t } from "../words/Localisation.ts"
import { accountName, maskText } from "../words/Mask.ts"

export interface CredentialDocument {
  readonly account: string
  /** Secrets are numbered from 0 in reading order. */
  readonly sections: ReadonlyArray<Section>
}

export const credentialDocument = (item: Credential, options: DocumentOptions): CredentialDocument => {
  const { masked } = options
  const field = (label: string, text: string | null): ReadonlyArray<Entry> =>
    text === null || text === "" ? [] : [{ _tag: "Field", label, value: plain(masked ? maskText(text) : text) }]
  const time = (label: string, at: string | null): ReadonlyArray<Entry> =>
    at === null || at === "" ? [] : [{ _tag: "Time", label, at }]
  const list = (label: string, texts: ReadonlyArray<string> | undefined): ReadonlyArray<Entry> =>
    texts === undefined || texts.length === 0
      ? []
      : [{ _tag: "List", label, values: texts.map((text) => foreign(text, options)) }]
  const { source } = item
  const entries: ReadonlyArray<Entry> = [
    ...(item.hash === null
      ? []
      : [{ _tag: "Field" as const, label: t("Secret"), value: secret(Redacted.value(item.hash), options) }]),
    { _tag: "Field", label: t("Kind of secret"), value: plain(kindOf(item)) },
    ...field(t("Domain"), item.domain),
    ...time(t("Imported"), item.imported_at),
    { _tag: "Field", label: t("ID"), value: plain(String(item.id)) },
    ...field(t("Known password"), item.known_password_id === null ? null : String(item.known_password_id)),
    ...field(t("Event"), item.event_uid),
    ...list(t("Login domains"), item.auth_domains),
    ...list(t("URLs"), item.urls)
  ]
  const description = source === null ? null : descriptionOf(source)
  return {
    account: accountName(item.identity_name, masked),
    sections: [
      { _tag: "Entries", heading: undefined, entries },
      {
        _tag: "Entries",
        heading: t("Source"),
        entries: [
          ...field(t("Name"), source?.name ?? item.source_id),
          ...time(t("Breached at"), source?.breached_at ?? null),
          ...time(t("Leaked at"), source?.leaked_at ?? null),
          ...field(t("Data"), source?.pii_tags?.join(", ") ?? null),
          ...field(t("URL"), source?.url ?? null)
        ]
      },
      ...(description === null
        ? []
        : [{ _tag: "Text" as const, heading: t("Description"), content: foreign(description, options) }])
    ]
  }
}

/** The kind of password. A password of unknown kind may be in clear text: docs/api.md#credential. */
export const kindOf = (item: Credential): string => {
  const form = passwordFormOf(item)
  if (form === "none") return t("none")
  return form === "hashed" && item.hash_type !== null ? item.hash_type : t("clear, or of an unknown kind")
}

/** The credential as JSON without its secrets. */
export const credentialJson = (item: Credential, { masked, secretsIn }: DocumentOptions): string => {
  const shown = {
    ...item,
    identity_name: masked ? maskedAccount(item.identity_name) : item.identity_name,
    hash: item.hash === null ? null : hidden,
    // The hash shows whether two accounts have the same password, and others could look it up.
    credential_hash: item.credential_hash === null ? null : hidden,
    ...(item.urls === undefined
      ? {}
      : {
          urls: item.urls.map((url) => {
            const text = withoutSecrets(url, secretsIn(url))
            return masked ? maskText(text) : text
          })
        })
  }
  return `${JSON.stringify(shown, undefined, 2)}\n`
}

const descriptionOf = ({ description_en, description_fr }: NonNullable<Credential["source"]>) =>
  currentLanguage().startsWith("fr") ? (description_fr ?? description_en) : (description_en ?? description_fr)

/** Domains of a login, as many as fit into a table. */
export const hostsOf = ({ auth_domains = [] }: Credential, masked: boolean): string => {
  const shown = auth_domains.slice(0, maxHosts).join(", ")
  return `${masked ? maskText(shown) : shown}${auth_domains.length > maxHosts ? ", …" : ""}`
}

const maxHosts = 5

/** Generated from the schemas of `Credential.ts` by `pnpm run fields`: do not edit. */
import { isTexts, readFlag, readInteger, readRecord, readText, readTexts, type Wire } from "./schema/FieldReader.ts"

interface SourceFields {
  readonly id: string
  readonly name: string | null
  readonly description_en: string | null
  readonly description_fr: string | null
  readonly breached_at: string | null
  readonly leaked_at: string | null
  readonly is_alert_enabled: boolean
  readonly pii_tags: ReadonlyArray<string> | null
  readonly url: string | null
}

/** Reads a source; one with exactly the fields of the schema is not copied. */
const readSource = (wire: Wire): SourceFields =>
  isSource(wire)
    ? wire
    : {
        id: readText(wire["id"], ""),
        name: readText(wire["name"], null),
        description_en: readText(wire["description_en"], null),
        description_fr: readText(wire["description_fr"], null),
        breached_at: readText(wire["breached_at"], null),
        leaked_at: readText(wire["leaked_at"], null),
        is_alert_enabled: readFlag(wire["is_alert_enabled"], false),
        pii_tags: readTexts(wire["pii_tags"], null),
        url: readText(wire["url"], null)
      }

const isSource = (wire: Wire): wire is SourceFields & Wire => {
  let fields = 0
  for (const _ in wire) fields += 1
  return (
    fields === 9 &&
    typeof wire["id"] === "string" &&
    (typeof wire["name"] === "string" || wire["name"] === null) &&
    (typeof wire["description_en"] === "string" || wire["description_en"] === null) &&
    (typeof wire["description_fr"] === "string" || wire["description_fr"] === null) &&
    (typeof wire["breached_at"] === "string" || wire["breached_at"] === null) &&
    (typeof wire["leaked_at"] === "string" || wire["leaked_at"] === null) &&
    typeof wire["is_alert_enabled"] === "boolean" &&
    (isTexts(wire["pii_tags"]) || wire["pii_tags"] === null) &&
    (typeof wire["url"] === "string" || wire["url"] === null)
  )
}

/** A credential without its hash, which a subclass sets at its position among the fields. */
export abstract class CredentialRecord {
  declare id: number
  declare identity_name: string
  declare domain: string | null
  declare source_id: string
  declare imported_at: string
  declare hash_type: string | null
  declare source: SourceFields | null
  declare known_password_id: number | null
  declare credential_hash: string | null
  declare event_uid: string | null
  declare auth_domains?: ReadonlyArray<string>
  declare urls?: ReadonlyArray<string>
  declare remediated_at?: string
  declare ignored_at?: string

  protected abstract setHash(hash: string | null): void

  protected read(wire: Wire): void {
    this.id = readInteger(wire["id"], 0)
    this.identity_name = readText(wire["identity_name"], "")
    this.domain = readText(wire["domain"], null)
    this.source_id = readText(wire["source_id"], "")
    this.imported_at = readText(wire["imported_at"], "")
    this.setHash(readText(wire["hash"], null))
    this.hash_type = readText(wire["hash_type"], null)
    this.source = readRecord(wire["source"], readSource)
    this.known_password_id = readInteger(wire["known_password_id"], null)
    this.credential_hash = readText(wire["credential_hash"], null)
    this.event_uid = readText(wire["event_uid"], null)
    const auth_domains = readTexts(wire["auth_domains"], undefined)
    if (auth_domains !== undefined) this.auth_domains = auth_domains
    const urls = readTexts(wire["urls"], undefined)
    if (urls !== undefined) this.urls = urls
    const remediated_at = readText(wire["remediated_at"], undefined)
    if (remediated_at !== undefined) this.remediated_at = remediated_at
    const ignored_at = readText(wire["ignored_at"], undefined)
    if (ignored_at !== undefined) this.ignored_at = ignored_at
  }
}

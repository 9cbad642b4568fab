/** A leaked credential, and how to search for one. See docs/api.md#credential. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { CredentialRecord } from "./CredentialFields.ts"
import { Cursor, listQuery, Order, page, pageSize } from "./Page.ts"
import { accelerate, readObject, readText, Unexpected } from "./schema/FieldReader.ts"
import { unionByType } from "./schema/RequestField.ts"
import { Secret } from "./Secret.ts"
import { Timestamp } from "./Timestamp.ts"
import { orAbsent, orElse, orNull } from "./schema/Tolerant.ts"
import { actionOn, TriageAction } from "./Triage.ts"
import { struct } from "./schema/Struct.ts"

const text = orNull(Schema.String)
const texts = Schema.Array(Schema.String)

/** The breach or dump that a credential comes from. */
export class Source extends struct<Source>("Source")({
  id: orElse(Schema.String, ""),
  name: text,
  description_en: text,
  description_fr: text,
  breached_at: text,
  leaked_at: text,
  is_alert_enabled: orElse(Schema.Boolean, false),
  pii_tags: orNull(texts),
  url: text
}) {}

const fieldsWith = <Hash>(hash: Schema.Codec<Hash, string>) =>
  Schema.Struct({
    id: orElse(Schema.Int, 0),
    /** The account's name, usually an e-mail address. */
    identity_name: orElse(Schema.String, ""),
    domain: text,
    /** Empty if the service names no source. */
    source_id: orElse(Schema.String, ""),
    imported_at: orElse(Schema.String, ""),
    /** A plain-text password if `hash_type` is null or `unknown`. */
    hash: orNull(hash),
    hash_type: text,
    source: orNull(Source),
    /** Null unless requested with `include`. */
    known_password_id: orNull(Schema.Int),
    credential_hash: text,
    event_uid: text,
    /** Host names where the credential was used to log in, at most 100. Only present if requested with `include`. */
    auth_domains: orAbsent(texts),
    /** Only present if requested with `include`. */
    urls: orAbsent(texts),
    /**
     * When the tenant remediated the credential; only in the listing of the tenant's credentials, like `ignored_at`.
     */
    remediated_at: orAbsent(Schema.String),
    ignored_at: orAbsent(Schema.String)
  }).annotate({ identifier: "Credential" })

/** Internal: `CredentialFields.ts` is generated from this schema. */
export const CredentialFields = fieldsWith(Schema.RedactedFromValue(Schema.String))

const withSourceName = <Fields extends Pick<typeof CredentialFields.Type, "source" | "source_id">>(
  fields: Schema.Codec<Fields, typeof CredentialFields.Encoded>
) =>
  fields.pipe(
    Schema.decode(
      SchemaTransformation.transform<Fields, Fields>({
        decode: (credential) =>
          credential.source_id === "" && credential.source !== null
            ? { ...credential, source_id: credential.source.id }
            : credential,
        encode: (credential) => credential
      })
    )
  )

/**
 * A single credential, such as a line of a file. For a page, use {@link CredentialPage}, which decodes several times
 * faster.
 */
export class Credential extends Schema.Opaque<Credential>()(
  accelerate(withSourceName(CredentialFields), (input) => new DecodedCredential(input))
) {}

/** A schema for credentials whose hash is wrapped by the caller's function during decoding. */
export const credentialWith = <Hash>(hash: Schema.Codec<Hash, string>, wrap: (text: string) => Hash) =>
  accelerate(withSourceName(fieldsWith(hash)), (input) => new WrappedCredential(input, wrap))

/** A credential whose hash is text, for a service that stores it: `Redacted` would cost as much as decoding. */
export class PlainCredential extends Schema.Opaque<PlainCredential>()(credentialWith(Schema.String, (text) => text)) {}

/** How the credential's password is stored; `clear` means that it may be plain text. See docs/api.md#credential. */
export const passwordFormOf = (credential: Pick<Credential, "hash" | "hash_type">) => {
  if (!DecodedCredential.hasHash(credential)) return "none"
  const { hash_type } = credential
  return hash_type === null || hash_type === "unknown" ? "clear" : "hashed"
}

export const CredentialPage = pageOf(Credential, (item) => new DecodedCredential(item))

export const credentialPageWith = <Hash>(hash: Schema.Codec<Hash, string>, wrap: (text: string) => Hash) =>
  pageOf(withSourceName(fieldsWith(hash)), (item) => new WrappedCredential(item, wrap))

function pageOf<S extends Schema.Codec<unknown, unknown>>(credential: S, read: (item: unknown) => unknown) {
  return accelerate(page("CredentialPage", credential), (input) => {
    const { items, next } = readObject(input)
    if (!Array.isArray(items)) throw new Unexpected()
    return { items: items.map(read), next: readText(next, null) }
  })
}

export const CredentialQuery = unionByType("CredentialQuery", "a query", {
  domain: { fqdn: Schema.String },
  auth_domain: { fqdn: Schema.String },
  secret: { secret: Secret },
  email: { email: Schema.String },
  keyword: { keyword: Schema.String }
})
export type CredentialQuery = typeof CredentialQuery.Type

export const credentialQueryTypes = CredentialQuery.members.map(({ fields }) => fields.type.literal)

export class CredentialFilters extends struct<CredentialFilters>("CredentialFilters")({
  imported_at: Schema.optionalKey(
    Schema.Struct({
      gte: Schema.optionalKey(Schema.NullOr(Timestamp)),
      lte: Schema.optionalKey(Schema.NullOr(Timestamp))
    })
  )
}) {}

/** Fields that a response only contains on request. */
export const CredentialInclude = Schema.Literals(["known_password_id", "auth_domains", "urls"]).annotate({
  message: "Expected one of known_password_id, auth_domains, urls"
})
export type CredentialInclude = typeof CredentialInclude.Type

/** Maximum page size for credentials. */
export const maxCredentials = 10_000

/** Maximum page size for a tenant's own credentials. */
export const maxTenantCredentials = 100
export const defaultTenantCredentials = 20

/** Maximum number of credentials in one action. */
export const maxCredentialTargets = 100

/** Default page size for credentials and events. */
export const defaultSize = 10

export class CredentialSearch extends struct<CredentialSearch>("CredentialSearch")({
  query: CredentialQuery,
  filters: Schema.optionalKey(CredentialFilters),
  from: Schema.optionalKey(Schema.NullOr(Cursor)),
  size: Schema.optionalKey(pageSize(maxCredentials)),
  include: Schema.optionalKey(Schema.Array(CredentialInclude)),
  order: Schema.optionalKey(Order)
}) {}

/** Query parameters of the listing of a tenant's credentials. */
export class TenantCredentialList extends listQuery<TenantCredentialList>()(maxTenantCredentials, {
  order_type: Schema.optionalKey(Order)
}) {}

export class CredentialAction extends actionOn<CredentialAction>("CredentialAction")(
  { credential_hash: Schema.String },
  TriageAction,
  maxCredentialTargets
) {}

/**
 * A credential as received, except that its hash is redacted at the first access. `Redacted` stores values in one
 * global weak map: 10,000 entries per page would take longer than the rest of the decoding, and keep the hashes in
 * memory long after the page was read.
 *
 * A class, because V8 allocates object literals that often survive a minor collection in the old generation, where a
 * page would stay until the next major collection.
 */
class DecodedCredential extends CredentialRecord {
  #hash: string | null = null
  #redacted: Redacted.Redacted | null = null

  constructor(input: unknown) {
    super()
    this.read(readObject(input))
    nameSource(this)
  }

  protected setHash(hash: string | null): void {
    this.#hash = hash
    Object.defineProperty(this, "hash", DecodedCredential.#ownHash)
  }

  /** Tells whether there is a hash, without redacting it. */
  static hasHash(credential: Pick<Credential, "hash">): boolean {
    return #hash in credential ? credential.#hash !== null : credential.hash !== null
  }

  /** Makes Node print the redacted hash instead of `[Getter]`. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    return { ...this }
  }

  /** An own property, so that it can be spread, serialized and deleted. */
  static readonly #ownHash = {
    configurable: true,
    enumerable: true,
    get(this: DecodedCredential): Redacted.Redacted | null {
      if (this.#hash !== null) this.#redacted ??= Redacted.make(this.#hash)
      return this.#redacted
    }
  }
}

class WrappedCredential<Hash> extends CredentialRecord {
  declare hash: Hash | null
  readonly #wrap: (text: string) => Hash

  constructor(input: unknown, wrap: (text: string) => Hash) {
    super()
    this.#wrap = wrap
    this.read(readObject(input))
    nameSource(this)
  }

  protected setHash(hash: string | null): void {
    this.hash = hash === null ? null : this.#wrap(hash)
  }
}

function nameSource(credential: CredentialRecord): void {
  if (credential.source_id === "" && credential.source !== null) credential.source_id = credential.source.id
}

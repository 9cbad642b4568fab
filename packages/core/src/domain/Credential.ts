/** A leaked credential, and how to search for one. See docs/api.md#credential. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Cursor, Order, type Page, pageOnWire, pageSize, readPage } from "./Page.ts"
import { Secret } from "./Secret.ts"
import { Timestamp } from "./Timestamp.ts"
import { built, promiseAnnotation } from "./Tolerant.ts"

/** The breach or other find that a credential comes from. */
export interface Source {
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

export interface Credential<Hidden = Redacted.Redacted> {
  readonly id: number
  /** Account name, normally an e-mail address. */
  readonly identity_name: string
  readonly domain: string | null
  /** Empty if the service names no source. */
  readonly source_id: string
  readonly imported_at: string
  /** A password in clear when `hash_type` is null or `unknown`. */
  readonly hash: Hidden | null
  readonly hash_type: string | null
  readonly source: Source | null
  /** Null unless `include` asks for it. */
  readonly known_password_id: number | null
  readonly credential_hash: string | null
  readonly event_uid: string | null
  /** Hosts where it was seen used, at most 100. Present if `include` asked for it. */
  readonly auth_domains?: ReadonlyArray<string>
  /** Present if `include` asked for it. */
  readonly urls?: ReadonlyArray<string>
}

const promised = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "nullable" }))

const promisedValue = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "value" }))

const text = promised(Schema.String)
const textValue = promisedValue(Schema.String)
const optionalTexts = Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))

const SourceOnWire = Schema.Struct({
  id: textValue,
  name: text,
  description_en: text,
  description_fr: text,
  breached_at: text,
  leaked_at: text,
  is_alert_enabled: promisedValue(Schema.Boolean),
  pii_tags: promised(Schema.Array(Schema.String)),
  url: text
}).annotate({ identifier: "Source" })

const CredentialOnWire = Schema.Struct({
  id: promisedValue(Schema.Int),
  identity_name: textValue,
  domain: text,
  source_id: textValue,
  imported_at: textValue,
  hash: promised(
    Schema.String.annotate({ description: "The stored hash, or a password in clear when hash_type is null or unknown" })
  ),
  hash_type: text,
  source: promised(SourceOnWire),
  known_password_id: promised(Schema.Int),
  credential_hash: text,
  event_uid: text,
  auth_domains: optionalTexts,
  urls: optionalTexts
}).annotate({ identifier: "Credential" })

/** One credential, such as a line of a file. For a page use {@link CredentialPage}: it decodes several times faster. */
export const Credential = CredentialOnWire.pipe(
  Schema.decodeTo(
    built<Credential>(),
    SchemaTransformation.transform<Credential, CredentialOnWire>({
      decode: (wire) => new DecodedCredential(wire, Redacted.make),
      encode: (credential) => toWire(credential, Redacted.value)
    })
  )
)

const CredentialPageOnWire = pageOnWire("CredentialPage", CredentialOnWire)

// A page has up to 10,000 credentials. Compiled schemas dispatch on every nullable field and copy every record; a
// hand-written check decodes a page in half the time. The schema decodes a page that fails the check, and reports why.
SchemaCompiler.set(CredentialPageOnWire.ast, {
  decode: (input, { onExcessProperty = "ignore" }) =>
    onExcessProperty === "ignore" && isPageOnWire(input) ? input : SchemaCompiler.invalid,
  decodeEffect: SchemaParser.decodeUnknownEffect(pageOnWire("CredentialPage", CredentialOnWire))
})

/** A page whose hashes are wrapped by the caller: the Effect and the Promise client wrap secrets differently. */
export const credentialPage = <Hidden>(secret: {
  readonly hide: (text: string) => Hidden
  readonly reveal: (hidden: Hidden) => string
}) =>
  CredentialPageOnWire.pipe(
    Schema.decodeTo(
      built<Page<Credential<Hidden>>>(),
      SchemaTransformation.transformEffect<Page<Credential<Hidden>>, CredentialPageOnWire>({
        decode: (wire) =>
          Effect.mapEager(readPage(wire), ({ items, next }) => ({
            items: items.map((wire) => new DecodedCredential(wire, secret.hide)),
            next
          })),
        encode: ({ items, next }) =>
          Effect.succeed({ items: items.map((credential) => toWire(credential, secret.reveal)), next })
      })
    )
  )

export const CredentialPage = credentialPage<Redacted.Redacted>({ hide: Redacted.make, reveal: Redacted.value })

export const CredentialQuery = Schema.Union([
  Schema.Struct({ type: Schema.Literal("domain"), fqdn: Schema.String }).annotate({
    description: "Credentials whose e-mail address contains the domain"
  }),
  Schema.Struct({ type: Schema.Literal("auth_domain"), fqdn: Schema.String }).annotate({
    description: "Credentials seen used to log in to that service domain"
  }),
  Schema.Struct({ type: Schema.Literal("secret"), secret: Secret }).annotate({
    description: "Credentials containing that password"
  }),
  Schema.Struct({ type: Schema.Literal("email"), email: Schema.String }).annotate({
    description: "Credentials of exactly that e-mail address"
  }),
  Schema.Struct({ type: Schema.Literal("keyword"), keyword: Schema.String }).annotate({
    description: "Credentials whose user name, the part before the at sign, matches"
  })
]).annotate({
  identifier: "CredentialQuery",
  message: "Expected a query whose type is domain, auth_domain, secret, email or keyword"
})
export type CredentialQuery = typeof CredentialQuery.Type

export const CredentialFilters = Schema.Struct({
  imported_at: Schema.optionalKey(
    Schema.Struct({
      gte: Schema.optionalKey(Schema.NullOr(Timestamp)),
      lte: Schema.optionalKey(Schema.NullOr(Timestamp))
    }).annotate({ description: "Inclusive bounds on the time of import" })
  )
}).annotate({ identifier: "CredentialFilters" })
export interface CredentialFilters extends Schema.Schema.Type<typeof CredentialFilters> {}

/** Fields that an answer contains only on request. */
export const CredentialInclude = Schema.Literals(["known_password_id", "auth_domains", "urls"]).annotate({
  message: "Expected one of known_password_id, auth_domains, urls"
})
export type CredentialInclude = typeof CredentialInclude.Type

/** The largest page of credentials. */
export const maximumCredentials = 10_000

/** The default page size, of credentials and of events. */
export const defaultSize = 10

export const CredentialSearch = Schema.Struct({
  query: CredentialQuery,
  filters: Schema.optionalKey(CredentialFilters),
  from: Schema.optionalKey(Schema.NullOr(Cursor)),
  size: Schema.optionalKey(pageSize(maximumCredentials, defaultSize)),
  include: Schema.optionalKey(Schema.Array(CredentialInclude)),
  order: Schema.optionalKey(Order)
}).annotate({ identifier: "CredentialSearch" })
export interface CredentialSearch extends Schema.Schema.Type<typeof CredentialSearch> {}

type SourceOnWire = typeof SourceOnWire.Type
type CredentialOnWire = typeof CredentialOnWire.Type
type CredentialPageOnWire = typeof CredentialPageOnWire.Type

function isPageOnWire(u: unknown): u is CredentialPageOnWire {
  return Predicate.isObject(u) && Array.isArray(u.items) && isText(u.next) && u.items.every(isOnWire)
}

function isOnWire(u: unknown): u is CredentialOnWire {
  return (
    Predicate.isObject(u) &&
    isInteger(u.id) &&
    isText(u.identity_name) &&
    isText(u.imported_at) &&
    isText(u.domain) &&
    isText(u.source_id) &&
    isText(u.hash) &&
    isText(u.hash_type) &&
    (u.source === null || u.source === undefined || isSourceOnWire(u.source)) &&
    isInteger(u.known_password_id) &&
    isText(u.credential_hash) &&
    isText(u.event_uid) &&
    isTexts(u.auth_domains) &&
    isTexts(u.urls)
  )
}

function isSourceOnWire(u: unknown): u is SourceOnWire {
  return (
    Predicate.isObject(u) &&
    isText(u.id) &&
    isText(u.name) &&
    isText(u.description_en) &&
    isText(u.description_fr) &&
    isText(u.breached_at) &&
    isText(u.leaked_at) &&
    (u.is_alert_enabled === null || u.is_alert_enabled === undefined || typeof u.is_alert_enabled === "boolean") &&
    isTexts(u.pii_tags) &&
    isText(u.url)
  )
}

function isText(u: unknown): boolean {
  return typeof u === "string" || u === null || u === undefined
}

function isInteger(u: unknown): boolean {
  return u === null || u === undefined || Number.isSafeInteger(u)
}

function isTexts(u: unknown): boolean {
  return u === null || u === undefined || (Array.isArray(u) && u.every(Predicate.isString))
}

/**
 * A credential as received, except that its hash is wrapped when it is first read. `Redacted` stores values in one global
 * weak map: ten thousand entries a page would cost more than the rest of the decoding, and keep the hashes in memory long
 * after the page was read.
 *
 * A class, because V8 pretenures object literals that often survive a minor collection: a page would then stay in the
 * old generation until the next major collection.
 */
class DecodedCredential<Hidden> implements Credential<Hidden> {
  declare readonly id: number
  declare readonly identity_name: string
  declare readonly domain: string | null
  declare readonly source_id: string
  declare readonly imported_at: string
  declare readonly hash: Hidden | null
  declare readonly hash_type: string | null
  declare readonly source: Source | null
  declare readonly known_password_id: number | null
  declare readonly credential_hash: string | null
  declare readonly event_uid: string | null
  declare readonly auth_domains?: ReadonlyArray<string>
  declare readonly urls?: ReadonlyArray<string>

  readonly #hide: (text: string) => Hidden
  readonly #hash: string | null
  #hidden: Hidden | null = null

  constructor(wire: CredentialOnWire, hide: (text: string) => Hidden) {
    this.id = wire.id ?? 0
    this.identity_name = wire.identity_name ?? ""
    this.domain = wire.domain ?? null
    this.source_id = wire.source_id ?? wire.source?.id ?? ""
    this.imported_at = wire.imported_at ?? ""
    // An own property, so that spreading, serialising and deleting it work.
    Object.defineProperty(this, "hash", DecodedCredential.#ownHash)
    this.hash_type = wire.hash_type ?? null
    this.source = wire.source == null ? null : sourceFromWire(wire.source)
    this.known_password_id = wire.known_password_id ?? null
    this.credential_hash = wire.credential_hash ?? null
    this.event_uid = wire.event_uid ?? null
    if (wire.auth_domains != null) this.auth_domains = wire.auth_domains
    if (wire.urls != null) this.urls = wire.urls
    this.#hide = hide
    this.#hash = wire.hash ?? null
  }

  /** Node then prints the wrapped hash and not `[Getter]`. */
  [Symbol.for("nodejs.util.inspect.custom")](): Credential<Hidden> {
    return { ...this }
  }

  static readonly #ownHash = {
    configurable: true,
    enumerable: true,
    get(this: DecodedCredential<unknown>): unknown {
      if (this.#hash !== null) this.#hidden ??= this.#hide(this.#hash)
      return this.#hidden
    }
  }
}

function isWholeSource(wire: SourceOnWire): wire is Source {
  return (
    wire.id != null &&
    wire.name !== undefined &&
    wire.description_en !== undefined &&
    wire.description_fr !== undefined &&
    wire.breached_at !== undefined &&
    wire.leaked_at !== undefined &&
    wire.is_alert_enabled != null &&
    wire.pii_tags !== undefined &&
    wire.url !== undefined &&
    fieldsOf(wire) === 9
  )
}

function fieldsOf(record: object): number {
  let count = 0
  for (const _ in record) count += 1
  return count
}

function sourceFromWire(wire: SourceOnWire): Source {
  if (isWholeSource(wire)) return wire
  return {
    id: wire.id ?? "",
    name: wire.name ?? null,
    description_en: wire.description_en ?? null,
    description_fr: wire.description_fr ?? null,
    breached_at: wire.breached_at ?? null,
    leaked_at: wire.leaked_at ?? null,
    is_alert_enabled: wire.is_alert_enabled ?? false,
    pii_tags: wire.pii_tags ?? null,
    url: wire.url ?? null
  }
}

function toWire<Hidden>(credential: Credential<Hidden>, reveal: (hidden: Hidden) => string): CredentialOnWire {
  return { ...credential, hash: credential.hash === null ? null : reveal(credential.hash) }
}

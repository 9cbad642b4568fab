/** A leaked credential, and how to search for one. See docs/api.md#credential. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Cursor, Order, page, pageSize } from "./Page.ts"
import { Secret } from "./Secret.ts"
import { Timestamp } from "./Timestamp.ts"
import { orAbsent, orElse, orNull } from "./Tolerant.ts"

// Each field is in the schema and in the class that decodes without it. The compiler and a property test compare them.

const text = orNull(Schema.String)
const texts = Schema.Array(Schema.String)

/** The breach or dump that a credential comes from. */
export const Source = Schema.Struct({
  id: orElse(Schema.String, ""),
  name: text,
  description_en: text,
  description_fr: text,
  breached_at: text,
  leaked_at: text,
  is_alert_enabled: orElse(Schema.Boolean, false),
  pii_tags: orNull(texts),
  url: text
}).annotate({ identifier: "Source" })
export interface Source extends Schema.Schema.Type<typeof Source> {}

/** How a hash is wrapped: the Effect and the Promise client wrap secrets differently. */
export interface HashWrapper<Hidden> {
  readonly schema: Schema.Codec<Hidden, string>
  readonly wrap: (hash: string) => Hidden
  /** Whether to wrap a hash only when it is first read, because wrapping is expensive. */
  readonly isLazy: boolean
}

const credentialWith = <Hidden>({ schema }: HashWrapper<Hidden>) =>
  Schema.Struct({
    id: orElse(Schema.Int, 0),
    /** Account name, normally an e-mail address. */
    identity_name: orElse(Schema.String, ""),
    domain: text,
    /** Empty if the service names no source. */
    source_id: orElse(Schema.String, ""),
    imported_at: orElse(Schema.String, ""),
    /** A password in clear when `hash_type` is null or `unknown`. */
    hash: orNull(schema),
    hash_type: text,
    source: orNull(Source),
    /** Null unless `include` asks for it. */
    known_password_id: orNull(Schema.Int),
    credential_hash: text,
    event_uid: text,
    /** Names of the hosts that it was used to log in to, at most 100. Present if `include` asked for it. */
    auth_domains: orAbsent(texts),
    /** Present if `include` asked for it. */
    urls: orAbsent(texts)
  }).annotate({ identifier: "Credential" })

type CredentialWith<Hidden> = ReturnType<typeof credentialWith<Hidden>>["Type"]

/** Takes an absent `source_id` from the source. */
const named = <Hidden>(wrapper: HashWrapper<Hidden>) =>
  credentialWith(wrapper).pipe(
    Schema.decode(
      SchemaTransformation.transform<CredentialWith<Hidden>, CredentialWith<Hidden>>({
        decode: (credential) =>
          credential.source_id === "" && credential.source !== null
            ? { ...credential, source_id: credential.source.id }
            : credential,
        encode: (credential) => credential
      })
    )
  )

const redacted: HashWrapper<Redacted.Redacted> = {
  schema: Schema.RedactedFromValue(
    Schema.String.annotate({ description: "The stored hash, or a password in clear when hash_type is null or unknown" })
  ),
  wrap: Redacted.make,
  isLazy: true
}

/** A credential whose hash is wrapped by the caller. */
export const credentialCodec = <Hidden>(wrapper: HashWrapper<Hidden>) =>
  accelerated(
    () => named(wrapper),
    (input) => new DecodedCredential(input, wrapper)
  )

/** One credential, such as a line of a file. For a page use {@link CredentialPage}: it decodes several times faster. */
export const Credential = credentialCodec(redacted)
export interface Credential extends Schema.Schema.Type<typeof Credential> {}

/** How a credential's password is stored: `clear` may be in clear. See docs/api.md#credential. */
export const passwordFormOf = ({ hash, hash_type }: Pick<Credential, "hash" | "hash_type">) => {
  if (hash === null) return "none"
  return hash_type === null || hash_type === "unknown" ? "clear" : "hashed"
}

/** A page whose hashes are wrapped by the caller. */
export const credentialPage = <Hidden>(wrapper: HashWrapper<Hidden>) =>
  accelerated(
    () => page("CredentialPage", named(wrapper)),
    (input) => {
      const { items, next } = objectFrom(input)
      if (!Array.isArray(items)) throw new Unexpected()
      return { items: items.map((item) => new DecodedCredential(item, wrapper)), next: textFrom(next, null) }
    }
  )

export const CredentialPage = credentialPage(redacted)

export const CredentialQuery = Schema.Union([
  Schema.Struct({ type: Schema.Literal("domain"), fqdn: Schema.String }).annotate({
    description: "Credentials whose e-mail address is in the domain"
  }),
  Schema.Struct({ type: Schema.Literal("auth_domain"), fqdn: Schema.String }).annotate({
    description: "Credentials that were used to log in to a host of that domain"
  }),
  Schema.Struct({ type: Schema.Literal("secret"), secret: Secret }).annotate({
    description: "Credentials with that password"
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

/**
 * Decodes by `fast`, and with the schema if that throws {@link Unexpected}: the schema reports why. A page has up to 10,000
 * credentials; compiled schemas dispatch on every nullable field and copy every record, which takes several times as long.
 */
function accelerated<S extends Schema.Codec<unknown, unknown>>(make: () => S, fast: (input: unknown) => unknown): S {
  const schema = make()
  SchemaCompiler.set(schema.ast, {
    decode: (input, { onExcessProperty = "ignore" }) => {
      if (onExcessProperty !== "ignore") return SchemaCompiler.invalid
      try {
        return fast(input)
      } catch (failure) {
        if (failure instanceof Unexpected) return SchemaCompiler.invalid
        throw failure
      }
    },
    decodeEffect: SchemaParser.decodeUnknownEffect(make())
  })
  return schema
}

class Unexpected extends Error {}

function objectFrom(input: unknown): { readonly [name: string]: unknown } {
  if (Predicate.isObject(input)) return input
  throw new Unexpected()
}

function textFrom<Fallback>(input: unknown, fallback: Fallback): string | Fallback {
  if (typeof input === "string") return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

function integerFrom<Fallback>(input: unknown, fallback: Fallback): number | Fallback {
  if (typeof input === "number" && Number.isSafeInteger(input)) return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

function textsFrom(input: unknown): ReadonlyArray<string> | null {
  if (input === null || input === undefined) return null
  if (isTexts(input)) return input
  throw new Unexpected()
}

function isTexts(input: unknown): input is ReadonlyArray<string> {
  return Array.isArray(input) && input.every(Predicate.isString)
}

function isTextOrNull(input: unknown): input is string | null {
  return typeof input === "string" || input === null
}

function flagFrom(input: unknown): boolean {
  if (typeof input === "boolean") return input
  if (input === null || input === undefined) return false
  throw new Unexpected()
}

function sourceFrom(input: unknown): Source | null {
  if (input === null || input === undefined) return null
  const wire = objectFrom(input)
  if (isSource(wire)) return wire
  return {
    id: textFrom(wire["id"], ""),
    name: textFrom(wire["name"], null),
    description_en: textFrom(wire["description_en"], null),
    description_fr: textFrom(wire["description_fr"], null),
    breached_at: textFrom(wire["breached_at"], null),
    leaked_at: textFrom(wire["leaked_at"], null),
    is_alert_enabled: flagFrom(wire["is_alert_enabled"]),
    pii_tags: textsFrom(wire["pii_tags"]),
    url: textFrom(wire["url"], null)
  }
}

const sourceFields = Object.keys(Source.fields).length

/** Whether it has exactly the fields of the schema, so that it needs no copy. */
function isSource(wire: { readonly [name: string]: unknown }): wire is Source & { readonly [name: string]: unknown } {
  let fields = 0
  for (const _ in wire) fields += 1
  return (
    fields === sourceFields &&
    typeof wire["id"] === "string" &&
    isTextOrNull(wire["name"]) &&
    isTextOrNull(wire["description_en"]) &&
    isTextOrNull(wire["description_fr"]) &&
    isTextOrNull(wire["breached_at"]) &&
    isTextOrNull(wire["leaked_at"]) &&
    typeof wire["is_alert_enabled"] === "boolean" &&
    (wire["pii_tags"] === null || isTexts(wire["pii_tags"])) &&
    isTextOrNull(wire["url"])
  )
}

/**
 * A credential as received, except that its hash is wrapped. `Redacted` stores values in one global weak map: ten thousand
 * entries a page would cost more than the rest of the decoding, and keep the hashes in memory long after the page was read.
 * So it wraps a hash when it is first read.
 *
 * A class, because V8 pretenures object literals that often survive a minor collection: a page would then stay in the
 * old generation until the next major collection.
 */
class DecodedCredential<Hidden> implements CredentialWith<Hidden> {
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

  readonly #wrap: (hash: string) => Hidden
  readonly #hash: string | null
  #wrapped: Hidden | null = null

  constructor(input: unknown, { isLazy, wrap }: HashWrapper<Hidden>) {
    const wire = objectFrom(input)
    this.id = integerFrom(wire["id"], 0)
    this.identity_name = textFrom(wire["identity_name"], "")
    this.domain = textFrom(wire["domain"], null)
    this.source = sourceFrom(wire["source"])
    this.source_id = textFrom(wire["source_id"], this.source?.id ?? "")
    this.imported_at = textFrom(wire["imported_at"], "")
    const hash = textFrom(wire["hash"], null)
    // An own property, so that spreading, serialising and deleting it work.
    if (isLazy) Object.defineProperty(this, "hash", DecodedCredential.#ownHash)
    else this.hash = hash === null ? null : wrap(hash)
    this.hash_type = textFrom(wire["hash_type"], null)
    this.known_password_id = integerFrom(wire["known_password_id"], null)
    this.credential_hash = textFrom(wire["credential_hash"], null)
    this.event_uid = textFrom(wire["event_uid"], null)
    const auth_domains = textsFrom(wire["auth_domains"])
    if (auth_domains !== null) this.auth_domains = auth_domains
    const urls = textsFrom(wire["urls"])
    if (urls !== null) this.urls = urls
    this.#wrap = wrap
    this.#hash = hash
  }

  /** Node then prints the wrapped hash and not `[Getter]`. */
  [Symbol.for("nodejs.util.inspect.custom")](): object {
    return { ...this }
  }

  static readonly #ownHash = {
    configurable: true,
    enumerable: true,
    get(this: DecodedCredential<unknown>): unknown {
      if (this.#hash !== null) this.#wrapped ??= this.#wrap(this.#hash)
      return this.#wrapped
    }
  }
}

/** A monitored asset, as the older v2 interface creates it. See docs/api.md#identifier. */
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { open, orElse, orEmpty, orNull } from "./schema/Tolerant.ts"
import { mapWithin, revealWithin } from "./Secret.ts"
import { oneOf, nonEmptyText } from "./schema/RequestField.ts"

export const identifierTypes = [
  "domain",
  "name",
  "keyword",
  "github_repository",
  "username",
  "email",
  "search_query",
  "bin",
  "ip",
  "secret",
  "azure_tenant",
  "identity",
  "ransomleak",
  "external_id",
  "address_data",
  "birth_year",
  "role",
  "phone_number"
] as const

export const searchTypes = [
  "google",
  "financial_data",
  "invalid_credential",
  "service",
  "blog_post",
  "source_code_secrets",
  "leak",
  "forum_post",
  "chat_message",
  "ransomleak",
  "mitigated_credential",
  "paste",
  "docker",
  "bucket",
  "forum_profile",
  "source_code_files",
  "stealer_log",
  "ad",
  "forum_topic",
  "listing",
  "valid_credential",
  "bot",
  "seller",
  "stack_exchange",
  "domain",
  "bucket_object",
  "social_media_account",
  "illicit_networks",
  "open_web",
  "buckets",
  "source_code",
  "leaks",
  "domains",
  "forum_content",
  "blog_content",
  "profile",
  "ads",
  "infected_devices",
  "social_media"
] as const

export const IdentifierType = oneOf("IdentifierType", identifierTypes)
export type IdentifierType = typeof IdentifierType.Type

export const SearchType = oneOf("SearchType", searchTypes)
export type SearchType = typeof SearchType.Type

/**
 * The matched value; its fields depend on the type, and only those for a domain are specified. See
 * docs/api.md#identifier.
 */
export const IdentifierData = Schema.Record(Schema.String, Schema.Unknown)
export type IdentifierData = typeof IdentifierData.Type

/** The placeholder for a `name` that is a secret; the secret itself moves to `data.secret`. */
export const redactedName = "<redacted>"

const fields = {
  type: orElse(open(identifierTypes), ""),
  search_types: orElse(Schema.Array(open(searchTypes)), []),
  name: orElse(Schema.String, ""),
  data: orElse(IdentifierData, {}),
  id: orElse(Schema.Int, 0),
  tenant_id: orNull(Schema.Int),
  feed_id: orNull(Schema.Int),
  experimental_search_types: orElse(Schema.Array(Schema.String), []),
  v3_refs: orNull(Schema.Struct({ asset_uuid: orNull(Schema.String) })),
  risks: orElse(Schema.Array(Schema.Int), []),
  fetching_progress: orNull(Schema.Int),
  count: orNull(Schema.Int),
  urn: orNull(Schema.String),
  is_disabled: orElse(Schema.Boolean, false),
  /** Origin of the identifier; USER is the only known value. */
  source: orNull(open(["USER"])),
  data_updated_at: orNull(Schema.String)
}

const redactedWhenSecret = <S extends Schema.Codec<Named, unknown>>(asset: S) =>
  asset.pipe(Schema.decode(SchemaTransformation.transform<S["Type"], S["Type"]>({ decode: redact, encode: reveal })))

/**
 * If the type is `secret`, texts and numbers in `data` are redacted, except `data.type`. If there are none, the name is
 * the secret: it moves to `data.secret`, and {@link redactedName} replaces it.
 */
export class Identifier extends Schema.Opaque<Identifier>()(
  redactedWhenSecret(Schema.Struct(fields).annotate({ identifier: "Identifier" }))
) {}

/** Secrets are redacted as in {@link Identifier}; strings are accepted too. See docs/api.md#create-an-identifier. */
export class NewIdentifier extends Schema.Opaque<NewIdentifier>()(
  redactedWhenSecret(
    Schema.Struct({
      name: nonEmptyText,
      type: Schema.optionalKey(IdentifierType),
      search_types: Schema.optionalKey(Schema.Array(SearchType)),
      data: Schema.optionalKey(IdentifierData),
      experimental_search_types: Schema.optionalKey(Schema.Array(Schema.String)),
      risks: Schema.optionalKey(Schema.Array(Schema.Int))
    }).annotate({ identifier: "NewIdentifier" })
  )
) {}

/** The response wraps the identifier in `asset`. */
export const IdentifierCreated = Schema.Struct({ asset: orEmpty(Identifier) }).annotate({
  identifier: "IdentifierCreated"
})

interface Named {
  readonly name: string
  readonly type?: string
  readonly data?: IdentifierData
}

function redact<A extends Named>(asset: A): A {
  if (!canBeSecret(asset)) return asset
  const { type, ...values } = asset.data ?? {}
  const data = { ...(type === undefined ? undefined : { type }), ...redactValues(values) }
  return containsRedacted(data)
    ? { ...asset, data }
    : { ...asset, name: redactedName, data: { ...data, secret: Redacted.make(asset.name) } }
}

function reveal<A extends Named>(asset: A): A {
  if (!canBeSecret(asset) || asset.data === undefined) return asset
  const data = revealValues(asset.data)
  const { secret, ...others } = data
  return asset.name === redactedName && Predicate.isString(secret)
    ? { ...asset, name: secret, data: others }
    : { ...asset, data }
}

function redactWithin(value: unknown): unknown {
  if (Predicate.isString(value) || Predicate.isNumber(value)) return Redacted.make(value)
  if (Redacted.isRedacted(value)) return value
  return mapWithin(value, redactWithin)
}

/** An absent type in a response is decoded as an empty one. */
function canBeSecret({ type }: Named): boolean {
  return type === "secret" || type === ""
}

function containsRedacted(value: unknown): boolean {
  return Redacted.isRedacted(value) || (Predicate.isObjectOrArray(value) && Object.values(value).some(containsRedacted))
}

/** A copy with every text and number redacted. */
export function redactValues(values: IdentifierData): IdentifierData {
  return mapObject(values, redactWithin)
}

export function revealValues(values: IdentifierData): IdentifierData {
  return mapObject(values, revealWithin)
}

function mapObject(values: IdentifierData, change: (value: unknown) => unknown): IdentifierData {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}

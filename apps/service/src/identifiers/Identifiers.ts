/** Identifiers. Fields that a deployed service fills with what it knows have the values of docs/api.md#identifier. */
import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Identifier, NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { expressionOfIdentifier } from "../matching/IdentifierExpression.ts"
import type { Expression } from "../search/Expression.ts"
import type { QueryStringInvalid } from "../search/QueryString.ts"

export class Identifiers extends Context.Service<
  Identifiers,
  {
    /** Creates an identifier and matches it against the stored events. See docs/api.md#create-an-identifier. */
    create(tenantId: number, identifier: NewIdentifier): Effect.Effect<Identifier, QueryStringInvalid>
  }
>()("@threat-exposure/service/identifiers/Identifiers") {
  static readonly layer = Layer.effect(
    Identifiers,
    Effect.gen(function* () {
      const store = yield* IdentifierStore
      const current = yield* CurrentVault
      return Identifiers.of({
        create: Effect.fn("Identifiers.create")(function* (tenantId, identifier) {
          const uuid = yield* Effect.sync(() => randomUUID())
          const now = DateTime.formatIso(yield* DateTime.now)
          const asset = assetOf(encodeNew(identifier), uuid, now)
          const { vault } = current
          const expression = yield* Effect.fromResult(expressionOfIdentifier(vault, asset))
          const { count, id } = yield* store.insert({ tenantId, asset, expression, keyId: vault.keyId })
          const { created_at, uuid: asset_uuid, ...given } = asset
          return decodeIdentifier({
            ...given,
            id,
            tenant_id: tenantId,
            feed_id: id,
            v3_refs: { asset_uuid },
            fetching_progress: 100,
            count,
            urn: `urn:threat-exposure:identifier:${id}`,
            is_disabled: false,
            source: "USER",
            data_updated_at: created_at
          })
        })
      })
    })
  )
}

/** Where identifiers are stored, encrypted: one may be a secret. Each engine has a layer of it. */
export class IdentifierStore extends Context.Service<
  IdentifierStore,
  {
    /** Stores an identifier, and the events that match its expression as its own. */
    insert(identifier: StoredIdentifier): Effect.Effect<{ readonly id: number; readonly count: number }>
  }
>()("@threat-exposure/service/identifiers/Identifiers/IdentifierStore") {}

export interface StoredIdentifier {
  readonly tenantId: number
  readonly asset: Asset
  readonly expression: Expression
  /** The id of the key under which the digests in the expression were made. */
  readonly keyId: number
}

/** The stored form of an identifier before encryption. It may contain a secret in clear: never log it. */
export type Asset = ReturnType<typeof assetOf>

/** `createdAt` in ISO 8601. */
export const assetOf = (
  {
    data,
    experimental_search_types = [],
    name,
    risks = [],
    search_types = [],
    type = "keyword"
  }: typeof NewIdentifier.Encoded,
  uuid: string,
  createdAt: string
) => ({
  type,
  search_types,
  name,
  data: data ?? (type === "domain" ? { type, fqdn: name } : {}),
  experimental_search_types,
  risks,
  uuid,
  created_at: createdAt
})

const encodeNew = Schema.encodeSync(NewIdentifier)
const decodeIdentifier = Schema.decodeSync(Identifier)

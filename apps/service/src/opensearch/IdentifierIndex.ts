/** The index of identifiers with their assigned policies, and the matching of events against them. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { decryptForTenant, tenantText, withTenant } from "../requests/TenantText.ts"
import type { Vault } from "../crypto/Vault.ts"
import type { HitJson } from "./cluster/SearchAnswer.ts"
import type { Cluster } from "./cluster/Cluster.ts"
import type { KeyedIndices } from "./cluster/ClusterStart.ts"
import { resealed, sealedIndex } from "./cluster/DocumentSeal.ts"
import { keptOnly } from "./cluster/IndexDefinition.ts"
import type { WriteOperation } from "./cluster/WriteOperation.ts"
import type { Expression } from "../search/Expression.ts"
import { Percolator } from "../search/Percolator.ts"
import type { Matchable } from "../search/SearchDocument.ts"
import { Asset } from "../identifiers/Asset.ts"
import { transferredIdentifiers } from "../transfer/TransferredTables.ts"
import { defineTransfer } from "./cluster/ClusterTransfer.ts"
import { assetContext, IdentifierCriteria, narrowExpression, PolicyRule } from "../matching/IdentifierExpression.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

const IdentifierDocument = Schema.Struct({
  id: Schema.Int,
  /** 0 if the identifier was deleted: its id is not reused. */
  tenantId: Schema.Int,
  /** The asset as JSON, encrypted, in base64. */
  asset: Schema.String,
  /** Null or absent if the identifier has no group. */
  groupId: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  isDisabled: Schema.optionalKey(Schema.Boolean),
  policies: Schema.Array(
    Schema.Struct({
      uuid: Schema.String,
      value: PolicyRule,
      cleanPastEvents: Schema.Boolean,
      assignedAt: Schema.String
    })
  )
})
export interface IdentifierDocument extends Schema.Schema.Type<typeof IdentifierDocument> {}

export const identifierIndex = sealedIndex<IdentifierDocument>({
  name: "identifiers",
  version: 2,
  // A single shard, because changes are read in the order of their sequence numbers.
  properties: {
    id: { type: "long" },
    tenantId: { type: "long" },
    asset: keptOnly,
    groupId: { type: "long" },
    isDisabled: { type: "boolean" },
    policies: {
      type: "object",
      properties: {
        uuid: { type: "keyword" },
        value: { type: "object", enabled: false },
        cleanPastEvents: { type: "boolean" },
        assignedAt: { type: "keyword" }
      }
    }
  },
  upgrade: {
    docValues: [],
    document: (vault, { source }) => {
      const identifier = decodeIdentifier(source)
      const { asset, id, tenantId } = identifier
      if (asset === "") return identifier
      const text = withTenant(tenantId, vault.decrypt(asset, assetContext(id)))
      return { ...identifier, asset: vault.encryptToBase64(text, assetContext(id)) }
    }
  },
  document: IdentifierDocument
})

export const keyedIdentifiers = resealed(identifierIndex, (vault, { source }) => {
  const identifier = decodeIdentifier(source)
  return identifier.asset === ""
    ? identifier
    : { ...identifier, asset: sealAsset(vault, identifier, assetIn(vault, identifier)) }
})

/** Replaces a deleted identifier: every service learns from it that the identifier matches nothing any more. */
export const deletedIdentifier = (id: number): IdentifierDocument => ({ id, tenantId: 0, asset: "", policies: [] })

export const removeIdentifier = (id: number): WriteOperation => ({
  index: identifierIndex,
  id: String(id),
  document: deletedIdentifier(id)
})

export const sealAsset = (
  vault: Vault,
  { id, tenantId }: Pick<IdentifierDocument, "id" | "tenantId">,
  asset: object
): string => vault.encryptToBase64(tenantText(tenantId, asset), assetContext(id))

const assetTextIn = (vault: Vault, { asset, id, tenantId }: SealedAsset): string =>
  decryptForTenant(vault, tenantId, asset, assetContext(id))

type SealedAsset = Pick<IdentifierDocument, "asset" | "id" | "tenantId">

export const assetIn = (vault: Vault, identifier: SealedAsset): Asset => decodeAsset(assetTextIn(vault, identifier))

const decodeAsset = jsonDecoder(Asset)

export const criteriaIn = (vault: Vault, identifier: SealedAsset): IdentifierCriteria =>
  decodeCriteria(assetTextIn(vault, identifier))

const decodeCriteria = jsonDecoder(IdentifierCriteria)

export const findIdentifier = (cluster: Cluster["Service"], id: number) =>
  Effect.map(cluster.get(identifierIndex, String(id)), (stored) => stored?.document)

export const expressionIn = ({ cluster, vault }: KeyedIndices, identifier: IdentifierDocument): Expression =>
  narrowExpression(
    vault,
    criteriaIn(vault, identifier),
    identifier.policies.map(({ value }) => value),
    () => cluster.foreign.note(cluster.nameOf(identifierIndex), [String(identifier.id)])
  )

type MatchIdentifiers = (event: Matchable) => ReadonlyArray<{ readonly id: number; readonly tenantId: number }>

interface KnownIdentifiers {
  readonly vault: Vault
  readonly percolator: Percolator
  readonly tenants: Map<number, number>
  /** Sequence numbers of the documents that were read, by identifier. */
  readonly read: Map<number, number>
  last: number
}

/** The identifiers of a cluster in the memory of a process, as of the last `refresh`. */
export class IdentifierMatcher {
  /** One read at a time: otherwise a late answer could replace a newer version by an older one. */
  readonly #reading = Semaphore.makeUnsafe(1)
  #known: KnownIdentifiers | undefined

  /**
   * Reads all changes that any service made before the call. Returns a function from an event to the matching
   * identifiers, with their tenants.
   */
  refresh(keyed: KeyedIndices): Effect.Effect<MatchIdentifiers> {
    return this.#reading.withPermit(Effect.suspend(() => this.#refresh(keyed)))
  }

  /** The known identifiers under the key of this vault: their expressions contain digests made with the key. */
  #ofKey(vault: Vault): KnownIdentifiers {
    if (this.#known?.vault !== vault) {
      this.#known = { vault, percolator: new Percolator(), tenants: new Map(), read: new Map(), last: -1 }
    }
    return this.#known
  }

  #refresh = Effect.fnUntraced(function* (this: IdentifierMatcher, indices: KeyedIndices) {
    const { cluster, vault } = indices
    const known = this.#ofKey(vault)
    const matching: MatchIdentifiers = (event) =>
      known.percolator.match(event).flatMap((id) => {
        const tenantId = known.tenants.get(id)
        return tenantId === undefined ? [] : [{ id, tenantId }]
      })
    yield* cluster.refresh(identifierIndex)
    // A write may become visible after one with a higher sequence number, so the last numbers are read again.
    let after = known.last - overlap
    for (;;) {
      const hits: ReadonlyArray<HitJson> = yield* cluster.hits(identifierIndex, {
        size: pageSize,
        query: { range: { _seq_no: { gt: after } } },
        sort: [{ _seq_no: "asc" }]
      })
      for (const { _id, _source, sort } of hits) {
        const seqNo = Number(sort?.[0])
        after = seqNo
        if (!cluster.isAuthentic(identifierIndex, _id, _source)) {
          yield* cluster.foreign.leaveOut(cluster.nameOf(identifierIndex), [_id])
          continue
        }
        const identifier = decodeIdentifier(_source)
        if (known.read.get(identifier.id) !== seqNo) this.#learn(indices, known, identifier, seqNo)
      }
      known.last = Math.max(known.last, after)
      yield* cluster.foreign.log
      if (hits.length < pageSize) return matching
    }
  }).bind(this)

  #learn(
    indices: KeyedIndices,
    { percolator, read, tenants }: KnownIdentifiers,
    identifier: IdentifierDocument,
    seqNo: number
  ): void {
    const { id, isDisabled = false, tenantId } = identifier
    read.set(id, seqNo)
    if (tenantId === 0 || isDisabled) {
      percolator.remove(id)
      tenants.delete(id)
    } else {
      percolator.add(id, expressionIn(indices, identifier))
      tenants.set(id, tenantId)
    }
  }
}

const pageSize = 5_000
const overlap = 1_000

const decodeIdentifier = Schema.decodeUnknownSync(IdentifierDocument)

export const identifiersTransfer = defineTransfer({
  table: transferredIdentifiers,
  index: identifierIndex,
  toDocument: (row) => ({
    id: String(row.id),
    document: { ...row, asset: Buffer.from(row.asset).toString("base64") },
    encrypted: { asset: assetContext(row.id) }
  })
})

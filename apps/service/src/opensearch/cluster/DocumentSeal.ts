/**
 * Seals of documents. Someone who can write to the cluster, but does not have the key file, cannot add a document, change
 * one, or move it to another id: it would not have a seal over its index, its id and all of its fields.
 */
import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { Vault } from "../../crypto/Vault.ts"
import { isReadable } from "../../requests/ForeignRecords.ts"
import {
  type FormerDocument,
  type IndexDefinition,
  type IndexName,
  type KeyedIndex,
  keptOnly,
  strictLoadFields,
  writeIdField
} from "./IndexDefinition.ts"
import { copyId } from "./StrictLoadState.ts"

/** The index with sealed documents. An upgrade seals those of an earlier version. */
export const sealedIndex = <Document>(
  index: Omit<IndexDefinition<Document>, "isKeyed" | "isSealed">
): IndexDefinition<Document> => ({
  ...index,
  properties: { ...index.properties, seal: keptOnly },
  isKeyed: true,
  isSealed: true,
  upgrade: {
    docValues: index.upgrade?.docValues ?? [],
    document: (vault, former) =>
      seal(vault, index, former.id, index.upgrade?.document(vault, former) ?? decodeSource(former.source))
  }
})

/** How a rotation seals the documents of an index again, after `rewrite` has encrypted their fields again. */
export const resealed = (
  index: KeyedIndex["index"],
  rewrite: (vault: Vault, former: FormerDocument) => object = (_, { source }) => decodeSource(source)
): KeyedIndex => ({
  index,
  rewriting: {
    docValues: [],
    document: (vault, former) => {
      if (!isSealed(vault, index, former.id, former.source)) throw new TypeError("The document has no seal")
      return seal(vault, index, former.id, rewrite(vault, former))
    }
  }
})

export const seal = (vault: Vault, index: IndexName, id: string, document: object): object => ({
  ...document,
  seal: vault.encryptToBase64(digestOf(document), contextOf(index, id))
})

export const isSealed = (vault: Vault, index: IndexName, id: string, source: unknown): boolean =>
  isReadable(() => {
    const document = decodeSource(source)
    const { replaced_by, seal } = decodeSeal(document)
    const copied = replaced_by === undefined ? "" : copyId(replaced_by, "")
    const digest = vault.decrypt(seal, contextOf(index, id.startsWith(copied) ? id.slice(copied.length) : id))
    if (digest !== digestOf(document)) throw new TypeError("The seal is that of other fields")
  })

const unsealed = new Set(["seal", writeIdField, ...Object.keys(strictLoadFields)])

const digestOf = (document: object): string => {
  const sealed = Object.entries(document).filter(([field]) => !unsealed.has(field))
  return hash("sha256", JSON.stringify(Object.fromEntries(sealed)), "base64")
}

const contextOf = ({ name }: IndexName, id: string): string => `${name}.seal/${id}`

const decodeSource = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** A strict load keeps a document that it replaces, with its seal, under another id. */
const decodeSeal = Schema.decodeUnknownSync(
  Schema.Struct({ seal: Schema.String, replaced_by: Schema.optionalKey(Schema.Int) })
)

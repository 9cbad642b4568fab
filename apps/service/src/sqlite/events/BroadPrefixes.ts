/**
 * Limits the cost of searches for words by prefix. For such a search, the full-text engine merges the entries of all
 * words with the prefix, in a single statement that cannot be interrupted. So a prefix with too many entries is omitted
 * from the statement. It then finds more events than match, and each of them is compared with the whole expression.
 */
import * as Schema from "effect/Schema"
import { decodeAnalysis } from "../../events/EventAnalysis.ts"
import { eventDocument } from "../../events/EventDocument.ts"
import { StoredEvent } from "../../events/EventStore.ts"
import { analysisContext, documentContext } from "../../events/PreparedEvent.ts"
import type { Vault } from "../../crypto/Vault.ts"
import { and, type Expression, matchAll, matches, matchNone, not, or, phrase } from "../../search/Expression.ts"
import type { SearchDocument } from "../../search/SearchDocument.ts"
import type { Connection } from "../database/Connection.ts"
import type { OpenDatabase } from "../database/Procedure.ts"
import { jsonDecoder } from "../../requests/JsonText.ts"
import { monotonicNow } from "../../MonotonicTime.ts"

/** Maximum index entries of a search's prefixes. Merging them takes less than a tenth of a second. */
export const maxPrefixEntries = 100_000

/** Prefixes that, together with the preceding ones, have more entries than a statement may merge. */
export const findBroadPrefixes = (
  connection: Connection,
  expression: Expression,
  maxEntries: number = maxPrefixEntries
): ReadonlyArray<string> => {
  const prefixes = new Set(prefixesOf(expression))
  if (prefixes.size === 0) return []
  connection.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.event_words USING fts5vocab(main, event_index, row)")
  const words = connection.prepare("SELECT cnt FROM temp.event_words WHERE term >= ? AND term <= ?")
  const end = monotonicNow() + maxCountTime
  let entries = 0
  return [...prefixes].filter((prefix) => {
    let ofPrefix = 0
    for (const { cnt } of words.iterate(prefix, `${prefix}\u{10ffff}`)) {
      ofPrefix += Number(cnt)
      if (entries + ofPrefix > maxEntries || monotonicNow() > end) return true
    }
    entries += ofPrefix
    return false
  })
}

/** Milliseconds for counting the entries. */
const maxCountTime = 40

/** The expression without these prefixes. It matches everything that `expression` matches, and possibly more. */
export const withoutPrefixes = (
  expression: Expression,
  prefixes: ReadonlyArray<string>,
  instead: typeof matchAll | typeof matchNone = matchAll
): Expression => {
  switch (expression._tag) {
    case "Phrase": {
      const { field, prefix, words } = expression
      if (!prefix || !prefixes.includes(words.at(-1) ?? "")) return expression
      return instead === matchAll && words.length > 1 ? phrase(words.slice(0, -1), { field }) : instead
    }
    case "And":
      return and(...expression.of.map((each) => withoutPrefixes(each, prefixes, instead)))
    case "Or":
      return or(...expression.of.map((each) => withoutPrefixes(each, prefixes, instead)))
    case "Not":
      return not(withoutPrefixes(expression.of, prefixes, instead === matchAll ? matchNone : matchAll))
    default:
      return expression
  }
}

/** A condition that the stored event matches, evaluated row by row. Valid until the next call for this connection. */
export const readEventMatches = (
  { connection, vault }: OpenDatabase,
  expression: Expression,
  alias: string
): string => {
  const search = searches.get(connection) ?? { expression, vault }
  Object.assign(search, { expression, vault })
  if (!searches.has(connection)) {
    searches.set(connection, search)
    connection.define("stored_event_matches", (uid, document, analysis) => {
      const [isMatch = false] = connection.readOwn(
        () => matches(search.expression, readDocument(search.vault, decodeColumns({ uid, document, analysis }))),
        () => ["events", String(uid)]
      )
      return isMatch ? 1 : 0
    })
  }
  return `stored_event_matches(${alias}.uid, ${alias}.document, ${alias}.analysis)`
}

const searches = new WeakMap<Connection, { expression: Expression; vault: Vault }>()

export const EncryptedEvent = {
  uid: Schema.String,
  document: Schema.Uint8Array,
  analysis: Schema.NullOr(Schema.Uint8Array)
}
type EncryptedColumns = Schema.Struct.Type<typeof EncryptedEvent>

const decodeColumns = Schema.decodeUnknownSync(Schema.Struct(EncryptedEvent))

export const decryptEvent = (
  vault: Vault,
  { document, uid }: Pick<EncryptedColumns, "document" | "uid">
): StoredEvent => decodeStored(vault.decrypt(document, documentContext(uid)))

const decodeStored = jsonDecoder(StoredEvent)

export const readDocument = (
  vault: Vault,
  row: EncryptedColumns,
  event: StoredEvent = decryptEvent(vault, row)
): SearchDocument =>
  row.analysis === null
    ? eventDocument(vault, event)
    : decodeAnalysis(vault, event.data, vault.decrypt(row.analysis, analysisContext(row.uid)))

export const hasPrefix = (expression: Expression): boolean => prefixesOf(expression).next().done !== true

function* prefixesOf(expression: Expression): Generator<string> {
  switch (expression._tag) {
    case "Phrase": {
      const last = expression.words.at(-1)
      if (expression.prefix && last !== undefined) yield last
      return
    }
    case "And":
    case "Or":
      for (const each of expression.of) yield* prefixesOf(each)
      return
    case "Not":
      yield* prefixesOf(expression.of)
  }
}

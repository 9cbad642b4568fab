/**
 * Bounds the cost of searches for words by their beginning. For such a search the full-text engine merges the entries of all
 * words with the prefix, within one statement that nothing can stop. So a prefix with too many entries is left out of the
 * statement, which then finds more events than match, and each of these is compared with the whole expression.
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

/** Index entries of a search's prefixes; merging them takes less than a tenth of a second. */
export const maxPrefixEntries = 100_000

/** The prefixes of the expression that have more entries, together with those before them, than a statement may merge. */
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

/** Milliseconds. */
const maxCountTime = 40

/** An expression without these prefixes, which matches at least what `expression` matches. */
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
    case "And": {
      return and(...expression.of.map((each) => withoutPrefixes(each, prefixes, instead)))
    }
    case "Or": {
      return or(...expression.of.map((each) => withoutPrefixes(each, prefixes, instead)))
    }
    case "Not": {
      return not(withoutPrefixes(expression.of, prefixes, instead === matchAll ? matchNone : matchAll))
    }
    default: {
      return expression
    }
  }
}

/**
 * A condition for the table named `alias`: the stored event matches the expression. SQLite calls it for one row after the
 * other. Valid until the next call with this connection.
 */
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

/** The columns of an event that its text is in, encrypted. */
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

/** The event as search sees it. */
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
    case "Or": {
      for (const each of expression.of) yield* prefixesOf(each)
      return
    }
    case "Not": {
      yield* prefixesOf(expression.of)
    }
  }
}

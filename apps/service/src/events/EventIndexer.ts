/** Events as a load writes them to OpenSearch, matched against the identifiers of every tenant. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CurrentVault } from "../crypto/CurrentVault.ts"
import type { RecordIndexer } from "../load/LoadTargetOpenSearch.ts"
import { type EventDocument, eventIdOf, eventIndex, findingIdOf, findingIndex } from "../matching/EventIndex.ts"
import { IdentifierMatcher } from "../matching/IdentifierIndex.ts"
import type { Cluster, WriteOperation } from "../opensearch/Cluster.ts"
import { indexedWords } from "../opensearch/ExpressionQuery.ts"
import { fields } from "../search/SearchDocument.ts"
import { orderedUid } from "./EventOrder.ts"
import { preparedEventsOf } from "./EventLoader.ts"
import type { PreparedEvent } from "./PreparedEvent.ts"

/**
 * First the events are stored, then the identifiers are read, then the findings are stored. An identifier is created the
 * other way round: it is stored, then events are searched. Whichever is first, the other one sees it.
 */
export const eventIndexer = (
  cluster: Cluster["Service"],
  current: CurrentVault["Service"]
): RecordIndexer<PreparedEvent> => {
  const matcher = new IdentifierMatcher(cluster, current)
  return {
    prepare: preparedEventsOf,
    idOf: ({ uid }) => uid,
    equal: (one, other) => Buffer.from(one.digest).equals(other.digest),
    write: Effect.fnUntraced(function* (events, { keep, now }) {
      const stored = yield* digestsOf(cluster, events)
      const changed = events.filter((event) => {
        const digest = stored.get(eventIdOf(event.uid))
        return digest === undefined || (!keep && digest !== Buffer.from(event.digest).toString("hex"))
      })
      if (changed.length > 0) {
        const documents = changed.map((event) => ({
          event,
          id: eventIdOf(event.uid),
          document: eventDocumentOf(event, now)
        }))
        const writes = documents.map(({ document, id }): WriteOperation => ({ index: eventIndex, id, document }))
        yield* cluster.write(writes, { refresh: false })
        yield* matcher.refresh
        const found = documents.flatMap(({ document, event, id }) =>
          matcher.match(matchable(event)).map(({ id: identifier, tenantId }) => ({
            id: findingIdOf(identifier, id),
            document: { ...document, event: id, identifier, tenantId, matched_at: now }
          }))
        )
        yield* removeOtherFindings(
          cluster,
          documents.filter(({ id }) => stored.has(id)).map(({ id }) => id),
          new Set(found.map(({ id }) => id))
        )
        const findings = found.map(({ document, id }): WriteOperation => ({ index: findingIndex, id, document }))
        yield* cluster.write(findings, { refresh: false })
      }
      const replaced = changed.filter(({ uid }) => stored.has(eventIdOf(uid))).length
      return { added: changed.length - replaced, replaced, unchanged: events.length - changed.length }
    }),
    publish: Effect.andThen(cluster.refresh(eventIndex), cluster.refresh(findingIndex))
  }
}

/** Those of a former version of the events. */
const removeOtherFindings = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  replaced: ReadonlyArray<string>,
  kept: ReadonlySet<string>
) {
  if (replaced.length === 0) return
  yield* cluster.refresh(findingIndex)
  const hits = yield* cluster.all(findingIndex, {
    query: { terms: { event: replaced } },
    sort: [{ created_at: "asc" }, { uid_order: "asc" }, { identifier: "asc" }]
  })
  const removals = hits
    .filter(({ id }) => !kept.has(id))
    .map(({ id }): WriteOperation => ({ index: findingIndex, id, remove: true }))
  yield* cluster.write(removals, { refresh: false })
})

const matchable = ({ terms, words }: PreparedEvent) => ({
  texts: fields.map((field, at) => ({ field, words: (words[at] ?? "").split(" ").map((text) => ({ text })) })),
  terms
})

/** Of those that are stored, by the id of the document. */
const digestsOf = (cluster: Cluster["Service"], events: ReadonlyArray<PreparedEvent>) =>
  Effect.map(
    cluster.call({
      method: "POST",
      path: `/${cluster.alias(eventIndex)}/_mget?_source=digest&filter_path=docs._id,docs._source`,
      body: JSON.stringify({ ids: events.map(({ uid }) => eventIdOf(uid)) })
    }),
    ({ text }) =>
      new Map(
        decodeDigests(text).docs.flatMap(({ _id, _source }) =>
          _source === undefined ? [] : [[_id, _source.digest] as const]
        )
      )
  )

const decodeDigests = Schema.decodeSync(
  Schema.fromJsonString(
    Schema.Struct({
      docs: Schema.Array(
        Schema.Struct({ _id: Schema.String, _source: Schema.optional(Schema.Struct({ digest: Schema.String })) })
      )
    })
  )
)

const eventDocumentOf = (event: PreparedEvent, loadedAt: string): EventDocument => ({
  uid: event.uid,
  uid_order: orderedUid(event.uid) ?? event.uid,
  type: event.type,
  severity: event.severity,
  created_at: event.createdAt,
  loaded_at: loadedAt,
  digest: Buffer.from(event.digest).toString("hex"),
  document: Buffer.from(event.encrypted).toString("base64"),
  analysis: Buffer.from(event.analysis).toString("base64"),
  ...Object.fromEntries(fields.map((field, at) => [field, indexedWords(event.words[at] ?? "")])),
  terms: event.tokens.split(" ")
})

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { type EventDocument, eventIndex, findingIdOf, findingIndex, storedVersions } from "../matching/EventIndex.ts"
import { identifierIndex, sealedAsset } from "../matching/IdentifierIndex.ts"
import { Cluster, type Hit, type SortValues } from "../opensearch/Cluster.ts"
import { expressionQuery } from "../opensearch/ExpressionQuery.ts"
import { requireKey } from "../requests/StoreUnavailable.ts"
import { IdentifierStore } from "./Identifiers.ts"

export const IdentifierStoreOpenSearch = Layer.effect(
  IdentifierStore,
  Effect.gen(function* () {
    const cluster = yield* Cluster
    const current = yield* CurrentVault
    return IdentifierStore.of({
      insert: Effect.fnUntraced(function* ({ asset, expression, keyId, tenantId }) {
        requireKey(current, keyId)
        const { vault } = current
        const id = yield* cluster.nextNumber("identifiers")
        yield* cluster.put(identifierIndex, String(id), {
          id,
          tenantId,
          asset: sealedAsset(vault, id, asset),
          policies: []
        })
        // See `eventIndexer` for this order.
        yield* cluster.refresh(eventIndex)
        let count = 0
        let after: SortValues | undefined
        do {
          const hits: ReadonlyArray<Hit<EventDocument>> = yield* cluster.search(eventIndex, {
            query: expressionQuery(vault, expression),
            sort: [{ created_at: "desc" }, { uid_order: "desc" }],
            size: eventsAtOnce,
            ...(after === undefined ? {} : { search_after: after })
          })
          const findings = hits.map((hit) => ({
            index: findingIndex,
            id: findingIdOf(id, hit.id),
            document: { ...hit.document, event: hit.id, identifier: id, tenantId, matched_at: asset.created_at },
            // A load that goes on may have stored a later version.
            keep: true as const
          }))
          yield* cluster.write(findings, { refresh: false })
          yield* removeOutdated(cluster, findings)
          count += hits.length
          after = hits.length < eventsAtOnce ? undefined : hits.at(-1)?.sort
        } while (after !== undefined)
        yield* cluster.refresh(findingIndex)
        return { id, count }
      })
    })
  })
)

const eventsAtOnce = 500

/**
 * Removes findings of events that were replaced or deleted meanwhile. Whoever replaces an event stores it before its
 * findings, and looks for those of the former version afterwards: whichever is later, removes them.
 */
const removeOutdated = Effect.fnUntraced(function* (
  cluster: Cluster["Service"],
  findings: ReadonlyArray<{ readonly id: string; readonly document: EventDocument & { readonly event: string } }>
) {
  if (findings.length === 0) return
  const versions = yield* storedVersions(
    cluster,
    findings.map(({ document }) => document.event)
  )
  for (const { document, id } of findings) {
    if (versions.get(document.event)?.digest === document.digest) continue
    const finding = yield* cluster.get(findingIndex, id)
    if (finding === undefined) continue
    const event = yield* cluster.get(eventIndex, document.event)
    if (finding.document.digest === event?.document.digest) continue
    const { primaryTerm, seqNo } = finding.revision
    yield* cluster.call({
      method: "DELETE",
      path: `/${cluster.alias(findingIndex)}/_doc/${id}?if_seq_no=${seqNo}&if_primary_term=${primaryTerm}`,
      accepted: [404, 409]
    })
  }
})

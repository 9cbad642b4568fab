/** Loads the sample data set into a database, in one transaction. */
import { randomUUID } from "node:crypto"
import { Credential } from "@threat-exposure/core/domain/Credential"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { annotateEvent } from "../events/EventAnnotations.ts"
import { loadEventsJob } from "../events/EventLoader.ts"
import { batchOf, insertCredentials } from "../credentials/CredentialInserts.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { createIdentifierJob } from "../identifiers/IdentifierInserts.ts"
import { assignPolicyJob, createPolicyJob } from "../matching-policies/Policies.ts"
import { insertRecommendations } from "../recommendations/RecommendationStoreSqlite.ts"
import { query } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { type Sample, sampleOf } from "./Sample.ts"

/**
 * The data set as of today, and the tenant's identifiers, policies and annotations. Loading it again updates the events and
 * leaves the tenant's data unchanged.
 */
export const loadSample = Effect.fn("loadSample")(function* (tenantId: number) {
  const database = yield* Database
  const now = yield* DateTime.now
  const sample = sampleOf(now)
  yield* database.write(loadSampleJob, {
    sample,
    tenantId,
    now: DateTime.formatIso(now),
    uuids: yield* Effect.sync(() => sample.tenant.identifiers.map(() => randomUUID()))
  })
})

export const loadSampleJob = procedure(
  "sample.load",
  (
    database,
    {
      now,
      sample: { credentials, events, tenant },
      tenantId,
      uuids
    }: {
      readonly sample: Sample
      readonly tenantId: number
      readonly now: string
      readonly uuids: ReadonlyArray<string>
    }
  ): void => {
    const { connection, vault } = database
    insertCredentials(connection, [
      batchOf(
        vault,
        credentials.map((credential) => ({
          credential: decodeCredential(credential),
          importedAt: microsecondsOf(credential.imported_at) ?? 0
        }))
      )
    ])
    loadEventsJob.run(database, { events, now })
    for (const annotation of tenant.annotations) annotateEvent(connection, tenantId, annotation)

    const { policy } = tenant
    if (connection.first(policyByUuid, policy.uuid) !== undefined) return
    createPolicyJob.run(database, { ...policy, tenantId, now })
    const assigned: Array<number> = []
    for (const [index, asset] of tenant.identifiers.entries()) {
      const created = createIdentifierJob.run(database, { tenantId, asset, uuid: uuids[index] ?? "", now })
      if (created._tag === "Created" && policy.identifiers.includes(asset.name)) assigned.push(created.asset.id)
    }
    assignPolicyJob.run(database, { tenantId, uuid: policy.uuid, identifierIds: assigned, cleanPastEvents: true, now })
    insertRecommendations(connection, tenantId, tenant.recommendations)
  }
)

const decodeCredential = Schema.decodeSync(Credential)

const policyByUuid = query(Schema.Struct({ uuid: Schema.String }), "SELECT uuid FROM matching_policies WHERE uuid = ?")

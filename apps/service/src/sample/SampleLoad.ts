/** Loads the sample data set. */
import { Credential } from "@threat-exposure/core/domain/Credential"
import { NewIdentifier } from "@threat-exposure/core/domain/Identifier"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { batchOf } from "../credentials/CredentialBatch.ts"
import { annotateEvent } from "../events/EventAnnotations.ts"
import { credentialLoader } from "../credentials/CredentialLoader.ts"
import { eventLoader, loadEventsJob } from "../events/EventLoader.ts"
import { Identifiers } from "../identifiers/Identifiers.ts"
import { publishWhole, recoverPublication } from "../load/Publication.ts"
import { MatchingPolicies } from "../matching-policies/MatchingPolicies.ts"
import { insertRecommendations } from "../recommendations/RecommendationStoreSqlite.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { query } from "../sqlite/Connection.ts"
import { Database } from "../sqlite/Database.ts"
import { publicationLock } from "../sqlite/Generations.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { type Sample, sampleOf } from "./Sample.ts"

/**
 * The data set as of today, and the tenant's identifiers, policies and annotations. Loading it again updates the events and
 * leaves the tenant's data unchanged.
 */
export const loadSample = Effect.fn("loadSample")(function* (tenantId: number) {
  const database = yield* Database
  const identifiers = yield* Identifiers
  const policies = yield* MatchingPolicies
  const now = yield* DateTime.now
  const sample = sampleOf(now)
  yield* recoverPublication(credentialLoader.store)
  yield* recoverPublication(eventLoader.store)
  const isFirst = yield* Effect.gen(function* () {
    yield* publicationLock(database.files.file, "credentials")
    yield* publicationLock(database.files.file, "events")
    return yield* database.write(loadData, { sample, tenantId, now: DateTime.formatIso(now) })
  }).pipe(Effect.scoped)
  if (!isFirst) return
  const { policy } = sample.tenant
  const created = yield* Effect.forEach(sample.tenant.identifiers, (asset) =>
    identifiers.create(tenantId, decodeNew(asset))
  )
  yield* policies.create(tenantId, policy)
  yield* policies.assign(tenantId, policy.uuid, {
    identifier_ids: created.filter(({ name }) => policy.identifiers.includes(name)).map(({ id }) => id),
    clean_past_events: true
  })
}, Effect.orDie)

/** What no service creates, in one transaction. True if the tenant does not have the sample yet. */
const loadData = procedure(
  "sample.loadData",
  (
    database,
    {
      now,
      sample: { credentials, events, tenant },
      tenantId
    }: { readonly sample: Sample; readonly tenantId: number; readonly now: string }
  ): boolean => {
    const { connection, vault } = database
    const batch = batchOf(
      vault,
      credentials.map((credential) => ({
        credential: decodeCredential(credential),
        importedAt: microsecondsOf(credential.imported_at) ?? 0
      }))
    )
    publishWhole(database, credentialLoader.store, [batch], now)
    loadEventsJob.run(database, { events, now })
    for (const annotation of tenant.annotations) annotateEvent(connection, tenantId, annotation)
    const isFirst = connection.first(policyByUuid, tenant.policy.uuid) === undefined
    if (isFirst) insertRecommendations(connection, tenantId, tenant.recommendations)
    return isFirst
  }
)

export const sampleProcedures = [loadData]

const decodeCredential = Schema.decodeSync(Credential)
const decodeNew = Schema.decodeSync(NewIdentifier)

const policyByUuid = query(Schema.Struct({ uuid: Schema.String }), "SELECT uuid FROM matching_policies WHERE uuid = ?")

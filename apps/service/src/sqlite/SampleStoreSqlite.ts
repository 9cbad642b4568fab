import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { PlainCredential } from "@threat-exposure/core/domain/Credential"
import { batchOf } from "../credentials/CredentialBatch.ts"
import { credentialLoader } from "./credentials/CredentialLoader.ts"
import { annotateEvent } from "./events/EventAnnotationsSqlite.ts"
import { eventLoader, loadEventsJob } from "./events/EventLoader.ts"
import { publishWhole, recoverPublication } from "./Publication.ts"
import { insertRecommendations } from "./RecommendationStoreSqlite.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { select } from "./database/Connection.ts"
import { Database } from "./database/Database.ts"
import { publicationLock } from "./database/Generations.ts"
import { procedure } from "./database/Procedure.ts"
import { type SampleOfTenant, SampleStore } from "../sample/SampleLoad.ts"

export const SampleStoreSqlite = Layer.effect(
  SampleStore,
  Effect.map(Database, (database) =>
    SampleStore.of({
      put: Effect.fnUntraced(
        function* (sample) {
          yield* recoverPublication(credentialLoader.store)
          yield* recoverPublication(eventLoader.store)
          yield* publicationLock(database.files.file, "credentials")
          yield* publicationLock(database.files.file, "events")
          return yield* database.write(loadData, sample)
        },
        Effect.scoped,
        Effect.provideService(Database, database)
      )
    })
  )
)

/** Stores the records that no service creates, in one transaction. True if the tenant does not have the sample yet. */
const loadData = procedure(
  "sample.loadData",
  (database, { now, sample: { credentials, events, tenant }, tenantId }: SampleOfTenant): boolean => {
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
    const isFirst = connection.first(policyByUuid, tenant.policies[0].uuid) === undefined
    if (isFirst) {
      for (const annotation of tenant.annotations) annotateEvent(connection, tenantId, annotation)
      insertRecommendations(connection, tenantId, tenant.recommendations)
    }
    return isFirst
  }
)

const decodeCredential = Schema.decodeSync(PlainCredential)

const policyByUuid = select(Schema.Struct({ uuid: Schema.String }), "FROM matching_policies WHERE uuid = ?")

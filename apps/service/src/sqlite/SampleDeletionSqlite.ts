import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { everyCredential } from "../credentials/CredentialDeletion.ts"
import { everyEvent } from "../events/EventDeletion.ts"
import { type Sample, sampleOf } from "@threat-exposure/sample/Sample"
import {
  assetKey,
  sampleAssets,
  type SampleCounts,
  SampleDeletion,
  sampleKeyLabel,
  sampleTenant
} from "../sample/SampleDeletion.ts"
import { deleteCredentials } from "./credentials/CredentialDeletionSqlite.ts"
import { criteriaOf, IdentifierRow } from "./IdentifierPercolator.ts"
import { column, select } from "./database/Connection.ts"
import { isPublished } from "./database/Generations.ts"
import type { OpenDatabase } from "./database/Procedure.ts"
import { storeLayer } from "./database/StoreMethods.ts"
import { deleteEvents } from "./events/EventDeletionSqlite.ts"
import { jsonDecoder } from "../requests/JsonText.ts"

const currentSample = Effect.map(DateTime.now, sampleOf)

export const SampleDeletionSqlite = storeLayer(SampleDeletion)(({ read, write }) => ({
  count: currentSample.pipe(
    Effect.flatMap(read("find", rowsOfSample)),
    Effect.map((rows) => ({
      ...rows,
      credentials: rows.credentials.length,
      events: rows.events.length,
      identifiers: rows.identifiers.length
    }))
  ),
  // One transaction is enough, because the sample is small.
  delete: Effect.flatMap(
    currentSample,
    write("delete", (database, sample: Sample) => {
      const { connection } = database
      const { credentials, events, identifiers } = rowsOfSample(database, sample)
      deleteCredentials.run(database, { ...everyCredential, ids: credentials })
      deleteEvents.run(database, { ...everyEvent, uids: events })
      for (const id of identifiers) connection.run("DELETE FROM identifiers WHERE id = ?", id)
      for (const { from, parameters } of ofTenant(sample)) connection.run(`DELETE ${from}`, ...parameters)
    })
  )
}))

interface SampleRows extends Omit<SampleCounts, "credentials" | "events" | "identifiers"> {
  readonly credentials: ReadonlyArray<number>
  readonly events: ReadonlyArray<string>
  readonly identifiers: ReadonlyArray<number>
}

function rowsOfSample(database: OpenDatabase, sample: Sample): SampleRows {
  const { connection, vault } = database
  const assets = sampleAssets(sample)
  const counts = ofTenant(sample).map(({ from, parameters }) => connection.count(from, ...parameters))
  const [policies = 0, recommendations = 0, annotations = 0, groups = 0, reports = 0, keys = 0] = counts
  return {
    credentials: sample.credentials.flatMap(({ id, identity_name }) => {
      const document = connection.first(credentialById, id, id)
      return document !== undefined && decodeName(`{${document}}`).identity_name === identity_name ? [id] : []
    }),
    events: sample.events.flatMap(({ metadata }) => connection.first(eventByUid, metadata.uid) ?? []),
    identifiers: connection.all(identifiersOfTenant, sampleTenant).flatMap((row) => {
      const { name, type } = criteriaOf(vault, row)
      return assets.has(assetKey({ name, type })) ? [row.id] : []
    }),
    groups,
    policies,
    reports,
    recommendations,
    annotations,
    keys
  }
}

const ofTenant = ({ events, tenant }: Sample) => [
  {
    from: "FROM matching_policies WHERE tenant_id = ? AND uuid IN (SELECT value FROM json_each(?))",
    parameters: [sampleTenant, JSON.stringify(tenant.policies.map(({ uuid }) => uuid))]
  },
  {
    from: "FROM recommendations WHERE tenant_id = ? AND id IN (SELECT value FROM json_each(?))",
    parameters: [sampleTenant, JSON.stringify(tenant.recommendations.map(({ id }) => id))]
  },
  {
    from: "FROM event_annotations WHERE tenant_id = ? AND uid IN (SELECT value FROM json_each(?))",
    parameters: [sampleTenant, JSON.stringify(events.map(({ metadata }) => metadata.uid))]
  },
  {
    from: "FROM identifier_groups WHERE tenant_id = ? AND urn = ?",
    parameters: [sampleTenant, tenant.group.urn]
  },
  {
    from: "FROM reports WHERE tenant_id = ? AND report = ?",
    parameters: [sampleTenant, JSON.stringify(tenant.report)]
  },
  { from: "FROM keys WHERE tenant_id = ? AND label = ?", parameters: [sampleTenant, sampleKeyLabel] }
]

const credentialById = column(
  Schema.String,
  `SELECT c.document FROM credentials c
   WHERE c.version IN (? * 2, ? * 2 + 1) AND ${isPublished("c", "credentials")}`
)

const eventByUid = column(Schema.String, `SELECT e.uid FROM events e WHERE e.uid = ? AND ${isPublished("e", "events")}`)

const identifiersOfTenant = select(IdentifierRow, "FROM identifiers WHERE tenant_id = ?")

const decodeName = jsonDecoder(Schema.Struct({ identity_name: Schema.String }))

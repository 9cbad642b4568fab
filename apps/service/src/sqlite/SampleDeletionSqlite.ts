import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { everyCredential } from "../credentials/CredentialDeletion.ts"
import { everyEvent } from "../events/EventDeletion.ts"
import { type Sample, sampleOf } from "@threat-exposure/sample/Sample"
import { assetKey, sampleAssets, SampleDeletion, sampleKeyLabel, sampleTenant } from "../sample/SampleDeletion.ts"
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
  count: Effect.flatMap(
    currentSample,
    read("count", (database, sample: Sample) => ({
      ...Record.map(idsOf(database, sample), ({ length }) => length),
      ...Record.map(rowsOfTenant(sample), ({ from, parameters }) => database.connection.count(from, ...parameters))
    }))
  ),
  // One transaction is enough, because the sample is small.
  delete: Effect.flatMap(
    currentSample,
    write("delete", (database, sample: Sample) => {
      const { connection } = database
      const { credentials, events, identifiers } = idsOf(database, sample)
      deleteCredentials.run(database, { ...everyCredential, ids: credentials })
      deleteEvents.run(database, { ...everyEvent, uids: events })
      for (const id of identifiers) connection.run("DELETE FROM identifiers WHERE id = ?", id)
      for (const { from, parameters } of Object.values(rowsOfTenant(sample))) {
        connection.run(`DELETE ${from}`, ...parameters)
      }
    })
  )
}))

const idsOf = ({ connection, vault }: OpenDatabase, sample: Sample) => {
  const assets = sampleAssets(sample)
  return {
    credentials: sample.credentials.flatMap(({ id, identity_name }) => {
      const document = connection.first(credentialById, id, id)
      return document !== undefined && decodeName(`{${document}}`).identity_name === identity_name ? [id] : []
    }),
    events: sample.events.flatMap(({ metadata }) => connection.first(eventByUid, metadata.uid) ?? []),
    identifiers: connection.all(identifiersOfTenant, sampleTenant).flatMap((row) => {
      const { name, type } = criteriaOf(vault, row)
      return assets.has(assetKey({ name, type })) ? [row.id] : []
    })
  }
}

const rowsOfTenant = ({ events, tenant }: Sample) => ({
  groups: rowsWith("identifier_groups", "urn", [tenant.group.urn]),
  policies: rowsWith(
    "matching_policies",
    "uuid",
    tenant.policies.map(({ uuid }) => uuid)
  ),
  reports: rowsWith("reports", "report", [JSON.stringify(tenant.report)]),
  recommendations: rowsWith(
    "recommendations",
    "id",
    tenant.recommendations.map(({ id }) => id)
  ),
  annotations: rowsWith(
    "event_annotations",
    "uid",
    events.map(({ metadata }) => metadata.uid)
  ),
  keys: rowsWith("keys", "label", [sampleKeyLabel])
})

const rowsWith = (table: string, column: string, values: ReadonlyArray<number | string>) => ({
  from: `FROM ${table} WHERE tenant_id = ? AND ${column} IN (SELECT value FROM json_each(?))`,
  parameters: [sampleTenant, JSON.stringify(values)]
})

const credentialById = column(
  Schema.String,
  `SELECT c.document FROM credentials c
   WHERE c.version IN (? * 2, ? * 2 + 1) AND ${isPublished("c", "credentials")}`
)

const eventByUid = column(Schema.String, `SELECT e.uid FROM events e WHERE e.uid = ? AND ${isPublished("e", "events")}`)

const identifiersOfTenant = select(IdentifierRow, "FROM identifiers WHERE tenant_id = ?")

const decodeName = jsonDecoder(Schema.Struct({ identity_name: Schema.String }))

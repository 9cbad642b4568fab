import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Permission } from "@threat-exposure/core/domain/Permission"
import { Severity } from "@threat-exposure/core/domain/Severity"
import type { Vault } from "../crypto/Vault.ts"
import { PolicyRule } from "../matching/IdentifierExpression.ts"
import { columnsOf, query } from "../sqlite/database/Connection.ts"
import { Database } from "../sqlite/database/Database.ts"
import { isRotating } from "../sqlite/database/DatabaseKey.ts"
import { isPublished } from "../sqlite/database/Generations.ts"
import { lastNumbers } from "../sqlite/database/Numbers.ts"

export interface TransferredTable<Row> {
  readonly from: string
  /** SQL expressions of fields that are not a column of the same name, in snake case. */
  readonly expressions?: Readonly<Record<string, string>>
  readonly row: Schema.Decoder<Row> & { readonly fields: object }
}

/** The copy differs from the database, or a transfer is not possible now. No service uses the copy. */
export class TransferFailed extends Schema.TaggedError<TransferFailed>()("TransferFailed", { reason: Schema.String }) {
  override get message() {
    return `The data was not moved: ${this.reason}`
  }
}

export interface TransferSource {
  readonly vault: Vault
  count(table: Pick<TransferredTable<unknown>, "from">): number
  rows<Row>(table: TransferredTable<Row>): Iterable<Row>
  /** The last number that each counter has assigned to a row, including deleted rows. */
  readonly lastNumbers: ReadonlyArray<readonly [counter: string, last: number]>
}

/** Opens the database for a transfer, while services continue to use the file. Fails during a key rotation. */
export const openTransferSource = Effect.gen(function* () {
  const { connection, vault } = yield* Database
  yield* Effect.acquireRelease(
    Effect.sync(() => connection.exec("BEGIN")),
    () => Effect.sync(() => connection.exec("ROLLBACK"))
  )
  if (isRotating(connection)) {
    return yield* new TransferFailed({ reason: "a rotation of its key is not finished. Run rotate-key first" })
  }
  const source: TransferSource = {
    vault,
    count: ({ from }) => connection.count(`FROM ${from}`),
    rows: (table) => connection.each(query(table.row, selectRows(table))),
    lastNumbers: lastNumbers(connection)
  }
  return source
})

export const selectRows = ({ expressions, from, row }: TransferredTable<unknown>): string =>
  `SELECT ${columnsOf(row, expressions)} FROM ${from}`

const table = <Row>(description: TransferredTable<Row>): TransferredTable<Row> => description

export const transferredAnnotations = table({
  from: "event_annotations",
  row: Schema.Struct({
    tenant_id: Schema.Int,
    uid: Schema.String,
    severity: Schema.NullOr(Severity),
    tags: Schema.fromJsonString(Schema.Array(Schema.String)),
    notes: Schema.String,
    ignored_at: Schema.NullOr(Schema.String),
    remediated_at: Schema.NullOr(Schema.String)
  })
})

export const transferredCreations = table({
  expressions: { id: "identifier_id", created_at: "matched_at" },
  from: "identifier_creations",
  row: Schema.Struct({ id: Schema.Int, created_at: Schema.String })
})

export const transferredCredentials = table({
  expressions: { id: "c.version >> 1", document: "c.document", hash: "c.sealed_hash", source: "s.document" },
  from: `credentials c LEFT JOIN credential_sources s ON s.id = c.source WHERE ${isPublished("c", "credentials")}`,
  row: Schema.Struct({
    id: Schema.Int,
    importedAt: Schema.Int,
    document: Schema.String,
    hash: Schema.NullOr(Schema.Uint8Array),
    source: Schema.NullOr(Schema.String),
    knownPasswordId: Schema.NullOr(Schema.Int),
    authDomains: Schema.NullOr(Schema.String),
    furtherAuthDomains: Schema.NullOr(Schema.String),
    urls: Schema.NullOr(Schema.String)
  })
})

export const transferredCredentialStates = table({
  expressions: { hash: "credential_hash" },
  from: "credential_states",
  row: Schema.Struct({
    tenantId: Schema.Int,
    hash: Schema.String,
    ignoredAt: Schema.NullOr(Schema.String),
    remediatedAt: Schema.NullOr(Schema.String)
  })
})

const eventFields = { uid: Schema.String, document: Schema.Uint8Array, loadedAt: Schema.String }

export const transferredEvents = table({
  from: `events e WHERE ${isPublished("e", "events")}`,
  row: Schema.Struct(eventFields)
})

export const transferredFindings = table({
  expressions: {
    identifier: "m.identifier_id",
    tenantId: "i.tenant_id",
    materializedAt: `(
      SELECT t.materialized_at + m.arrival - t.arrival FROM arrival_times t
      WHERE t.arrival <= m.arrival ORDER BY t.arrival DESC LIMIT 1)`
  },
  from: `identifier_events m JOIN identifiers i ON i.id = m.identifier_id JOIN events e ON e.id = m.event_id
    WHERE i.tenant_id <> 0 AND ${isPublished("e", "events")}`,
  row: Schema.Struct({
    ...eventFields,
    identifier: Schema.Int,
    tenantId: Schema.Int,
    matchedAt: Schema.String,
    materializedAt: Schema.Int
  })
})

export const transferredGroups = table({
  from: "identifier_groups",
  row: Schema.Struct({
    id: Schema.Int,
    tenant_id: Schema.Int,
    feed_id: Schema.NullOr(Schema.Int),
    feed_owner_id: Schema.NullOr(Schema.Int),
    name: Schema.NullOr(Schema.String),
    urn: Schema.NullOr(Schema.String)
  })
})

export const transferredIdentifiers = table({
  expressions: {
    policies: `(
      SELECT json_group_array(json_object(
        'uuid', p.uuid, 'value', iif(json_valid(p.value), json_set(p.value, '$.type', p.policy_type), p.value), 'cleanPastEvents', json(iif(a.clean_past_events, 'true', 'false')),
        'assignedAt', a.assigned_at
      )) FROM policy_assignments a JOIN matching_policies p ON p.uuid = a.policy_uuid WHERE a.identifier_id = identifiers.id)`
  },
  // Identifiers with the tenant 0 are being deleted.
  from: "identifiers WHERE tenant_id <> 0",
  row: Schema.Struct({
    id: Schema.Int,
    tenantId: Schema.Int,
    asset: Schema.Uint8Array,
    groupId: Schema.NullOr(Schema.Int),
    isDisabled: Schema.BooleanFromBit,
    policies: Schema.fromJsonString(
      Schema.Array(
        Schema.Struct({
          uuid: Schema.String,
          value: PolicyRule,
          cleanPastEvents: Schema.Boolean,
          assignedAt: Schema.String
        })
      )
    )
  })
})

export const transferredIntelRequests = table({
  expressions: { id: "r.request_id", tenantId: "r.tenant_id" },
  from: "intel_requests r LEFT JOIN intel_answers a ON a.request_id = r.request_id",
  row: Schema.Struct({
    id: Schema.String,
    tenantId: Schema.Int,
    question: Schema.Uint8Array,
    tone: Schema.NullOr(Schema.String),
    createdAt: Schema.String,
    report: Schema.NullOr(Schema.Uint8Array),
    answeredAt: Schema.NullOr(Schema.String)
  })
})

export const transferredKeys = table({
  expressions: { digest: "lower(hex(token_hash))" },
  from: "keys",
  row: Schema.Struct({
    id: Schema.Int,
    digest: Schema.String,
    tenantId: Schema.Int,
    // Permissions that cannot be decoded become an empty list: the row was planted, and its seal does not match an
    // empty list either.
    permissions: Schema.fromJsonString(Schema.Array(Permission)).pipe(
      Schema.catchDecoding(() => Effect.succeed(Option.some([])))
    ),
    createdAt: Schema.String,
    revokedAt: Schema.NullOr(Schema.String),
    label: Schema.NullOr(Schema.String),
    expiresAt: Schema.NullOr(Schema.String),
    lastUsedAt: Schema.NullOr(Schema.String),
    seal: Schema.NullOr(Schema.Uint8Array)
  })
})

export const transferredMembers = table({
  from: "tenant_users",
  row: Schema.Struct({
    tenantId: Schema.Int,
    userId: Schema.Int,
    isReadonly: Schema.BooleanFromBit,
    role: Schema.String,
    addedAt: Schema.String
  })
})

export const transferredPolicies = table({
  expressions: {
    type: "policy_type",
    cleaning: `(
      SELECT json_group_array(DISTINCT i.value) FROM policy_cleanings c, json_each(iif(json_valid(c.identifier_ids), c.identifier_ids, '[]')) i
      WHERE c.policy_uuid = matching_policies.uuid)`
  },
  from: "matching_policies",
  row: Schema.Struct({
    uuid: Schema.String,
    tenantId: Schema.Int,
    name: Schema.String,
    type: Schema.String,
    value: Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)),
    createdAt: Schema.String,
    lastUpdatedAt: Schema.String,
    /** The identifiers from which past matches are still being removed. */
    cleaning: Schema.fromJsonString(Schema.Array(Schema.Int))
  })
})

export const transferredQuota = table({
  from: "quota_use",
  row: Schema.Struct({ tenantId: Schema.Int, month: Schema.String, units: Schema.Int })
})

export const transferredRecommendations = table({
  from: "recommendations",
  row: Schema.Struct({
    tenantId: Schema.Int,
    id: Schema.Int,
    type: Schema.NullOr(Schema.String),
    data: Schema.String,
    status: Schema.String,
    updatedAt: Schema.NullOr(Schema.String),
    relevancy: Schema.NullOr(Schema.String)
  })
})

export const transferredReports = table({
  from: "reports",
  row: Schema.Struct({ id: Schema.Int, tenantId: Schema.Int, report: Schema.String, createdAt: Schema.String })
})

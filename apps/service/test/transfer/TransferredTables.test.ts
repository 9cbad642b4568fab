import { assert, it } from "@effect/vitest"
import { PolicyUuid } from "@threat-exposure/core/domain/MatchingPolicy"
import { MatchingPolicyStore } from "@threat-exposure/service/matching-policies/MatchingPolicyStore"
import { policiesTransfer } from "@threat-exposure/service/opensearch/MatchingPolicyStoreOpenSearch"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { openTransferSource } from "@threat-exposure/service/transfer/TransferredTables"
import { Effect } from "effect"
import { DatabaseForTest } from "../DatabaseForTest.ts"

const now = "2026-01-01T00:00:00.000Z"

it.live("a removal of past matches that is not complete is copied, for a service of the cluster to complete", () =>
  Effect.gen(function* () {
    const { connection } = yield* Database
    const policies = yield* MatchingPolicyStore
    const uuids = ["5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e10", "5d0b1f6a-3c52-4e0e-8a27-6f1d9c4b7e11"]
    const value = { keywords: ["card"] }
    for (const uuid of uuids) {
      const policy = { tenantId: 1, name: "Payments", type: "INCLUDED_KEYWORDS" as const, value, createdAt: now }
      yield* policies.insert({ ...policy, uuid: PolicyUuid.make(uuid) })
    }
    for (const ids of ["[1,2]", "[2,5]"]) {
      const statement = "INSERT INTO policy_cleanings (policy_uuid, identifier_ids, cleaned_to) VALUES (?, ?, 7)"
      connection.run(statement, uuids[0] ?? "", ids)
    }
    const source = yield* openTransferSource
    const document = {
      tenantId: 1,
      name: "Payments",
      type: "INCLUDED_KEYWORDS",
      value,
      createdAt: now,
      lastUpdatedAt: now
    }
    const withoutSeal = ({ seal, ...fields }: { readonly seal?: unknown }) => {
      assert.isString(seal)
      return fields
    }
    assert.deepStrictEqual<unknown>(
      [...policiesTransfer.documents(source)].map(({ document, id }) => [id, withoutSeal(document)]),
      [
        [uuids[0], { ...document, cleaning: [1, 2, 5], cleaningSince: now }],
        [uuids[1], document]
      ]
    )
  }).pipe(Effect.scoped, Effect.provide(DatabaseForTest))
)

import { assert, describe, it } from "@effect/vitest"
import { assetOf } from "@threat-exposure/service/identifiers/Identifiers"
import { beginCreation } from "@threat-exposure/service/sqlite/IdentifierStoreSqlite"
import { assignPolicy, deletePolicy, insertPolicy } from "@threat-exposure/service/sqlite/MatchingPolicyStoreSqlite"
import { currentPercolator, learnIdentifiers } from "@threat-exposure/service/sqlite/IdentifierPercolator"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import type { OpenDatabase } from "@threat-exposure/service/sqlite/database/Procedure"
import { Effect } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../DatabaseForTest.ts"

const now = "2026-01-01T00:00:00Z"
const tenantId = 1

const document = (text: string) => ({
  texts: [{ field: "content" as const, words: text.split(" ").map((text) => ({ text })) }],
  terms: new Map<string, never>()
})

const create = (database: OpenDatabase, name: string): number => {
  return beginCreation.run(database, { tenantId, asset: assetOf({ name }, name, now) })
}

const policy = (word: string) => ({
  tenantId,
  name: word,
  type: "INCLUDED_KEYWORDS",
  value: { keywords: [word] },
  uuid: `keeps-${word}`,
  createdAt: now
})

const assign = (database: OpenDatabase, uuid: string, identifierIds: ReadonlyArray<number>) =>
  assignPolicy(database, { tenantId, uuid, identifierIds, cleanPastEvents: false, assignedAt: now })

describe("IdentifierPercolator", () => {
  it.effect("follows every change of identifiers and policies, as if it read all of them again", () =>
    Effect.gen(function* () {
      const { connection, vault } = yield* Database
      const database = { connection, vault }
      const words = ["alpha", "beta", "gamma", "delta"]
      for (const word of words) {
        insertPolicy(database, policy(word))
      }
      const step = fc.record({
        action: fc.constantFrom("create", "create", "delete", "assign", "unassign", "rolled back"),
        word: fc.constantFrom(...words),
        at: fc.nat()
      })
      const expected = new Map<number, { readonly name: string; readonly policies: Set<string> }>()
      fc.assert(
        fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
          for (const { action, at, word } of steps) {
            const id = [...expected.keys()][at % Math.max(1, expected.size)] ?? 0
            if (action === "create") {
              expected.set(
                connection.transaction(() => create(database, word)),
                { name: word, policies: new Set() }
              )
            } else if (action === "delete") {
              connection.transaction(() => connection.run("DELETE FROM identifiers WHERE id = ?", id))
              expected.delete(id)
            } else if (action === "assign" && expected.has(id)) {
              connection.transaction(() => assign(database, `keeps-${word}`, [id]))
              expected.get(id)?.policies.add(word)
            } else if (action === "unassign") {
              connection.transaction(() => {
                deletePolicy(database, tenantId, `keeps-${word}`)
                insertPolicy(database, policy(word))
              })
              for (const { policies } of expected.values()) policies.delete(word)
            } else if (action === "rolled back") {
              assert.throws(
                () =>
                  connection.transaction(() => {
                    const unborn = create(database, word)
                    assert.include(currentPercolator(database).match(document(word)), unborn)
                    throw new Error("undone")
                  }),
                "undone"
              )
            }
            for (const text of ["alpha", "alpha beta", "gamma delta", "beta gamma alpha"]) {
              const has = (word: string) => text.split(" ").includes(word)
              assert.sameMembers(
                [...currentPercolator(database).match(document(text))],
                [...expected].filter(([, { name, policies }]) => [name, ...policies].every(has)).map(([id]) => id)
              )
            }
          }
        }),
        { seed: 4, numRuns: 60 }
      )
    }).pipe(Effect.provide(DatabaseForTest))
  )

  it.effect("reads only what changed", () =>
    Effect.gen(function* () {
      const { connection, vault } = yield* Database
      const database = { connection, vault }
      for (let number = 0; number < 50; number += 1) create(database, `name ${number}`)
      learnIdentifiers(database)
      // If any identifier were read again, it could not be decrypted.
      connection.run("UPDATE identifiers SET asset = zeroblob(40)")
      const id = create(database, "another")
      assert.deepStrictEqual(currentPercolator(database).match(document("another")), [id])
      assert.lengthOf(currentPercolator(database).match(document("name 7")), 1)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

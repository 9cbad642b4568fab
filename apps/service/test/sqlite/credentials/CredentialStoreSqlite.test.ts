import { assert, describe, it } from "@effect/vitest"
import type { CredentialListing } from "@threat-exposure/service/credentials/CredentialStore"
import { intersect, type IntersectionProgress } from "@threat-exposure/service/sqlite/credentials/CredentialStoreSqlite"
import { Database } from "@threat-exposure/service/sqlite/database/Database"
import { Effect } from "effect"
import * as fc from "fast-check"
import { DatabaseForTest } from "../../DatabaseForTest.ts"

describe("A search for several terms", () => {
  it.effect("finds the credentials that have all of them, in order, whatever the size of its slices", () =>
    Effect.gen(function* () {
      const { connection } = yield* Database
      const credential = fc.record({
        importedAt: fc.integer({ min: 0, max: 4 }),
        terms: fc.uniqueArray(fc.bigInt({ min: 1n, max: 4n }))
      })
      let pages = 0
      fc.assert(
        fc.property(
          fc.array(credential, { maxLength: 40 }),
          fc.uniqueArray(fc.bigInt({ min: 1n, max: 4n }), { minLength: 2 }),
          fc.record({
            since: fc.integer({ min: 0, max: 2 }),
            until: fc.integer({ min: 2, max: 4 }),
            order: fc.constantFrom("asc" as const, "desc" as const),
            size: fc.integer({ min: 1, max: 5 })
          }),
          fc.integer({ min: 1, max: 4 }),
          (credentials, [first = 1n, ...others], search, rowsPerLook) => {
            connection.transaction(() => {
              connection.exec("DELETE FROM credential_terms; DELETE FROM credentials")
              for (const [id, { importedAt, terms }] of credentials.entries()) {
                // The unpublished version has its own row.
                for (const generation of [0, 1]) {
                  const version = id * 2 + generation
                  connection.run(
                    "INSERT INTO credentials (version, added_in, imported_at, document) VALUES (?, ?, ?, '')",
                    version,
                    generation,
                    importedAt
                  )
                  for (const term of terms) {
                    connection.run("INSERT INTO credential_terms VALUES (?, ?, ?)", term, importedAt, version)
                  }
                }
              }
            })
            const expected = credentials
              .map(({ importedAt, terms }, id) => ({ id, importedAt, terms }))
              .filter(({ importedAt, terms }) => {
                const isInTime = importedAt >= search.since && importedAt <= search.until
                return isInTime && [first, ...others].every((term) => terms.includes(term))
              })
              .toSorted((a, b) => (a.importedAt - b.importedAt || a.id - b.id) * (search.order === "asc" ? 1 : -1))

            const found: Array<number> = []
            const listing = { ...search, tenantId: 1, terms: [first, ...others], keyId: 0, include: [] } as const
            let after: CredentialListing["after"]
            for (;;) {
              const input: CredentialListing = { ...listing, after }
              let progress: IntersectionProgress | undefined
              let slice = intersect(connection, { input, progress, time: 0 }, rowsPerLook)
              while (!slice.isDone) {
                ;({ progress } = slice)
                slice = intersect(connection, { input, progress, time: 0 }, rowsPerLook)
              }
              const page = slice.output.slice(0, search.size)
              found.push(...page)
              if (slice.output.length <= search.size) break
              after = expected.find(({ id }) => id === page.at(-1)) ?? assert.fail()
              pages += 1
            }
            assert.deepStrictEqual(
              found,
              expected.map(({ id }) => id)
            )
          }
        ),
        { seed: 6, numRuns: 1_000 }
      )
      assert.isAbove(pages, 200)
    }).pipe(Effect.provide(DatabaseForTest))
  )
})

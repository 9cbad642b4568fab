/** Both engines return the same bytes for the same data and key. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { credentialHandlers } from "@threat-exposure/service/credentials/Credentials"
import { Quota } from "@threat-exposure/service/limits/Quota"
import { load, type LoadResult } from "@threat-exposure/service/load/Load"

import { LoadTargets } from "@threat-exposure/service/load/LoadTarget"
import { openSearch } from "@threat-exposure/service/opensearch/OpenSearch"
import { unhurriedCluster } from "@threat-exposure/service/testing/Engines"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { sqliteSameThread } from "@threat-exposure/service/sqlite/Sqlite"
import { Context, Effect, Layer, Schema } from "effect"
import { jsonText } from "./JsonText.ts"

const node = await openSearchNode()

/** With few domains, words, passwords and times, every query has many matches, and listings have equal times. */
const credentialOf = (id: number, changedUser?: string) => {
  const domain = ["example.com", "mail.example.com", "shop.example.org", "intranet"][id % 4]
  const user = changedUser ?? ["jane.doe", "doe", "j.roe7", "björk", "admin"][id % 5]
  const minute = 1_700_000_000_000 + Math.floor((id * 7919) % 5_000) * 60_000
  return {
    id: id * 3 + (id % 7 === 0 ? 9_000_000_000_000_000 - 200_000 : 0),
    identity_name: id % 11 === 0 ? `${user}${id % 100}` : `${user}${id % 3_000}@${domain}`,
    imported_at: new Date(minute).toISOString().replace("Z", `${String(id % 3).padStart(3, "0")}Z`),
    hash: id % 5 === 0 ? null : `planted-secret-${id % 100} "ü\u2028"`,
    source: id % 2 === 0 ? null : { id: `dump-${id % 3}`, name: "A dump" },
    known_password_id: id % 4 === 0 ? id : null,
    ...(id % 3 === 0
      ? { auth_domains: ["login.example.com", `app${id % 50}.example.net`], urls: [`https://x/${id}`] }
      : {})
  }
}

class Engine extends Context.Service<
  Engine,
  {
    load(
      records: ReadonlyArray<unknown>,
      options?: { readonly strict?: boolean; readonly keep?: boolean }
    ): Effect.Effect<LoadResult>
    /** Returns the text of the answer. */
    search(search: typeof CredentialSearch.Encoded): Effect.Effect<string>
  }
>()("test/Engine") {
  static readonly layer = Layer.effect(
    Engine,
    Effect.gen(function* () {
      const credentials = yield* credentialHandlers
      const targets = yield* LoadTargets
      return Engine.of({
        load: (records, { keep = false, strict = false } = {}) =>
          load({
            target: targets.credentials,
            files: ["-"],
            standardInput: Readable.from(records.map((record) => Buffer.from(`${JSON.stringify(record)}\n`))),
            strict,
            keep,
            report: { refused: () => {}, progress: () => {}, published: () => {} }
          }).pipe(Effect.orDie),
        search: (search) =>
          Effect.flatMap(Effect.orDie(credentials.search({ payload: decode(search) }, { tenantId: 1 })), ({ answer }) =>
            jsonText(answer.body)
          )
      })
    })
  ).pipe(Layer.provide(Quota.layer))
}

/** Builds a layer whose resources live until the scope closes. */
const buildEngine = <E>(layer: Layer.Layer<Engine, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Engine))

const nextOf = (answer: string): string | null => /"next":"([^"]+)"\}$/u.exec(answer)?.[1] ?? null

const decode = Schema.decodeSync(CredentialSearch)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const queries: ReadonlyArray<typeof CredentialSearch.Encoded> = [
  { type: "domain", fqdn: "example.com" } as const,
  { type: "domain", fqdn: "MAIL.example.com" } as const,
  { type: "domain", fqdn: "com" } as const,
  { type: "auth_domain", fqdn: "app3.example.net" } as const,
  { type: "auth_domain", fqdn: "example.com" } as const,
  { type: "email", email: "doe1@mail.example.com" } as const,
  { type: "secret", secret: 'planted-secret-7 "ü\u2028"' } as const,
  { type: "secret", secret: "absent" } as const,
  { type: "keyword", keyword: "doe" } as const,
  { type: "keyword", keyword: "jane doe" } as const,
  { type: "keyword", keyword: "BJÖRK" } as const
].flatMap((query) =>
  (["desc", "asc"] as const).flatMap((order) => [
    { query, order },
    { query, order, include: ["urls", "known_password_id", "auth_domains"] as const },
    {
      query,
      order,
      filters: { imported_at: { gte: "2023-11-20T00:00:00Z", lte: "2023-11-22T12:00:00.000001Z" } }
    }
  ])
)

/** OpenSearch renames and deletes files while they are read, and another test deletes its indices. */
const orIfGone = <A>(read: () => A, gone: A): A => {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return gone
    throw cause
  }
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  orIfGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesBelow(path)
    return entry.isFile() ? [path] : []
  })

describe.skipIf("missing" in node)("missing" in node ? node.missing : "credentials on OpenSearch", () => {
  const { dataFolder, prefix, url } = "missing" in node ? { url: "", dataFolder: "", prefix: "" } : node

  it.live("gives the same results as SQLite, byte for byte, and loads with the same counts", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      // With the default number of shards, as an operator's indices have.
      const options = {
        urls: [url],
        prefix: `${prefix}-credentials`,
        keyFile: join(directory, "key"),
        ...unhurriedCluster
      }
      const sqlite = yield* buildEngine(
        Engine.layer.pipe(
          Layer.provide(sqliteSameThread(databaseFiles(join(directory, "test.sqlite"), options.keyFile)))
        )
      )
      const distributed = yield* buildEngine(Engine.layer.pipe(Layer.provide(openSearch(options))))
      const both = <A>(ask: (engine: Engine["Service"]) => Effect.Effect<A>) =>
        Effect.gen(function* () {
          const expected = yield* ask(sqlite)
          // A comparison of strings without a message is a hundred times as fast.
          if (typeof expected === "string") assert.isTrue((yield* ask(distributed)) === expected)
          else assert.deepStrictEqual(yield* ask(distributed), expected)
          return expected
        })

      const all = Array.from({ length: 6_000 }, (_, id) => credentialOf(id))
      yield* both((engine) => engine.load([...all, { id: 1 }, "no record"]))
      // The same credentials again, some of them changed, and some repeated.
      const changed = all.slice(0, 600).map((record, at) => (at % 2 === 0 ? record : credentialOf(at, "changed")))
      yield* both((engine) => engine.load([...changed, ...changed.slice(0, 10)]))
      yield* both((engine) =>
        engine.load(
          changed.map(({ id, imported_at }) => ({ id, imported_at, identity_name: "kept@example.org" })),
          { keep: true }
        )
      )
      yield* both((engine) => engine.load(all.slice(0, 50), { strict: true }))

      for (const search of queries) {
        let from: string | null = null
        let pages = 0
        do {
          const asked: typeof CredentialSearch.Encoded = {
            ...search,
            from,
            size: [7, 100, 1_000, 10_000][pages % 4] ?? 1
          }
          from = nextOf(yield* both((engine) => engine.search(asked)))
          pages += 1
        } while (from !== null && pages < 4)
      }
      // Both orders list every credential exactly once.
      for (const order of ["asc", "desc"] as const) {
        const ids: Array<number> = []
        let from: string | null = null
        do {
          const page: string = yield* distributed.search({
            query: { type: "keyword", keyword: "doe" },
            order,
            size: 900,
            from
          })
          for (const [, id] of page.matchAll(/\{"id":(\d+),"identity_name"/g)) ids.push(Number(id))
          from = nextOf(page)
        } while (from !== null)
        assert.strictEqual(new Set(ids).size, ids.length)
        assert.isAbove(ids.length, 1_750)
      }
      let read = 0
      for (const file of filesBelow(dataFolder)) {
        const bytes = orIfGone(() => readFileSync(file), Buffer.alloc(0))
        read += bytes.length
        for (const planted of ["planted-secret-", "jane.doe", "dump-1"]) {
          assert.isFalse(bytes.includes(planted), `${planted} in ${file}`)
        }
      }
      assert.isAbove(read, 1_000_000)
    }).pipe(Effect.scoped)
  )
})

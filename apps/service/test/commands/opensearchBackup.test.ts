import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { Backups } from "@threat-exposure/service/backup/Backups"
import { openSearchBackups } from "@threat-exposure/service/opensearch/OpenSearch"
import { Effect } from "effect"
import { createKey, killedAt, line, run, search, serving } from "./Command.ts"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "backup and restore on OpenSearch", () => {
  const { prefix, snapshotFolder, url } = "missing" in node ? { prefix: "", snapshotFolder: "", url: "" } : node
  const directory = mkdtempSync(join(tmpdir(), "threat-exposure-"))
  afterAll(() => rmSync(directory, { recursive: true }))
  const keyFile = join(directory, "key")
  const places = (suffix: string, key = keyFile, cluster = url) => [
    "--opensearch",
    cluster,
    "--index-prefix",
    `${prefix}-${suffix}`,
    "--key-file",
    key
  ]
  const backup = join(snapshotFolder, prefix)
  const indicesOf = (suffix: string) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/_cat/indices/${prefix}-${suffix}-*?format=json&h=index`)
      const indices: ReadonlyArray<{ readonly index: string }> = JSON.parse(await response.text())
      return indices.map(({ index }) => index).toSorted()
    })
  const load = (ids: ReadonlyArray<number>) => {
    writeFileSync(join(directory, "load.ndjson"), ids.map((id) => line(id)).join(""))
    return run(directory, "load", "credentials", "load.ndjson", ...places("a"))
  }
  /** The parts of the backup that are not indices of the service. */
  const contentOfBackup = Effect.promise(async () => {
    const repository = `${url}/_snapshot/${prefix}-reader`
    await fetch(repository, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ type: "fs", settings: { location: backup, readonly: true } })
    })
    const { snapshots } = JSON.parse(await (await fetch(`${repository}/_all`)).text())
    await fetch(repository, { method: "DELETE" })
    const [{ include_global_state, indices }] = snapshots
    return { include_global_state, foreign: indices.filter((index: string) => !index.startsWith(`${prefix}-a-`)) }
  })
  /** The indices that were restored, and those that a killed restore has left behind. */
  const partition = (indices: ReadonlyArray<string>) => {
    const isClaim = (index: string) => index.endsWith("-restore-v1")
    return [indices.filter((index) => !isClaim(index)), indices.filter(isClaim)] as const
  }
  const ofDomain = { type: "domain", fqdn: "example.com" }
  const found = (service: string, token: string) =>
    Effect.map(search(service, token, ofDomain), ({ body, status }) =>
      status === 200 ? body.items.map(({ id }) => id).toSorted() : [status]
    )

  it.live("restore all data, or nothing", () =>
    Effect.gen(function* () {
      const nothing = yield* run(directory, "backup", backup, ...places("a"))
      assert.deepStrictEqual([nothing.code, yield* indicesOf("a")], [1, []])
      assert.include(nothing.err, `it holds no data under the prefix ${prefix}-a`)
      yield* load([1, 2])
      const token = yield* createKey(directory, "1", "read-tenant", ...places("a"))
      const first = yield* run(directory, "backup", backup, ...places("a"))
      assert.strictEqual(first.code, 0, first.err)
      assert.include(first.out, `${new URL(url).host} is backed up to ${backup}.`)
      assert.include(first.out, `keep a copy of ${keyFile}`)
      assert.deepStrictEqual(yield* contentOfBackup, { include_global_state: false, foreign: [] })
      yield* load([3])

      // After confirmation, a complete backup replaces the one in the folder.
      const [elsewhere, unconfirmed, second] = yield* Effect.all(
        [
          run(directory, "backup", join(directory, "elsewhere"), ...places("a")),
          run(directory, "backup", backup, ...places("a")),
          run(directory, "restore", backup, ...places("a"))
        ],
        { concurrency: 3 }
      )
      assert.strictEqual(elsewhere.code, 1)
      assert.include(elsewhere.err, "path.repo")
      assert.strictEqual(unconfirmed.code, 1)
      assert.match(unconfirmed.out, new RegExp(`replaces the backup of ${prefix}-a in .*, from 20`, "u"))
      assert.strictEqual(second.code, 1)
      assert.include(second.err, `it holds data under the prefix ${prefix}-a`)
      // A backup that is killed keeps the former one, and the cluster completes what it has begun.
      yield* killedAt(
        url,
        (method, path) => method === "GET" && path.includes(`/${prefix}-a-`),
        directory,
        (proxy) => ["backup", backup, ...places("a", keyFile, proxy), "--yes"]
      )
      yield* Effect.promise(async () => {
        while (/"snapshot":/u.test(await (await fetch(`${url}/_snapshot/_status`)).text())) await sleep(50)
      })
      const replaced = yield* run(directory, "backup", backup, ...places("a"), "--yes")
      assert.strictEqual(replaced.code, 0, replaced.err)
      assert.lengthOf(
        readdirSync(backup).filter((name) => name.startsWith("snap-")),
        1
      )
      yield* load([4])

      writeFileSync(join(directory, "other-key"), `${"a".repeat(64)}\n`)
      const [foreign, empty] = yield* Effect.all([
        run(directory, "restore", backup, ...places("b", join(directory, "other-key"))),
        run(directory, "restore", snapshotFolder, ...places("b"))
      ])
      assert.include(foreign.err, "cannot be decrypted with")
      assert.include(empty.err, "contains no complete backup")
      assert.deepStrictEqual(yield* indicesOf("b"), [])

      // Killed before its last step.
      yield* killedAt(
        url,
        (method, path) => method === "POST" && path === "/_aliases",
        directory,
        (proxy) => ["restore", backup, ...places("b", keyFile, proxy)]
      )
      const [half, claims] = partition(yield* indicesOf("b"))
      assert.isAbove(half.length, 10)
      assert.deepStrictEqual(claims, [`${prefix}-b-restore-v1`])
      const [refused, asked] = yield* Effect.all(
        [run(directory, "keys", "list", ...places("b")), run(directory, "restore", backup, ...places("b"))],
        { concurrency: 2 }
      )
      assert.strictEqual(refused.code, 1)
      assert.include(
        refused.err,
        `a restore under the prefix ${prefix}-b is under way, or was cut off. Wait for it, or run it again`
      )
      assert.strictEqual(asked.code, 1)
      assert.include(
        asked.out,
        `This deletes what an interrupted restore or migration has left: ${half.length} indices`
      )
      // While one restore asks for confirmation, another one ends.
      const asking = yield* Backups
      const restoring = run(directory, "restore", backup, ...places("b"), "--yes")
      const texts: Array<string> = []
      const overtaken = yield* Effect.flip(
        asking.restore(backup, (plan) =>
          Effect.map(restoring, ({ code, err, out }) => void texts.push(plan, `${code}`, out + err))
        )
      )
      assert.include(overtaken.message, `it holds data under the prefix ${prefix}-b`)
      const [plan, code, restored = ""] = texts
      assert.include(plan, `This deletes what an interrupted restore or migration has left: ${half.length}`)
      assert.strictEqual(code, "0", restored)
      assert.include(restored, `${backup} is restored to ${new URL(url).host}.`)
      assert.deepStrictEqual(yield* indicesOf("b"), half)
      const [a, b] = yield* Effect.all([serving(directory, ...places("a")), serving(directory, ...places("b"))], {
        concurrency: 2
      })
      assert.deepStrictEqual(yield* found(a.url, token), [1, 2, 3, 4])
      assert.deepStrictEqual(yield* found(b.url, token), [1, 2, 3])

      // If two run at once, one does all of the work, and the other reports why it does not.
      const atOnce = yield* Effect.all(
        ["c", "c"].map((suffix) => run(directory, "restore", backup, ...places(suffix), "--yes")),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(atOnce.map(({ code }) => code).toSorted(), [0, 1])
      const loser = atOnce.find(({ code }) => code === 1)?.err ?? ""
      assert.match(loser, /another restore of \S+-c is running|it holds data under the prefix/u)
      assert.deepStrictEqual(
        yield* indicesOf("c"),
        half.map((index) => index.replace(`${prefix}-b-`, `${prefix}-c-`))
      )

      // Damages the data of one shard.
      const damaged = join(backup, "indices")
      for (const file of readdirSync(damaged, { recursive: true, encoding: "utf8" })) {
        if (/\/snap-[^/]+\.dat$/u.test(file)) writeFileSync(join(damaged, file), "damaged")
      }
      const failed = yield* run(directory, "restore", backup, ...places("d"))
      assert.strictEqual(failed.code, 1)
      assert.include(failed.err, "it is damaged, or no node has room for it")
      assert.deepStrictEqual(yield* indicesOf("d"), [])
    }).pipe(Effect.provide(openSearchBackups({ urls: [url], prefix: `${prefix}-b`, keyFile })), Effect.scoped)
  )
})

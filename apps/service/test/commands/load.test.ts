import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { isPublished } from "@threat-exposure/service/sqlite/database/Generations"
import { Effect } from "effect"
import {
  ended,
  folder,
  createKey,
  lastLine,
  line,
  main,
  output,
  run,
  runProcess,
  search,
  serving,
  spawned,
  until
} from "./Command.ts"

describe("load", () => {
  it.live("creates no database for a file that does not exist", () =>
    Effect.gen(function* () {
      const there = yield* folder
      writeFileSync(join(there, "here.ndjson"), line(1))
      for (const files of [["gone.ndjson"], ["here.ndjson", "gone.ndjson"], ["."]]) {
        const { code, err } = yield* run(there, "load", "credentials", ...files)
        assert.strictEqual(code, 1)
        assert.match(err, /^error: .* cannot be read: /mu)
      }
      assert.deepEqual(readdirSync(there), ["here.ndjson"])
    }).pipe(Effect.scoped)
  )

  it.live(
    "recognises the format of a file, names ten refused records and counts the rest, and refuses another kind of file",
    () =>
      Effect.gen(function* () {
        const where = yield* folder
        const write = (name: string, content: string | Uint8Array) => writeFileSync(join(where, name), content)
        const record = { id: 1, identity_name: "a@example.com", imported_at: "2026-01-01T00:00:00Z", hash: "p" }
        write("one.csv.gz", gzipSync("id,identity_name,imported_at,hash\n1,a@example.com,2026-01-01T00:00:00Z,p\n"))
        write("pretty.json", JSON.stringify(record, null, 2))
        write("array.json.zst", zstdCompressSync(JSON.stringify([record, { ...record, id: 2 }], null, 2)))
        write("damaged.ndjson", `${line(3)}${"nonsense\n".repeat(60_000)}`)
        write("good.ndjson", line(4))
        write("report.pdf", "%PDF-1.7")
        write("events.csv", "event_type,uid\nleak,a/b/c\n")
        for (const [kind, files, code, out] of [
          ["credentials", "one.csv.gz", 0, "loaded 1 credential\n"],
          ["credentials", "pretty.json", 0, "loaded 0 credentials, 1 was there already\n"],
          ["credentials", "array.json.zst", 0, "loaded 1 credential, 1 was there already\n"],
          ["credentials", "damaged.ndjson", 1, "loaded 1 credential, 60,000 refused\n"],
          ["credentials", "good.ndjson report.pdf", 65, ""],
          ["events", "events.csv", 65, ""]
        ] as const) {
          const loaded = yield* runProcess(where, "load", kind, ...files.split(" "))
          assert.deepEqual([loaded.code, loaded.out], [code, out], loaded.err)
          if (code === 65) {
            const [seems, count] =
              kind === "credentials" ? ["report.pdf seems to be a PDF document", 1] : ["events.csv seems to be CSV", 0]
            assert.match(loaded.err, new RegExp(`^error: .*${seems}. Accepted are JSON values, `, "m"))
            // Records that were loaded before the failure are kept, and counted.
            assert.lengthOf(auditLines(loaded.err), 1)
            assert.match(auditLines(loaded.err)[0] ?? "", new RegExp(`outcome=failed loaded=${count} replaced=0 `))
          }
          if (code === 1) {
            assert.lengthOf([...loaded.err.matchAll(/line \d+: it is not JSON; skipped/g)], 10)
            assert.match(loaded.err, /^… and 59,990 more$/m)
            assert.match(lastLine(loaded.err), /^error: 60,000 records were refused/)
            assert.match(
              loaded.err,
              /info audit action=load\.credentials user=\S+ .*outcome=completed loaded=1 replaced=0 unchanged=0 refused=60000$/m
            )
          }
        }
      }).pipe(Effect.scoped)
  )

  it.live("exits with code 130 if a load is stopped, and says what was loaded", () =>
    Effect.gen(function* () {
      const there = yield* folder
      for (const [flags, said] of [
        [[], "what was reported as loaded is kept"],
        [["--strict"], "nothing was loaded"]
      ] as const) {
        const child = spawned(there, ["load", "credentials", "-", ...flags])
        const text = output(child)
        const ending = ended(child)
        child.stdin.on("error", () => {})
        // Feeds the load until it reports progress, so that it is still running.
        yield* Effect.promise(async () => {
          while (child.exitCode === null && !/credentials (?:checked|loaded)/.test(text.err)) {
            child.stdin.write(line(1).repeat(5_000))
            await sleep(400)
          }
        })
        child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => ending), 130)
        assert.include(text.err, `stopped: ${said}`)
        // Every line repeats one credential, which may already be published.
        const counts = flags.length === 0 ? "loaded=[01] replaced=0 unchanged=\\d+" : "loaded=0 replaced=0 unchanged=0"
        assert.lengthOf(auditLines(text.err), 1)
        assert.match(auditLines(text.err)[0] ?? "", new RegExp(`outcome=stopped ${counts} refused=0$`))
        assert.strictEqual(text.out, "")
      }
    }).pipe(Effect.scoped)
  )

  it.live("loses no acknowledged batch to kill -9, corrupts nothing, and ends the load when it is run again", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const database = join(there, "killed.sqlite")
      const lines = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) =>
          line(from + index, { urls: ["https://example.org/".padEnd(300, "a")] })
        ).join("")
      const step = 10_000

      // Feeds the load until it acknowledges records, so that it is still running when it is killed.
      const { acknowledged, sent } = yield* Effect.promise(async () => {
        const child = spawned(there, ["load", "credentials", "-", "--database", database])
        const text = output(child)
        const ending = ended(child)
        // The process is killed while the test writes to it.
        child.stdin.on("error", () => {})
        let sent = 0
        while (child.exitCode === null && !/[1-9][\d,]* credentials loaded/.test(text.err)) {
          const isFull = !child.stdin.write(lines(sent + 1, sent + step))
          sent += step
          if (isFull) await Promise.race([once(child.stdin, "drain"), ending])
        }
        child.kill("SIGKILL")
        await ending
        const numbers = [...text.err.matchAll(/([\d,]+) credentials loaded/g)].map(([, number = "0"]) =>
          Number(number.replaceAll(",", ""))
        )
        return { acknowledged: Math.max(0, ...numbers), sent }
      })
      assert.isAbove(acknowledged, 0)
      const inspect = () => {
        using connection = new Connection(database)
        const number = (sql: string) => Number(connection.prepare(sql).get()?.["n"])
        return {
          integrity: connection.prepare("PRAGMA integrity_check").all(),
          rows: number(`SELECT count(*) AS n FROM credentials c WHERE ${isPublished("c", "credentials")}`),
          // Each of these credentials has five terms: two for its address, two words, and its password.
          terms: number(
            `SELECT count(*) AS n FROM credential_terms t JOIN credentials c ON c.version = t.version
               WHERE ${isPublished("c", "credentials")}`
          )
        }
      }
      const after = inspect()
      assert.deepEqual(
        after.integrity.map((row) => Object.values(row)),
        [["ok"]]
      )
      assert.isAtLeast(after.rows, acknowledged)
      assert.isAtMost(after.rows, sent)
      assert.strictEqual(after.terms, after.rows * 5)

      writeFileSync(join(there, "many.ndjson"), lines(1, sent))
      const again = yield* run(there, "load", "credentials", "many.ndjson", "--database", database)
      assert.strictEqual(again.code, 0)
      const whole = inspect()
      assert.deepEqual([whole.rows, whole.terms], [sent, sent * 5])
    }).pipe(Effect.scoped)
  )

  /** Credentials with the ids 1 to `count`; all credentials of a version have the same password. */
  const version = (count: number, number: number) =>
    Array.from({ length: count }, (_, at) => line(at + 1, { hash: `version ${number}` })).join("")

  it.live(
    "a strict load shows all or nothing to a service that continues to read and write, also when it replaces records",
    () =>
      Effect.gen(function* () {
        const there = yield* folder
        const count = 10_000
        writeFileSync(join(there, "1.ndjson"), version(count / 2, 1))
        writeFileSync(join(there, "2.ndjson"), version(count, 2))
        yield* run(there, "load", "credentials", "1.ndjson")
        const key = ["keys", "create", "--tenant", "1", "--permission", "read-tenant,write-tenant"]
        const token = lastLine((yield* run(there, ...key)).out)
        yield* run(there, ...key)
        const { url } = yield* serving(there)
        const isFound = (number: number) =>
          Effect.map(
            search(url, token, { type: "secret", secret: `version ${number}` }),
            ({ body }) => body.items.length > 0
          )

        const child = spawned(there, ["load", "credentials", "2.ndjson", "--strict"])
        const text = output(child)
        const ending = ended(child)
        const seen: Array<readonly [boolean, boolean]> = []
        const statuses = new Set<number>()
        while (child.exitCode === null) {
          // The order matters: the new credentials become visible at the moment at which the old ones disappear.
          const isNew = yield* isFound(2)
          const isOld = yield* isFound(1)
          seen.push([isOld, isNew])
          statuses.add(yield* report(url, token))
          if (seen.length === 1) assert.strictEqual((yield* run(there, "keys", "revoke", "2")).code, 0)
        }
        assert.deepEqual(
          [yield* Effect.promise(() => ending), text.out],
          [0, "loaded 5,000 credentials, 5,000 replaced\n"]
        )
        assert.deepEqual([...statuses], [200])
        assert.isAbove(seen.length, 3)
        for (const [isOld, isNew] of seen) assert.isFalse(isOld && isNew)
        assert.deepEqual([yield* isFound(1), yield* isFound(2)], [false, true])
        const refused = yield* runProcess(there, "load", "credentials", "-", "--strict")
        assert.deepEqual(refused.code, 0)
        // A staged load leaves nothing on the disk.
        assert.deepEqual(
          readdirSync(there).filter((name) => name.includes("staging")),
          []
        )
      }).pipe(Effect.scoped)
  )

  it.live("a strict load that is refused or killed makes nothing visible, and the next one removes its rows", () =>
    Effect.gen(function* () {
      const there = yield* folder
      const database = join(there, "threat-exposure.sqlite")
      writeFileSync(join(there, "old.ndjson"), version(1_000, 1))
      writeFileSync(join(there, "bad.ndjson"), `${version(2_000, 2)}nonsense\n`)
      yield* run(there, "load", "credentials", "old.ndjson")
      const token = yield* createKey(there, "1", "read-tenant")
      const refused = yield* runProcess(there, "load", "credentials", "bad.ndjson", "--strict")
      assert.deepEqual([refused.code, refused.out], [1, ""])
      assert.include(refused.err, "line 2001: it is not JSON. Nothing was loaded")
      assert.lengthOf(auditLines(refused.err), 1)
      assert.match(
        auditLines(refused.err)[0] ?? "",
        /strict=true outcome=failed loaded=0 replaced=0 unchanged=0 refused=0$/
      )

      writeFileSync(join(there, "new.ndjson"), version(30_000, 2))
      const child = spawned(there, ["load", "credentials", "new.ndjson", "--strict"])
      const ending = ended(child)
      const rows = () => {
        using connection = new Connection(database, { readOnly: true })
        return Number(connection.prepare("SELECT count(*) AS n FROM credentials").get()?.["n"])
      }
      yield* Effect.promise(() => until(() => rows() > 1_000))
      child.kill("SIGKILL")
      yield* Effect.promise(() => ending)

      const { url } = yield* serving(there)
      const found = (number: number) =>
        Effect.map(search(url, token, { type: "secret", secret: `version ${number}` }), ({ body }) => body.items.length)
      assert.deepEqual([yield* found(1), yield* found(2)], [10, 0])
      // The service removes what the killed load left behind when it starts.
      yield* Effect.promise(() => until(() => rows() === 1_000))
      const { out } = yield* run(there, "load", "credentials", "old.ndjson", "--strict")
      assert.strictEqual(out, "loaded 0 credentials, 1,000 were there already\n")
      assert.deepEqual([yield* found(1), yield* found(2)], [10, 0])
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!existsSync("/usr/bin/prlimit"))("says of a strict load that the disk is full, and what to do", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const file = join(where, "credentials.ndjson")
      writeFileSync(file, Array.from({ length: 2_000 }, (_, at) => line(at)).join(""))
      const database = join(where, "x.sqlite")
      yield* createKey(where, "1", "read-tenant", "--database", database)
      const load = [main, "load", "credentials", "--strict", file, "--database", database]
      const { status, stderr } = spawnSync("/usr/bin/prlimit", ["--fsize=65536", process.execPath, ...load], {
        encoding: "utf8"
      })
      assert.strictEqual(status, 1)
      assert.match(
        stderr,
        /error: The database \S+x\.sqlite failed: .* strict load .*: file too large.* check it and its disk/u
      )
      assert.deepEqual(
        readdirSync(where).filter((name) => name.includes("staging")),
        []
      )
    }).pipe(Effect.scoped)
  )
})

const auditLines = (text: string) => text.split("\n").filter((line) => line.includes(" info audit "))

/** Creates a report, which is a write. Returns the status. */
const report = (url: string, token: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc/v2/reporting/reports`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: "{}"
    })
    await response.arrayBuffer()
    return response.status
  })

import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { PublicationLock, publicationLockPath } from "@threat-exposure/service/sqlite/database/Generations"
import { Effect } from "effect"
import { call, createKey, ended, folder, output, run, serving, spawned, until } from "./Command.ts"

const credential = (id: number, source: string) =>
  `${JSON.stringify({
    id,
    identity_name: `a${id}@example.com`,
    imported_at: "2026-01-01T00:00:00Z",
    hash: `p${id}`,
    source: { id: source, name: source, is_alert_enabled: false }
  })}\n`

const databaseName = "threat-exposure.sqlite"
const keyName = `${databaseName}.key`
const modeOf = (file: string) => statSync(file).mode & 0o777

const searchWith = (url: string, key: string) => (query: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/svc/v4/credentials/global/_search`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query })
    })
    const body: {
      readonly items?: ReadonlyArray<{ readonly hash: string; readonly source: { readonly name: string } }>
    } = JSON.parse(await response.text())
    return body.items?.map(({ hash, source }) => `${hash} ${source.name}`) ?? response.status
  })

const load = Effect.fnUntraced(function* (where: string, lines: string) {
  writeFileSync(join(where, "load.ndjson"), lines)
  const { code, err } = yield* run(where, "load", "credentials", "load.ndjson")
  assert.strictEqual(code, 0, err)
})

describe("backup and restore", () => {
  it.live("restore all data while a service answers from the database", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* load(where, credential(1, "first"))
      const key = yield* createKey(where, "1", "read-tenant")
      const { url } = yield* serving(where)
      const search = searchWith(url, key)
      assert.deepEqual(yield* search({ type: "secret", secret: "p1" }), ["p1 first"])

      const made = yield* run(where, "backup", "a.backup")
      assert.strictEqual(made.code, 0, made.err)
      assert.include(made.out, `keep a copy of ${join(where, keyName)}`)
      assert.strictEqual(modeOf(join(where, "a.backup")), 0o600)
      assert.isFalse(readFileSync(join(where, "a.backup")).includes(readFileSync(join(where, keyName), "utf8").trim()))

      // A source with other ids, so that everything that the service remembers of the first source would be wrong.
      const other = join(where, "b.sqlite")
      copyFileSync(join(where, keyName), `${other}.key`)
      writeFileSync(join(where, "b.ndjson"), credential(2, "second"))
      yield* run(where, "load", "credentials", "b.ndjson", "--database", other)
      yield* run(where, "backup", "b.backup", "--database", other)
      const replaced = yield* run(where, "restore", "b.backup", "--yes")
      assert.strictEqual(replaced.code, 0, replaced.err)
      // The backup does not contain the caller's key.
      assert.strictEqual(yield* search({ type: "secret", secret: "p2" }), 401)
      const second = yield* createKey(where, "1", "read-tenant")
      assert.deepEqual(yield* searchWith(url, second)({ type: "secret", secret: "p2" }), ["p2 second"])
      assert.deepEqual(yield* searchWith(url, second)({ type: "secret", secret: "p1" }), [])

      const restored = yield* run(where, "restore", "a.backup", "--yes")
      assert.strictEqual(restored.code, 0, restored.err)
      assert.deepEqual(yield* search({ type: "secret", secret: "p1" }), ["p1 first"])
      yield* load(where, credential(3, "third"))
      assert.deepEqual(yield* search({ type: "secret", secret: "p3" }), ["p3 third"])
      assert.deepEqual(
        readdirSync(where).filter((name) => name.includes(".draft-")),
        []
      )
    }).pipe(Effect.scoped)
  )

  it.live("give no number again that was given after the backup", () =>
    Effect.gen(function* () {
      const where = yield* folder
      const { url } = yield* serving(where)
      const key = yield* createKey(where, "1", "read-tenant,write-tenant")
      const ask = (method: string, path: string, body?: unknown) =>
        Effect.map(call(url, key, method, path, body), ({ text }) => (text === "" ? undefined : JSON.parse(text)))
      /** Creates an identifier, a group and a report, and returns their ids. */
      const idsOfNew = Effect.gen(function* () {
        const data = { type: "keyword", keyword: "a" }
        const content = { data, categories: [], emerging_categories: [], severities: [] }
        const identifier = yield* ask("POST", "/v4/identifiers/", content)
        const { assets_group } = yield* ask("POST", "/v2/assets/groups/", { name: "a" })
        yield* ask("POST", "/v2/reporting/reports", { title: "a", author: "b", elements: [], audience: "technical" })
        const { items } = yield* ask("GET", "/v4/reports?order_by=id&order_type=desc")
        return [identifier.id, assets_group.id, items[0].id]
      })
      assert.deepStrictEqual(yield* idsOfNew, [1, 1, 1])
      yield* run(where, "backup", "a.backup")
      assert.deepStrictEqual(yield* idsOfNew, [2, 2, 2])
      const restored = yield* run(where, "restore", "a.backup", "--yes")
      assert.strictEqual(restored.code, 0, restored.err)
      assert.deepStrictEqual(yield* idsOfNew, [3, 3, 3])
    }).pipe(Effect.scoped)
  )

  it.live(
    "refuse a backup that is damaged, of another program or under another key, and replace nothing without a confirmation",
    () =>
      Effect.gen(function* () {
        const where = yield* folder
        yield* load(where, credential(1, "first"))
        yield* run(where, "backup", "good")
        const database = join(where, databaseName)
        const before = yield* run(where, "keys", "list")
        const refused = Effect.fnUntraced(function* (reason: string, ...args: ReadonlyArray<string>) {
          const { code, err } = yield* run(where, ...args)
          assert.strictEqual(code, 1)
          assert.include(err, reason)
          assert.deepEqual(yield* run(where, "keys", "list"), before)
        })

        // Backing up a database with a misspelt name would replace a good backup by an empty one.
        yield* refused(
          "misspelt.sqlite does not exist. Name the right one with --database. Nothing was done.",
          "backup",
          "good",
          "--database",
          "misspelt.sqlite",
          "--yes"
        )
        assert.deepEqual(
          readdirSync(where).filter((name) => name.startsWith("misspelt")),
          []
        )
        yield* refused("--yes", "restore", "good")
        yield* refused("--yes", "backup", "good")
        yield* refused("missing cannot be read: no such file or directory\n", "restore", "missing", "--yes")
        yield* refused("x cannot be written: no such file or directory\n", "backup", "no-folder/x")
        writeFileSync(join(where, "text"), "not a database, but long enough to be taken for one".repeat(100))
        yield* refused("text", "restore", "text", "--yes")
        const foreign = new DatabaseSync(join(where, "foreign"))
        foreign.exec("CREATE TABLE a (b)")
        foreign.close()
        yield* refused("another program", "restore", "foreign", "--yes")
        const damaged = readFileSync(join(where, "good"))
        damaged.fill(0xaa, 4_096 * 5, 4_096 * 30)
        writeFileSync(join(where, "damaged"), damaged)
        yield* refused("damaged", "restore", "damaged", "--yes")
        const newer = new DatabaseSync(join(where, "good"))
        newer.exec("INSERT INTO migrations VALUES ('9999-later', '')")
        newer.close()
        yield* refused("later version", "restore", "good", "--yes")
        yield* run(where, "keys", "list", "--database", join(where, "other.sqlite"))
        yield* run(where, "backup", "other", "--database", join(where, "other.sqlite"))
        yield* refused("belongs to another database", "restore", "other", "--yes")
        assert.isTrue(existsSync(database))

        // A backup can be restored if its key is in the key file.
        const keys = [keyName, "other.sqlite.key"].map((name) => readFileSync(join(where, name), "utf8"))
        writeFileSync(join(where, keyName), keys.join(""))
        const { code, err } = yield* run(where, "restore", "other", "--yes")
        assert.strictEqual(code, 0, err)
      }).pipe(Effect.scoped)
  )
})

describe("a backup that somebody without the key file changed", () => {
  const changes: ReadonlyArray<readonly [what: string, sql: string, reason: string]> = [
    ["without the check of its key", "DELETE FROM vault", "its table vault"],
    ["with a second check", "INSERT INTO vault SELECT * FROM vault", "its table vault"],
    ["with a check of another length", "UPDATE vault SET key_check = x'00'", "belongs to another database"],
    ["of an earlier format", "UPDATE vault SET format = 2", "belongs to another database"],
    ["without a generation", "DELETE FROM generations WHERE data_set = 'events'", "its table generations"],
    ["without a revision", "DELETE FROM matching_revision", "its table matching_revision"],
    ["without an index of terms", "DELETE FROM credential_term_runs", "its table credential_term_runs"],
    ["without a trigger", "DROP TRIGGER match_removed", "lacks the trigger match_removed"],
    ["without an index", "DROP INDEX events_of_tenant", "lacks the index events_of_tenant"],
    ["without a table", "DROP TABLE credential_states", "lacks the table credential_states"]
  ]
  for (const [what, sql, reason] of changes) {
    it.live(`is not restored ${what}`, () =>
      Effect.gen(function* () {
        const where = yield* folder
        yield* load(where, credential(1, "first"))
        yield* run(where, "backup", "changed")
        {
          using database = new DatabaseSync(join(where, "changed"))
          database.exec(sql)
        }
        const before = yield* run(where, "keys", "list")
        const { code, err } = yield* run(where, "restore", "changed", "--yes")
        assert.strictEqual(code, 1, err)
        assert.include(err, reason)
        assert.deepEqual(yield* run(where, "keys", "list"), before)
      }).pipe(Effect.scoped)
    )
  }
})

describe("a backup that is reported", () => {
  it.live.skipIf(process.platform !== "linux")("survives a loss of power", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* load(where, credential(1, "first"))
      mkdirSync(join(where, "backups"))
      const steps: Array<string> = []
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const { fsyncSync, renameSync } = fs
          fs.fsyncSync = (file) => {
            steps.push(`sync ${basename(readlinkSync(`/proc/self/fd/${file}`)).replace(/\.draft-.*/u, ".draft")}`)
            fsyncSync(file)
          }
          fs.renameSync = (from, to) => {
            steps.push(`rename to ${basename(String(to))}`)
            renameSync(from, to)
          }
          syncBuiltinESMExports()
          return { fsyncSync, renameSync }
        }),
        (original) =>
          Effect.sync(() => {
            Object.assign(fs, original)
            syncBuiltinESMExports()
          })
      )
      const { code, err } = yield* run(where, "backup", "backups/a.backup")
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(steps.slice(-3), ["sync a.backup.draft", "rename to a.backup", "sync backups"])
    }).pipe(Effect.scoped)
  )
})

describe("a file that is no backup", () => {
  it.live("is neither replaced by a backup nor restored", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* load(where, credential(1, "first"))
      const key = readFileSync(join(where, keyName))
      writeFileSync(join(where, "notes"), "not a backup")
      symlinkSync(databaseName, join(where, "link"))
      linkSync(join(where, databaseName), join(where, "hard-link"))
      mkdirSync(join(where, "folder"))
      const refused = Effect.fnUntraced(function* (reason: string, ...args: ReadonlyArray<string>) {
        const { code, err } = yield* run(where, ...args, "--yes")
        assert.strictEqual(code, 1, args.join(" "))
        assert.include(err, reason, args.join(" "))
      })
      for (const own of [
        databaseName,
        keyName,
        "link",
        "hard-link",
        `./${databaseName}`,
        `${databaseName}-wal`,
        `${databaseName}-credentials.lock`
      ]) {
        yield* refused("a file of the database itself", "backup", own)
        yield* refused("a file of the database itself", "restore", own)
      }
      for (const other of ["notes", "folder", "/dev/null"]) yield* refused("is not a backup", "backup", other)
      assert.deepEqual(readFileSync(join(where, keyName)), key)
      assert.strictEqual(readFileSync(join(where, "notes"), "utf8"), "not a backup")

      // A copy of the file of an open database lacks the content of its log.
      const { url } = yield* serving(where)
      yield* load(where, credential(2, "second"))
      copyFileSync(join(where, databaseName), join(where, "copy"))
      copyFileSync(join(where, `${databaseName}-wal`), join(where, "copy-wal"))
      yield* refused("is a database in use", "restore", "copy")
      assert.include(url, "http://")

      // An empty file, as `mktemp` creates it, or an earlier backup.
      writeFileSync(join(where, "empty"), "")
      for (const target of ["empty", "empty"]) {
        const { code, err } = yield* run(where, "backup", target, "--yes")
        assert.strictEqual(code, 0, err)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a restore that was killed", () => {
  it.live("leaves a copy of the backup, which a later command removes once it cannot be in use", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* load(where, credential(1, "first"))
      yield* run(where, "backup", "a.backup")
      const drafts = () => readdirSync(where).filter((name) => name.startsWith(`${databaseName}.draft-`))
      const lock = new PublicationLock(publicationLockPath(join(where, databaseName), "credentials"))
      assert.isTrue(lock.take())
      const child = spawned(where, ["restore", "a.backup", "--yes"])
      const text = output(child)
      const ending = ended(child)
      yield* Effect.promise(() => until(() => text.err.includes("waiting for another load")))
      child.kill("SIGKILL")
      yield* Effect.promise(() => ending)
      lock[Symbol.dispose]()
      const left = drafts()
      assert.isNotEmpty(left)

      // These files belong to the user, and are kept.
      const others = [`${databaseName}.202601010300`, `${databaseName}.draft`]
      for (const name of others) writeFileSync(join(where, name), "")
      const daysAgo = new Date(Date.now() - 49 * 60 * 60 * 1_000)
      assert.strictEqual((yield* run(where, "backup", "b.backup")).code, 0)
      assert.deepEqual(drafts(), left)
      for (const name of [...left, ...others]) utimesSync(join(where, name), daysAgo, daysAgo)
      assert.strictEqual((yield* run(where, "backup", "c.backup")).code, 0)
      assert.deepEqual(drafts(), [])
      assert.includeMembers(readdirSync(where), others)
    }).pipe(Effect.scoped)
  )
})

describe("the files of a database", () => {
  it.live("are readable by their owner alone, and become so where an earlier version made them readable", () =>
    Effect.gen(function* () {
      const where = yield* folder
      yield* load(where, credential(1, "first"))
      const { text } = yield* serving(where)
      const files = () => readdirSync(where).filter((name) => name.startsWith(databaseName))
      assert.includeMembers(files(), [databaseName, keyName, `${databaseName}-wal`, `${databaseName}-shm`])
      for (const file of files()) assert.strictEqual(modeOf(join(where, file)), 0o600, file)
      assert.notInclude(text.err, "0600")

      for (const file of [databaseName, keyName]) chmodSync(join(where, file), 0o644)
      const { err } = yield* run(where, "keys", "list")
      for (const file of [databaseName, keyName]) {
        assert.include(err, `${join(where, file)} was readable by other users; its mode is 0600 now`)
        assert.strictEqual(modeOf(join(where, file)), 0o600)
      }
    }).pipe(Effect.scoped)
  )
})

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cursors } from "@threat-exposure/service/crypto/Cursor"
import { KeyFileUnusable } from "@threat-exposure/service/crypto/KeyFile"
import { Connection } from "@threat-exposure/service/sqlite/Connection"
import { openVault } from "@threat-exposure/service/sqlite/DatabaseKey"
import { migrate } from "@threat-exposure/service/sqlite/Migration"
import { migrations } from "@threat-exposure/service/sqlite/migrations"
import { Effect, Result, Schema } from "effect"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const database = Effect.map(Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:"))), (connection) => {
  migrate(connection, migrations, "2026-01-01T00:00:00Z")
  return connection
})

const vault = Effect.gen(function* () {
  return openVault(yield* database, join(yield* folder, "key"))
})

const refused = (open: () => unknown) =>
  Effect.flip(
    Effect.try({
      try: open,
      catch: (cause) => {
        assert.instanceOf(cause, KeyFileUnusable)
        return cause
      }
    })
  )

const inHexadecimal = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex").toUpperCase()

describe("Vault", () => {
  it.effect.prop("gives back what it sealed", [Schema.String], ([any]) =>
    Effect.gen(function* () {
      const opened = yield* vault
      const text = any.toWellFormed()
      assert.strictEqual(opened.unseal(opened.seal(text)), text)
    }).pipe(Effect.scoped)
  )

  it.effect("never seals the same text to the same bytes, and tells when bytes were altered", () =>
    Effect.gen(function* () {
      const opened = yield* vault
      const [one, other] = [opened.seal("hunter2"), opened.seal("hunter2")]
      assert.notDeepEqual(one, other)
      for (const at of one.keys()) {
        const altered = Uint8Array.from(one)
        altered[at] = (altered[at] ?? 0) ^ 1
        assert.throws(() => opened.unseal(altered))
      }
    }).pipe(Effect.scoped)
  )

  it.effect.prop("seals many as one by one", [Schema.Array(Schema.String)], ([any]) =>
    Effect.gen(function* () {
      const opened = yield* vault
      const texts = any.map((text) => text.toWellFormed())
      const { bytes, ends } = opened.sealAll(texts)
      assert.deepEqual(
        texts.map((_, at) => opened.unseal(bytes.subarray(ends[at - 1] ?? 0, ends[at]))),
        texts
      )
      assert.deepEqual(opened.unsealAll(texts.map((text) => inHexadecimal(opened.seal(text)))), texts)
    }).pipe(Effect.scoped)
  )

  it.effect("seals many of every length, and tells when one of many was altered", () =>
    Effect.gen(function* () {
      const opened = yield* vault
      const texts = Array.from({ length: 70 }, (_, length) => "é0".repeat(length))
      assert.deepEqual(opened.unsealAll(texts.map((text) => inHexadecimal(opened.seal(text)))), texts)
      const { bytes, ends } = opened.sealAll(["hunter2", "correct-horse-battery", ""])
      const sealed = () => Array.from(ends, (end, at) => inHexadecimal(bytes.subarray(ends[at - 1] ?? 0, end)))
      assert.deepEqual(opened.unsealAll(sealed()), ["hunter2", "correct-horse-battery", ""])
      for (const at of bytes.keys()) {
        bytes[at] = (bytes[at] ?? 0) ^ 1
        assert.throws(() => opened.unsealAll(sealed()), "altered")
        bytes[at] = (bytes[at] ?? 0) ^ 1
      }
      assert.throws(() => opened.unsealAll(["00"]), "altered")
      const other = yield* vault
      assert.throws(() => other.unsealAll(sealed()), "altered")
    }).pipe(Effect.scoped)
  )

  it.effect("indexes by value, purpose and key", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* vault, yield* vault]
      assert.deepEqual(one.blindIndex("a", "value"), one.blindIndex("a", "value"))
      assert.notDeepEqual(one.blindIndex("a", "value"), one.blindIndex("b", "value"))
      assert.notDeepEqual(one.blindIndex("a", "value"), other.blindIndex("a", "value"))
      assert.strictEqual(one.term("a", "value"), one.term("a", "value"))
      assert.notStrictEqual(one.term("a", "value"), one.term("b", "value"))
      assert.notStrictEqual(one.term("a", "value"), other.term("a", "value"))
      assert.notStrictEqual(one.term("a", "\ud800"), one.term("a", "\ufffd"))
      assert.notDeepEqual(one.blindIndex("a", "\ud800"), one.blindIndex("a", "\ud801"))
    }).pipe(Effect.scoped)
  )

  it.effect("makes a key that only its owner reads, once", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "key")
      const connection = yield* database
      const sealed = openVault(connection, file).seal("hunter2")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const key = readFileSync(file, "utf8")
      assert.strictEqual(openVault(connection, file).unseal(sealed), "hunter2")
      assert.strictEqual(readFileSync(file, "utf8"), key)
    }).pipe(Effect.scoped)
  )

  it.effect("refuses another database's key, a missing one and what is none, and makes no new one then", () =>
    Effect.gen(function* () {
      const [file, other] = [join(yield* folder, "key"), join(yield* folder, "key")]
      const connection = yield* database
      openVault(connection, file)
      openVault(yield* database, other)
      assert.include((yield* refused(() => openVault(connection, other))).message, "belongs to another database")
      rmSync(other)
      assert.include((yield* refused(() => openVault(connection, other))).message, "missing")
      assert.isFalse(existsSync(other))
      writeFileSync(other, "not a key")
      const { message } = yield* refused(() => openVault(connection, other))
      assert.include(message, "64 hexadecimal digits")
      assert.include(message, other)
      assert.notInclude(message, "not a key")
    }).pipe(Effect.scoped)
  )
})

describe("Cursor", () => {
  const { seal, ...opening } = cursors(Schema.Tuple([Schema.Int, Schema.String]))
  const open = (...args: Parameters<typeof opening.open>) => Result.getOrUndefined(opening.open(...args))
  const listing = { operation: "x", query: { type: "email", email: "a@example.com" }, order: "desc" }

  it.effect("opens for its listing, whatever the order of the fields", () =>
    Effect.gen(function* () {
      const opened = yield* vault
      const cursor = seal(opened, listing, [1, "a"])
      const reordered = { order: "desc", query: { email: "a@example.com", type: "email" }, operation: "x" }
      assert.deepEqual(open(opened, listing, cursor), [1, "a"])
      assert.deepEqual(open(opened, reordered, cursor), [1, "a"])
    }).pipe(Effect.scoped)
  )

  it.effect("does not open for another listing or another service, nor with a character altered", () =>
    Effect.gen(function* () {
      const opened = yield* vault
      const cursor = seal(opened, listing, [1, "a"])
      assert.isUndefined(open(opened, { ...listing, order: "asc" }, cursor))
      assert.isUndefined(open(yield* vault, listing, cursor))
      for (const at of [...cursor].keys()) {
        const letter = cursor[at] === "A" ? "B" : "A"
        assert.isUndefined(open(opened, listing, cursor.slice(0, at) + letter + cursor.slice(at + 1)))
      }
      for (const none of ["", "A", cursor.slice(1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]) {
        assert.isUndefined(open(opened, listing, none))
      }
    }).pipe(Effect.scoped)
  )
})

import { createHmac, hkdfSync, randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { cursors } from "@threat-exposure/service/crypto/Cursor"
import { KeyFileUnusable } from "@threat-exposure/service/crypto/KeyFile"
import { xchacha20poly1305 } from "@threat-exposure/service/crypto/Primitives"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { Connection } from "@threat-exposure/service/sqlite/database/Connection"
import { openVault } from "@threat-exposure/service/sqlite/database/DatabaseKey"
import { migrate } from "@threat-exposure/service/sqlite/database/Migration"
import { migrations } from "@threat-exposure/service/sqlite/database/migrations"
import { Effect, Result, Schema } from "effect"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "threat-exposure-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const database = Effect.map(Effect.acquireDisposable(Effect.sync(() => new Connection(":memory:"))), (connection) => {
  migrate(connection, migrations, "2026-01-01T00:00:00Z")
  return connection
})

const newVault = () => new Vault(randomBytes(32))

/** Key ids have one byte, so two random keys sometimes have the same one. */
const twoKeys = () => {
  const present = randomBytes(32)
  let former = randomBytes(32)
  while (new Vault(former).keyId === new Vault(present).keyId) former = randomBytes(32)
  return [present, former] as const
}

const failureOf = (open: () => unknown) =>
  Effect.flip(
    Effect.try({
      try: open,
      catch: (cause) => {
        assert.instanceOf(cause, KeyFileUnusable)
        return cause
      }
    })
  )

const inHexadecimal = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

describe("Vault", () => {
  it.effect.prop("decrypts what it encrypted", [Schema.String, Schema.String], ([any, context]) =>
    Effect.sync(() => {
      const vault = newVault()
      const text = any.toWellFormed()
      assert.strictEqual(vault.decrypt(vault.encrypt(text, context), context), text)
      assert.strictEqual(vault.decrypt(vault.encrypt(`\uFEFF${text}`, context), context), `\uFEFF${text}`)
      // The second text is longer than the memory for a value.
      for (const given of [text, text.padEnd(5_000, "é")]) {
        const inBase64 = vault.encryptToBase64(given, context)
        assert.strictEqual(vault.decrypt(inBase64, context), given)
        assert.strictEqual(vault.decryptToBytes(Buffer.from(inBase64, "base64"), context).toString(), given)
      }
    })
  )

  it("never encrypts the same text to the same bytes, and detects bytes that were altered, cut off or moved", () => {
    const vault = newVault()
    const encrypted = vault.encrypt("hunter2", "column/1")
    assert.notDeepEqual(vault.encrypt("hunter2", "column/1"), encrypted)
    for (const at of encrypted.keys()) {
      const altered = Uint8Array.from(encrypted)
      altered[at] = (altered[at] ?? 0) ^ 1
      assert.throws(() => vault.decrypt(altered, "column/1"))
      assert.throws(() => vault.decrypt(Buffer.from(altered).toString("base64"), "column/1"))
      assert.throws(() => vault.decrypt(encrypted.subarray(0, at), "column/1"))
    }
    assert.throws(() => vault.decrypt(encrypted, "column/2"))
    assert.throws(() => newVault().decrypt(encrypted, "column/1"))
  })

  it("uses no nonce twice", () => {
    const vault = newVault()
    const nonces = Array.from({ length: 5_000 }, () => inHexadecimal(vault.encrypt("", "").subarray(1, 25)))
    assert.strictEqual(new Set(nonces).size, nonces.length)
  })

  it("decrypts with each of its keys, and encrypts with the first only", () => {
    const [present, former] = twoKeys()
    const both = new Vault(present, [former])
    const old = new Vault(former).encrypt("hunter2", "column/1")
    assert.strictEqual(both.decrypt(old, "column/1"), "hunter2")
    assert.strictEqual(new Vault(present).decrypt(both.encrypt("hunter2", "column/1"), "column/1"), "hunter2")
    assert.throws(() => new Vault(present).decrypt(old, "column/1"))
    assert.deepEqual(both.blindIndex("a", "value"), new Vault(present).blindIndex("a", "value"))
  })

  it("indexes by value, purpose and key", () => {
    const [one, other] = [newVault(), newVault()]
    assert.deepEqual(one.blindIndex("a", "value"), one.blindIndex("a", "value"))
    assert.notDeepEqual(one.blindIndex("a", "value"), one.blindIndex("b", "value"))
    assert.notDeepEqual(one.blindIndex("a", "value"), other.blindIndex("a", "value"))
    assert.strictEqual(one.blindIndex64("a", "value"), Buffer.from(one.blindIndex("a", "value")).readBigInt64BE())
    assert.notStrictEqual(one.blindIndex64("a", "\ud800"), one.blindIndex64("a", "\ufffd"))
    assert.notDeepEqual(one.blindIndex("a", "\ud800"), one.blindIndex("a", "\ud801"))
  })

  it("derives its keys with HKDF-SHA-256, a key for each purpose", () => {
    const rootKey = randomBytes(32)
    const vault = new Vault(rootKey)
    const deriveKey = (purpose: string) =>
      new Uint8Array(hkdfSync("sha256", rootKey, "", `threat-exposure/2/${purpose}`, 32))
    const hmac = (purpose: string, message: string) =>
      new Uint8Array(createHmac("sha256", deriveKey(purpose)).update(message).digest().subarray(0, 16))
    assert.deepEqual(vault.blindIndex("a", "value"), hmac("blind-index", "a\0value"))
    assert.deepEqual(vault.mac("cursor", "text"), hmac("cursor", "text"))
    assert.deepEqual(vault.mac("access-token", "text"), hmac("access-token", "text"))
    const encrypted = vault.encrypt("hunter2", "column/1")
    const [key, nonce] = [deriveKey("encryption"), encrypted.subarray(1, 25)]
    assert.strictEqual(xchacha20poly1305.decrypt(key, nonce, encrypted.subarray(25), "column/1").toString(), "hunter2")
  })
})

describe("openVault", () => {
  it.effect("creates a key once, readable only by its owner", () =>
    Effect.gen(function* () {
      const file = join(yield* folder, "key")
      const connection = yield* database
      const encrypted = openVault(connection, file).encrypt("hunter2", "")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const key = readFileSync(file, "utf8")
      assert.strictEqual(openVault(connection, file).decrypt(encrypted, ""), "hunter2")
      assert.strictEqual(readFileSync(file, "utf8"), key)
    }).pipe(Effect.scoped)
  )

  it.effect(
    "refuses the key of another database, a missing key file and an invalid one, and then creates no new key",
    () =>
      Effect.gen(function* () {
        const [file, other] = [join(yield* folder, "key"), join(yield* folder, "key")]
        const connection = yield* database
        openVault(connection, file)
        openVault(yield* database, other)
        assert.include((yield* failureOf(() => openVault(connection, other))).message, "belongs to another database")
        rmSync(other)
        assert.include((yield* failureOf(() => openVault(connection, other))).message, "missing")
        assert.isFalse(existsSync(other))
        writeFileSync(other, "not a key")
        const { message } = yield* failureOf(() => openVault(connection, other))
        assert.include(message, "64 hexadecimal digits")
        assert.include(message, other)
        assert.notInclude(message, "not a key")
      }).pipe(Effect.scoped)
  )
})

describe("Cursor", () => {
  const { decode, encode } = cursors(Schema.Tuple([Schema.Int, Schema.String]))
  const decodeOrUndefined = (...args: Parameters<typeof decode>) => Result.getOrUndefined(decode(...args))
  const listing = { operation: "x", query: { type: "email", email: "a@example.com" }, order: "desc" }

  it("decodes for its listing, whatever the order of the fields", () => {
    const vault = newVault()
    const cursor = encode(vault, listing, [1, "a"])
    const reordered = { order: "desc", query: { email: "a@example.com", type: "email" }, operation: "x" }
    assert.deepEqual(decodeOrUndefined(vault, listing, cursor), [1, "a"])
    assert.deepEqual(decodeOrUndefined(vault, reordered, cursor), [1, "a"])
  })

  it("does not decode for another listing or another service, nor with a character altered", () => {
    const vault = newVault()
    const cursor = encode(vault, listing, [1, "a"])
    assert.isUndefined(decodeOrUndefined(vault, { ...listing, order: "asc" }, cursor))
    assert.isUndefined(decodeOrUndefined(newVault(), listing, cursor))
    for (const at of [...cursor].keys()) {
      const letter = cursor[at] === "A" ? "B" : "A"
      assert.isUndefined(decodeOrUndefined(vault, listing, cursor.slice(0, at) + letter + cursor.slice(at + 1)))
    }
    for (const none of ["", "A", cursor.slice(1), `${cursor}A`, `${cursor}=`, ` ${cursor}`]) {
      assert.isUndefined(decodeOrUndefined(vault, listing, none))
    }
  })
})

/**
 * What is secret in the database, under keys that are never in it.
 *
 * The key file holds 32 random bytes in hexadecimal. Each use has a key of its own, derived with HKDF: sealing (AES-256-GCM,
 * a fresh nonce for every value), blind indexes (HMAC-SHA-256), terms and cursors (SHA-512/256 behind the key).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual
} from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import * as Schema from "effect/Schema"
import { type Connection, query } from "../sqlite/Connection.ts"
import { Gcm, type Messages, nonceLength, tagLength } from "./Gcm.ts"

export class Vault {
  readonly #sealing: KeyObject
  readonly #gcm: Gcm
  readonly #index: KeyObject
  readonly #cursors: string
  readonly #terms: string
  readonly #nonces = new Uint8Array(nonceLength * 1_024)
  #nextNonce = this.#nonces.length

  private constructor(root: Uint8Array) {
    const derived = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", root, "", `threat-exposure/${purpose}`, 32)))
    this.#sealing = derived("sealing")
    this.#gcm = new Gcm(this.#sealing)
    this.#index = derived("blind-index")
    this.#cursors = derived("cursor").export().toString("hex")
    this.#terms = derived("terms").export().toString("hex")
  }

  /** Throws `VaultUnusable` where the file is missing or is no key. */
  static open(keyFile: string): Vault {
    const root = readRoot(keyFile)
    if (root === undefined) throw new VaultUnusable({ keyFile, reason: "it is missing" })
    return new Vault(root)
  }

  /**
   * Opens the key of this database, or makes one for a database that has none yet. Throws `VaultUnusable` where the file
   * is missing or belongs to another database: what is sealed could never be read again.
   */
  static openFor(connection: Connection, keyFile: string): Vault {
    return connection.transaction(() => {
      const known = connection.first(knownCheck)
      let root = readRoot(keyFile)
      if (root === undefined && known === undefined) root = createRoot(keyFile)
      if (root === undefined) {
        throw new VaultUnusable({ keyFile, reason: "it is missing, and the database holds passwords sealed with it" })
      }
      const vault = new Vault(root)
      const check = vault.blindIndex("check", "")
      if (known === undefined) connection.run("INSERT INTO vault (key_check) VALUES (?)", check)
      else if (!timingSafeEqual(known.key_check, check)) {
        throw new VaultUnusable({ keyFile, reason: "it belongs to another database" })
      }
      return vault
    })
  }

  /** Nonce, ciphertext and tag: 28 bytes longer than the text in UTF-8, which must be able to hold it: no lone surrogates. */
  seal(text: string): Uint8Array {
    const nonce = this.#nonce()
    const cipher = createCipheriv("aes-256-gcm", this.#sealing, nonce)
    return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  }

  /** Each text as `seal` does it: many short ones cost a fraction of one at a time. */
  sealAll(texts: ReadonlyArray<string>): Messages {
    const ends = new Uint32Array(texts.length)
    let end = 0
    for (const [at, text] of texts.entries()) ends[at] = end += nonceLength + Buffer.byteLength(text) + tagLength
    const bytes = Buffer.allocUnsafe(end)
    let start = 0
    for (const [at, text] of texts.entries()) {
      bytes.set(this.#nonce(), start)
      bytes.write(text, start + nonceLength)
      start = ends[at] ?? end
    }
    this.#gcm.encrypt({ bytes, ends })
    return { bytes, ends }
  }

  /** Drawn many at a time: one at a time they cost as much as the sealing. */
  #nonce(): Uint8Array {
    if (this.#nextNonce === this.#nonces.length) {
      randomFillSync(this.#nonces)
      this.#nextNonce = 0
    }
    return this.#nonces.subarray(this.#nextNonce, (this.#nextNonce += nonceLength))
  }

  /** Throws where the bytes were altered or sealed under another key. */
  unseal(sealed: Uint8Array): string {
    const tagAt = sealed.length - tagLength
    const decipher = createDecipheriv("aes-256-gcm", this.#sealing, sealed.subarray(0, nonceLength), {
      authTagLength: tagLength
    })
    decipher.setAuthTag(sealed.subarray(tagAt))
    return decipher.update(sealed.subarray(nonceLength, tagAt), undefined, "utf8") + decipher.final("utf8")
  }

  /** Each value as `unseal` does it, from hexadecimal digits. */
  unsealAll(sealed: ReadonlyArray<string>): ReadonlyArray<string> {
    const ends = new Uint32Array(sealed.length)
    let end = 0
    for (const [at, digits] of sealed.entries()) ends[at] = end += digits.length / 2
    const bytes = Buffer.allocUnsafe(end)
    for (const [at, digits] of sealed.entries()) bytes.write(digits, (ends[at] ?? 0) - digits.length / 2, "hex")
    this.#gcm.decrypt({ bytes, ends })
    return sealed.map((digits, at) => {
      const valueEnd = ends[at] ?? 0
      return bytes.toString("utf8", valueEnd - digits.length / 2 + nonceLength, valueEnd - tagLength)
    })
  }

  /**
   * Sixteen bytes by which an exact value can be found without being stored. `purpose` keeps equal values of two columns
   * apart.
   */
  blindIndex(purpose: string, value: string): Uint8Array {
    return createHmac("sha256", this.#index)
      .update(`${purpose}\0${exact(value)}`)
      .digest()
      .subarray(0, 16)
  }

  /**
   * A blind index of eight bytes, for tables of many millions of rows: among ten million values, two share one with a
   * chance of three in a million.
   */
  term(kind: string, value: string): bigint {
    return keyedHash(this.#terms, `${kind}\0${exact(value)}`).readBigInt64BE(0)
  }

  /** Authenticates what is handed out and comes back: cursors. Sixteen bytes. */
  signature(text: string): Uint8Array {
    return keyedHash(this.#cursors, text).subarray(0, 16)
  }
}

/** The key file cannot be used. Restore it from where it was kept, or name the right one. */
export class VaultUnusable extends Schema.TaggedError<VaultUnusable>()("VaultUnusable", {
  keyFile: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The key file ${this.keyFile} cannot be used: ${this.reason}. Restore it, or name the right one with THREAT_EXPOSURE_KEY_FILE.`
  }
}

/**
 * One-shot, without a context object: a fifth of the time of an HMAC. A key in front is enough of a MAC here, for
 * SHA-512/256 hides half of its state and so cannot be extended.
 */
const keyedHash = (key: string, text: string): Buffer => hash("sha512-256", `${key}${text}`, "buffer")

/** Lone surrogates would all be the same character in UTF-8. */
const exact = (value: string): string => (value.isWellFormed() ? value : `\0${JSON.stringify(value)}`)

const knownCheck = query(Schema.Struct({ key_check: Schema.Uint8Array }), "SELECT key_check FROM vault")

const readRoot = (keyFile: string): Uint8Array | undefined => {
  let text: string
  try {
    text = readFileSync(keyFile, "utf8").trim()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw new VaultUnusable({ keyFile, reason: cause instanceof Error ? cause.message : "it cannot be read" })
  }
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new VaultUnusable({ keyFile, reason: "it does not hold 64 hexadecimal digits" })
  return Buffer.from(text, "hex")
}

/** Whole or not at all: a crash between creating and writing must not leave an empty key behind. */
const createRoot = (keyFile: string): Uint8Array => {
  const root = randomBytes(32)
  const draft = `${keyFile}.${randomBytes(6).toString("hex")}`
  const file = openSync(draft, "wx", 0o600)
  try {
    writeSync(file, `${root.toString("hex")}\n`)
    fsyncSync(file)
    closeSync(file)
    linkSync(draft, keyFile)
  } finally {
    rmSync(draft, { force: true })
  }
  return root
}

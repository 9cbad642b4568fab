/**
 * The key file: 32 random bytes, as 64 hexadecimal digits on a line. During a key rotation it has two lines. It is never
 * stored inside the database.
 */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import * as Schema from "effect/Schema"

/** The key file cannot be used. Restore it from its backup, or name the right one. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  keyFile: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The key file ${this.keyFile} cannot be used: ${this.reason}. Restore it, or name the right one with THREAT_EXPOSURE_KEY_FILE.`
  }
}

/** At least one key, or undefined if there is no such file. Throws `KeyFileUnusable` if it holds anything else. */
export const readKeyFile = (keyFile: string): ReadonlyArray<Uint8Array> | undefined => {
  let text: string
  try {
    text = readFileSync(keyFile, "utf8").trim()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw new KeyFileUnusable({ keyFile, reason: cause instanceof Error ? cause.message : "it cannot be read" })
  }
  if (!/^[0-9a-f]{64}(?:\r?\n[0-9a-f]{64})*$/.test(text))
    throw new KeyFileUnusable({ keyFile, reason: "it does not hold 64 hexadecimal digits" })
  return text.split("\n").map((line) => Buffer.from(line.trim(), "hex"))
}

/** Writes a new key, atomically: a crash must not leave an empty key file behind. Throws if the file exists. */
export const createKeyFile = (keyFile: string): Uint8Array => {
  const key = randomBytes(32)
  const draft = `${keyFile}.${randomBytes(6).toString("hex")}`
  const file = openSync(draft, "wx", 0o600)
  try {
    writeSync(file, `${key.toString("hex")}\n`)
    fsyncSync(file)
    closeSync(file)
    linkSync(draft, keyFile)
  } finally {
    rmSync(draft, { force: true })
  }
  return key
}

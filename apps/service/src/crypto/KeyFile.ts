/** 32 random bytes as a line of 64 hexadecimal digits; two lines during a key rotation. */
import { randomBytes } from "node:crypto"
import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname } from "node:path"
import * as Schema from "effect/Schema"
import { fileFailure } from "../FileFailure.ts"
import { Vault } from "./Vault.ts"

/** The key file cannot be used. Unless `advice` says otherwise, restore it from its backup, or name the right one. */
export class KeyFileUnusable extends Schema.TaggedError<KeyFileUnusable>()("KeyFileUnusable", {
  keyFile: Schema.String,
  reason: Schema.String,
  advice: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const {
      advice = "Restore it, or name the right one with --key-file or THREAT_EXPOSURE_KEY_FILE",
      keyFile,
      reason
    } = this
    return `The key file ${keyFile} cannot be used: ${reason}. ${advice}.`
  }
}

/** At least one key; undefined if there is no such file. Throws `KeyFileUnusable` for any other content. */
export const readKeyFile = (keyFile: string): ReadonlyArray<Uint8Array> | undefined => {
  let text: string
  try {
    text = readFileSync(keyFile, "utf8").trim()
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw new KeyFileUnusable({ keyFile, reason: fileFailure(cause) })
  }
  if (!/^[0-9a-f]{64}(?:\r?\n[0-9a-f]{64})*$/.test(text))
    throw new KeyFileUnusable({ keyFile, reason: "it does not consist of 64 hexadecimal digits" })
  return text.split("\n").map((line) => Buffer.from(line.trim(), "hex"))
}

/** Throws `KeyFileUnusable` unless the file contains keys or can be created. Does not create it. */
export const requireKeyFile = (keyFile: string): void => {
  if (readKeyFile(keyFile) !== undefined) return
  try {
    accessSync(dirname(keyFile), constants.W_OK)
  } catch (cause) {
    throw notCreated(keyFile, cause)
  }
}

/** Creates the file with a new key. Throws `KeyFileUnusable`, also if the file already exists. */
export const createKeyFile = (keyFile: string): Uint8Array => {
  const key = randomBytes(32)
  try {
    writeAtomically(keyFile, [key], linkSync)
  } catch (cause) {
    throw notCreated(keyFile, cause)
  }
  return key
}

const notCreated = (keyFile: string, cause: unknown): KeyFileUnusable =>
  new KeyFileUnusable({
    keyFile,
    reason: `it cannot be created: ${fileFailure(cause)}`,
    advice: "Check its folder, or name another file with --key-file or THREAT_EXPOSURE_KEY_FILE"
  })

/** Replaces the keys of an existing file. Throws `KeyFileUnusable`. */
export const replaceKeyFile = (keyFile: string, keys: ReadonlyArray<Uint8Array>): void =>
  copyKeyFile(keyFile, keyFile, keys)

/** Keeps the owner, so that a service of another user can still read the file. Throws `KeyFileUnusable`. */
const copyKeyFile = (keyFile: string, target: string, keys: ReadonlyArray<Uint8Array>): void => {
  try {
    const { gid, uid } = statSync(keyFile)
    writeAtomically(target, keys, (draft) => {
      chownSync(draft, uid, gid)
      renameSync(draft, target)
    })
  } catch (cause) {
    throw new KeyFileUnusable({
      keyFile: target,
      reason: `it cannot be written: ${fileFailure(cause)}`,
      advice: "It was not changed: check the permissions of its folder and the disk, and run the command again"
    })
  }
}

/** A digest by which stored data recognises its key, in hexadecimal digits. It reveals nothing about the key. */
export const keyCheckOf = (key: Uint8Array): string => keyCheckIn(new Vault(key))

export const keyCheckIn = (vault: Vault): string => Buffer.from(vault.blindIndex("check", "")).toString("hex")

/** A new key whose id differs from those of the others, because ids have only one byte. */
export const newKeyBeside = (others: ReadonlyArray<Uint8Array>): Uint8Array => {
  const taken = new Set(others.map((key) => new Vault(key).keyId))
  for (;;) {
    const key = randomBytes(32)
    if (!taken.has(new Vault(key).keyId)) return key
  }
}

/**
 * Moves each other key to a file of its own, for backups that need it, and returns the names of these files. Does
 * nothing if the key is not in the file. Throws {@link KeyFileUnusable}.
 */
export const keepOnlyKey = (keyFile: string, check: string): ReadonlyArray<string> => {
  const keys = readKeyFile(keyFile) ?? []
  const kept = keys.filter((key) => keyCheckOf(key) === check)
  const retired = keys
    .filter((key) => !kept.includes(key))
    .map((key) => ({ key, file: `${keyFile}.retired-${keyCheckOf(key).slice(0, 8)}` }))
  if (kept.length === 0 || retired.length === 0) return []
  for (const { file, key } of retired) copyKeyFile(keyFile, file, [key])
  replaceKeyFile(keyFile, kept)
  return retired.map(({ file }) => file)
}

/** Writes atomically, so that a crash cannot leave an empty key file. */
const writeAtomically = (
  keyFile: string,
  keys: ReadonlyArray<Uint8Array>,
  publish: (draft: string, keyFile: string) => void
): void => {
  const draft = `${keyFile}.${randomBytes(6).toString("hex")}`
  const file = openSync(draft, "wx", 0o600)
  try {
    try {
      writeSync(file, keys.map((key) => `${Buffer.from(key).toString("hex")}\n`).join(""))
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    publish(draft, keyFile)
    syncPath(dirname(keyFile))
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Makes a file or folder durable. A new file name is only durable after its folder was synced. */
export const syncPath = (path: string, flags: "r" | "r+" = "r"): void => {
  const opened = openSync(path, flags)
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/**
 * Encrypted with a key that only this process has, and unlinked as soon as it is open: nothing outlives the process.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs"
import { deserialize, serialize } from "node:v8"
import { fileFailure } from "../FileFailure.ts"
import { StoreUnavailable } from "../requests/StoreUnavailable.ts"

export class StagingFile<Item> implements Disposable {
  readonly #path: string
  readonly #file: number
  readonly #key = randomBytes(32)
  readonly #lengths: Array<number> = []

  /** Creates the file beside `file`, on the disk that has room for its content. */
  constructor(file: string) {
    this.#path = `${file}-staging-${randomBytes(6).toString("hex")}`
    this.#file = requireStored(() => openSync(this.#path, "wx+", 0o600))
    // Windows cannot remove an open file, so it is removed when it is closed.
    if (process.platform !== "win32") rmSync(this.#path)
  }

  append(item: Item): void {
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonceOf(this.#lengths.length))
    const encrypted = Buffer.concat([cipher.update(serialize(item)), cipher.final(), cipher.getAuthTag()])
    requireStored(() => {
      for (let written = 0; written < encrypted.length; written += writeSync(this.#file, encrypted, written)) {
        // A single call may write only a part.
      }
    })
    this.#lengths.push(encrypted.length)
  }

  *items(): Generator<Item> {
    let position = 0
    for (const [index, length] of this.#lengths.entries()) {
      const encrypted = Buffer.allocUnsafe(length)
      if (readSync(this.#file, encrypted, 0, length, position) !== length) throw new Error("A staging file was cut off")
      position += length
      const decipher = createDecipheriv("aes-256-gcm", this.#key, nonceOf(index), { authTagLength: tagLength })
      decipher.setAuthTag(encrypted.subarray(-tagLength))
      yield deserialize(Buffer.concat([decipher.update(encrypted.subarray(0, -tagLength)), decipher.final()]))
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}

/** Fails if the file cannot be written, usually because the disk is full. */
const requireStored = <A>(write: () => A): A => {
  try {
    return write()
  } catch (cause) {
    throw new StoreUnavailable({
      reason: `the records of a strict load cannot be kept beside it: ${fileFailure(cause)}`
    })
  }
}

const tagLength = 16

/** A counter is a safe nonce: the key encrypts only this file, and each item has its own number. */
const nonceOf = (index: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 8)
  return nonce
}

/** Decrypts data of format 1 (AES-256-GCM without associated data), so that it can be upgraded. */
import { createDecipheriv, createHmac, createSecretKey, hkdfSync } from "node:crypto"

/** The check value of format 1, which identifies the right key. */
export const firstFormatCheck = (rootKey: Uint8Array): Uint8Array =>
  createHmac("sha256", derived(rootKey, "blind-index")).update("check\0").digest().subarray(0, 16)

/** Throws if the bytes were altered, or encrypted under another key. */
export const firstFormatDecrypter = (rootKey: Uint8Array): ((bytes: Uint8Array) => string) => {
  const key = derived(rootKey, "sealing")
  return (bytes) => {
    const tagAt = bytes.length - tagLength
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceLength), { authTagLength: tagLength })
    decipher.setAuthTag(bytes.subarray(tagAt))
    return decipher.update(bytes.subarray(nonceLength, tagAt), undefined, "utf8") + decipher.final("utf8")
  }
}

const nonceLength = 12
const tagLength = 16

const derived = (rootKey: Uint8Array, purpose: string) =>
  createSecretKey(Buffer.from(hkdfSync("sha256", rootKey, "", `threat-exposure/${purpose}`, 32)))

/**
 * Encryption and keyed hashes of the service against the same work with other libraries, in CPU time of this process: its
 * garbage collection is part of it, other programs of the machine are not.
 */
import {
  type CipherChaCha20Poly1305,
  type CipherGCM,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type DecipherChaCha20Poly1305,
  type DecipherGCM,
  randomBytes
} from "node:crypto"
import { chacha20poly1305, xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import { Vault } from "@threat-exposure/service/crypto/Vault"
import { printTable, type Row } from "./Table.ts"

const key = randomBytes(32)
const keyObject = createSecretKey(key)
const vault = new Vault(key)
const context = "credentials.sealed_hash/123456"
const associated = new TextEncoder().encode(context)
const tagLength = 16

/** The least of five rounds, in microseconds for each call. */
const cpuTimeOf = (calls: number, work: () => unknown): number => {
  for (let call = 0; call < calls; call += 1) work()
  const rounds = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call += 1) work()
    const { system, user } = process.cpuUsage(before)
    return (system + user) / calls
  })
  return Math.min(...rounds)
}

/** A text encrypted and decrypted again. The overloads of `createCipheriv` take no union of algorithms. */
const aesGcm = (text: string) => {
  const nonce = randomBytes(12)
  const options = { authTagLength: tagLength }
  return roundTrip(
    createCipheriv("aes-256-gcm", keyObject, nonce, options),
    createDecipheriv("aes-256-gcm", keyObject, nonce, options),
    text
  )
}

const chaCha = (text: string) => {
  const nonce = randomBytes(12)
  const options = { authTagLength: tagLength }
  return roundTrip(
    createCipheriv("chacha20-poly1305", keyObject, nonce, options),
    createDecipheriv("chacha20-poly1305", keyObject, nonce, options),
    text
  )
}

const roundTrip = (
  cipher: CipherGCM | CipherChaCha20Poly1305,
  decipher: DecipherGCM | DecipherChaCha20Poly1305,
  text: string
) => {
  const lengths = { plaintextLength: Buffer.byteLength(text) }
  cipher.setAAD(associated, lengths)
  const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  decipher.setAAD(associated, lengths)
  decipher.setAuthTag(cipher.getAuthTag())
  return decipher.update(encrypted, undefined, "utf8") + decipher.final("utf8")
}

const withNoble = (algorithm: typeof chacha20poly1305 | typeof xchacha20poly1305, text: string) => {
  const nonce = new Uint8Array(randomBytes(algorithm.nonceLength))
  const encrypted = algorithm(key, nonce, associated).encrypt(new TextEncoder().encode(text))
  return new TextDecoder().decode(algorithm(key, nonce, associated).decrypt(encrypted))
}

const rowsFor = (
  what: string,
  calls: number,
  ours: () => unknown,
  peers: ReadonlyArray<readonly [string, () => unknown]>
) => {
  const mine = cpuTimeOf(calls, ours)
  return peers.map(([name, work]): Row => {
    const theirs = cpuTimeOf(calls, work)
    return {
      what,
      ours: `${mine.toFixed(1)} µs`,
      peer: `${name}: ${theirs.toFixed(1)} µs`,
      ratio: `${(theirs / mine).toFixed(1)} times as fast`,
      target: "",
      reached: "not measured"
    }
  })
}

const encryption = (what: string, calls: number, text: string) =>
  rowsFor(what, calls, () => vault.decrypt(vault.encrypt(text, context), context), [
    ["node:crypto, AES-256-GCM", () => aesGcm(text)],
    ["node:crypto, ChaCha20-Poly1305", () => chaCha(text)],
    ["@noble/ciphers, ChaCha20-Poly1305", () => withNoble(chacha20poly1305, text)],
    ["@noble/ciphers, XChaCha20-Poly1305", () => withNoble(xchacha20poly1305, text)]
  ])

printTable("Encryption", [
  ...encryption("encrypt and decrypt a password", 20_000, '"correct horse battery"'),
  ...encryption("encrypt and decrypt 2,000 characters", 4_000, "a".repeat(2_000)),
  ...rowsFor("blind index of a password", 40_000, () => vault.blindIndex64("secret", "correct horse battery"), [
    [
      "node:crypto, HMAC-SHA-256",
      () => createHmac("sha256", keyObject).update("secret\0correct horse battery").digest().readBigInt64BE()
    ]
  ])
])

/** Identifies a value within one repository without revealing it. */
import { scryptAsync } from "@noble/hashes/scrypt.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Redacted } from "effect"

/** Returns 16 hexadecimal digits, independent of the value's location. Deliberately slow: about 10 ms. */
export const fingerprint = Effect.fn("fingerprint")(function* (
  value: Redacted.Redacted,
  repository: string
): Effect.fn.Return<string> {
  const scrypt = yield* Scrypt
  return bytesToHex(yield* scrypt(utf8ToBytes(Redacted.value(value)), utf8ToBytes(repository)))
})

/** The cost parameters of scrypt, and the length of a fingerprint in bytes. */
export const parameters = { N: 4096, r: 8, p: 1, dkLen: 8 } as const

/** Computes scrypt with `parameters`: in JavaScript on this thread, unless `node/NodeScrypt` is provided. */
export const Scrypt = Context.Reference<(password: Uint8Array, salt: Uint8Array) => Effect.Effect<Uint8Array>>(
  "@threat-exposure/leak-check/Fingerprint/Scrypt",
  { defaultValue: () => (password, salt) => Effect.promise(() => scryptAsync(password, salt, parameters)) }
)

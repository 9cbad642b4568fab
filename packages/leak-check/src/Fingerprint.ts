/** Names a value in a repository without telling it: DESIGN section 6. */
import { scryptAsync } from "@noble/hashes/scrypt.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Effect, Redacted } from "effect"

/** Sixteen hexadecimal digits; the same wherever the value stands in the repository. Slow on purpose: some 10 ms. */
export const fingerprint = (value: Redacted.Redacted, repository: string): Effect.Effect<string> =>
  Effect.promise(() => scryptAsync(Redacted.value(value), repository, { N: 4096, r: 8, p: 1, dkLen: 8 })).pipe(
    Effect.map(bytesToHex)
  )

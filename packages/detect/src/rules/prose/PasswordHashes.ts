/**
 * Finds password hashes in leaked text, in order to hide them. In files they are no candidates, because the service
 * searches for passwords.
 */
import { passwordHash } from "../../scoring/Placeholder.ts"
import { matchAt } from "../../text/MatchAt.ts"
import type { Rule } from "../Rule.ts"

export const passwordHashes: Rule = {
  id: "password-hash",
  keywords:
    "$2a$ $2b$ $2y$ $2x$ $apr1$ $1$ $5$ $6$ $argon2 $p$ $h$ $s$ $y$ $gy$ $scrypt$ $7$ $8$ $9$ $pbkdf2 {ssha pbkdf2_sha pbkdf2:sha scram-sha-".split(
      " "
    ),
  find: (source, start, end, report) => {
    const match = matchAt(passwordHash, source.text, start)
    if (match === null) return end
    report({ form: "login", value: match[0], kind: "password", start, end: start + match[0].length })
    return start + match[0].length
  }
}

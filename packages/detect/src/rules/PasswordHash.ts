/** Password hashes in the formats of password files and database dumps. */
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

export const passwordHashes: Rule = {
  id: "password-hash",
  keywords: [
    "$2a$",
    "$2b$",
    "$2y$",
    "$2x$",
    "$apr1$",
    "$1$",
    "$5$",
    "$6$",
    "$argon2",
    "$p$",
    "$s$",
    "$y$",
    "$gy$",
    "$scrypt$",
    "$7$",
    "$8$",
    "$9$",
    "{ssha}",
    "{ssha256}",
    "{ssha512}"
  ],
  find: (source, start, end, report) => {
    const match = matchAt(hashPattern, source.text, start)
    if (match === null) return end
    report({ form: "hash", value: match[0], kind: "password", start, end: start + match[0].length })
    return start + match[0].length
  }
}

const hashPattern =
  /(?:\{SSHA(?:256|512)?\}[A-Za-z0-9+/]{30,140}={0,2}|\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[156]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|\$argon2(?:id?|d)\$v=\d+\$[\w=,]+\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{16,}|\$P\$[./A-Za-z0-9]{31}|\$S\$[./A-Za-z0-9]{52}|\$[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}|\$g?y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|\$(?:scrypt|7)\$[./A-Za-z0-9=,$+]{40,})/y

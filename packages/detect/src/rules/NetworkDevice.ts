/** Passwords, communities and keys in the configuration of routers and switches. */
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

export const networkDevices: Rule = {
  id: "network-device",
  keywords: [
    "snmp-server community ",
    "enable password ",
    "enable secret ",
    "password 0 ",
    "password 7 ",
    "isakmp key ",
    "tacacs-server key ",
    "radius-server key ",
    "key-string ",
    "wpa-psk ascii "
  ],
  find: (source, start, end, report) => {
    const value = matchAt(word, source.text, end)?.[1]
    const before = source.text.slice(source.lineStart(start), start)
    if (value === undefined || !/^[\w\s./-]*$/.test(before)) return end
    const to = end + (matchAt(word, source.text, end)?.[0].length ?? 0)
    report({ form: "login", value, kind: "password", start: to - value.length, end: to })
    return to
  }
}

/** In the clear (0) or reversible (7); the other types are hashes. */
const word = /(?:[07][ \t]+)?(?!\d[ \t]|<)([^\s"']{4,128})(?=\s|$)/y

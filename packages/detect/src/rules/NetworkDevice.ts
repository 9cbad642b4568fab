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
    "wpa-psk ascii ",
    "snmp community ",
    "pre-shared-key ascii-text "
  ],
  find: (source, at, end, report) => {
    const lineStart = source.lineStart(at)
    const match = at - lineStart > maxCommand ? null : matchAt(word, source.text, end)
    const value = match?.[1] ?? match?.[2]
    if (value === undefined || !/^[\w\s./-]*$/.test(source.text.slice(lineStart, at))) return end
    const start = source.text.indexOf(value, end)
    report({ form: "login", value, kind: "password", start, end: start + value.length })
    return start + value.length
  }
}

/** Characters of a command before its password. */
const maxCommand = 200

/** In the clear (0) or reversible (7); the other types are hashes. */
const word = /(?:[07][ \t]+)?(?!\d[ \t]|<)(?:"([^"\n]{4,128})"|([^\s"']{4,128}))(?=[;\s]|$)/y

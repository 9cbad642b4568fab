/** Passwords, communities and keys in the configuration of routers and switches. */
import { matchAt } from "../../text/MatchAt.ts"
import type { Rule } from "../Rule.ts"

export const networkDevices: Rule = {
  id: "network-device",
  keywords:
    "snmp-server community |enable password |enable secret |password 0 |password 7 |isakmp key |tacacs-server key |radius-server key |key-string |wpa-psk ascii |snmp community |pre-shared-key ascii-text |ikev1 pre-shared-key |authentication pre-shared-key |plaintext-password |password simple |password manager plaintext |password operator plaintext ".split(
      "|"
    ),
  find: (source, at, end, report) => {
    const lineStart = source.lineStart(at)
    const match = at - lineStart > maxCommand ? null : matchAt(word, source.text, end)
    const written = match?.[1] ?? match?.[2] ?? match?.[3]
    if (written === undefined || !/^[\w\s./-]*$/.test(source.text.slice(lineStart, at))) return end
    const start = source.text.indexOf(written, end)
    const next = start + written.length
    // The words before the value say its type.
    const isType7 = /\b7[ \t]*$/.test(source.text.slice(at, start))
    report({
      form: "login",
      value: secretOfCisco(isType7 ? `7 ${written}` : written),
      start,
      end: next
    })
    return next
  }
}

/** Characters of a command before its password. */
const maxCommand = 200

/** In the clear (0) or reversible (7); the other types are hashes. */
const word = /(?:[07][ \t]+)?(?!\d[ \t]|<)(?:"([^"\n]{4,128})"|'([^'\n]{4,128})'|([^\s"']{4,128}))(?=[;\s]|$)/y

/** A value with its type, `7 0822455D0A16`: type 7 is the password itself under a key that everybody knows. */
export const secretOfCisco = (written: string): string => {
  const [, salt = "", digits = ""] = /^7[ \t]+(\d\d)((?:[\dA-F]{2})+)$/i.exec(written) ?? []
  if (digits === "") return written.replace(/^[07][ \t]+/, "")
  return digits.replace(/../g, (pair, at: number) =>
    String.fromCharCode(Number.parseInt(pair, 16) ^ type7.charCodeAt((Number(salt) + at / 2) % type7.length))
  )
}

const type7 = "dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87"

/**
 * `$9$…` of Junos: each character of the password is the sum of weighted distances between characters, in an order that
 * everybody knows. The first character says how many meaningless ones follow it.
 */
export const secretOfJunos = (written: string): string => {
  const characters = written.slice(3)
  const first = characters.charAt(0)
  let at = 1 + 3 - families.findIndex((family) => family.includes(first))
  let previous = order.indexOf(first)
  let secret = ""
  while (at < characters.length) {
    let code = 0
    for (const weight of distanceWeights[secret.length % distanceWeights.length] ?? []) {
      const position = order.indexOf(characters.charAt(at++))
      code += weight * (((position - previous + order.length) % order.length) - 1)
      previous = position
    }
    secret += String.fromCharCode(code & 0xff)
  }
  return /^[ -~]+$/.test(secret) ? secret : written
}

const families = ["QzF3n6/9CAtpu0O", "B1IREhcSyrleKvMW8LXx", "7N-dVbwsY2g4oaJZGUDj", "iHkq.mPf5T"]
const order = families.join("")
const distanceWeights: ReadonlyArray<ReadonlyArray<number>> = [
  [1, 4, 32],
  [1, 16, 32],
  [1, 8, 32],
  [1, 64],
  [1, 32],
  [1, 4, 16, 128],
  [1, 32, 64]
]

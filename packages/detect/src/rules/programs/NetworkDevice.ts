/** Finds passwords, SNMP communities and keys in configurations of routers and switches. */
import { matchAt } from "../../text/MatchAt.ts"
import type { Rule } from "../Rule.ts"

export const networkDevices: Rule = {
  id: "network-device",
  keywords:
    "snmp-server community |enable password |enable secret |password 0 |password 7 |isakmp key |tacacs-server key |radius-server key |key-string |wpa-psk ascii |snmp community |pre-shared-key ascii-text |ikev1 pre-shared-key |authentication pre-shared-key |plaintext-password |plain-text-password-value |authentication password |authentication-key |shared-key simple |failover key |pre-shared-key local |pre-shared-key remote |private-key |password simple |password manager plaintext |password operator plaintext ".split(
      "|"
    ),
  find: (source, at, end, report) => {
    const lineStart = source.lineStart(at)
    const match = at - lineStart > maxCommand ? null : matchAt(word, source.text, end)
    const written = match?.[1] ?? match?.[2] ?? match?.[3]
    if (written === undefined || !/^[\w\s./{};-]*$/.test(source.text.slice(lineStart, at))) return end
    const start = source.text.indexOf(written, end)
    const next = start + written.length
    // The number before the value is its type.
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

/** Any other command whose last argument is a password: `ip ftp password …`, `add user bob password …`. */
export const deviceCommands: Rule = {
  id: "network-device",
  keywords: [" password ", "-password "],
  find: ({ kind, lineStart, text }, at, end, report) => {
    const from = lineStart(at)
    const match = kind.format === "ini" || kind.format === "other" ? matchAt(lastWord, text, end) : null
    const value = match?.[1] ?? match?.[2] ?? ""
    if (value === "" || at - from > maxCommand || !/^[ \t]*[a-z][\w./:=,@ \t-]*$/i.test(text.slice(from, at)))
      return end
    const start = text.indexOf(value, end)
    report({ form: "login", value, start, end: start + value.length })
    return start + value.length
  }
}

/** A word with a digit and a capital letter or a sign: other words with a digit are names of things. */
const lastWord =
  /(?!\d[ \t])(?=\S{0,127}\d)(?=\S{0,127}(?:[A-Z]|[^\w\s.:/-]))(?:["']([^\s"']{4,128})["']|([^\s"']{4,128}))(?=;?[ \t]*\r?(?:\n|$)|[ \t](?:privilege|role)\b)/y

/** Maximum number of characters in a command before the keyword. */
const maxCommand = 200

/** A value of type 0 (plain text) or 7 (reversible); the other types are hashes. */
const word =
  /(?:key[ \t]+)?(?:[07][ \t]+)?(?!\d[ \t]|<)(?:"([^"\n]{4,128})"|'([^'\n]{4,128})'|([^\s"']{4,128}))(?=[;\s]|$)/y

/** Decodes a value with its type, `7 0822455D0A16`: type 7 is the password XORed with a well-known key. */
export const secretOfCisco = (written: string): string => {
  const [, salt = "", digits = ""] = /^7[ \t]+(\d\d)((?:[\dA-F]{2})+)$/i.exec(written) ?? []
  if (digits === "") return written.replace(/^[07][ \t]+/, "")
  return digits.replace(/../g, (pair, at: number) =>
    String.fromCharCode(Number.parseInt(pair, 16) ^ type7.charCodeAt((Number(salt) + at / 2) % type7.length))
  )
}

const type7 = "dsfd;kfoA,.iyewrkldJKDHSUBsgvca69834ncxv9873254k;fg87"

/**
 * Decodes `$9$…` of Junos: each character of the password is a weighted sum of distances between characters in a fixed,
 * well-known order. The first character determines how many meaningless characters follow it.
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

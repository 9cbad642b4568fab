/** Passwords in a statement that makes a user, and in a line of `.netrc`. */
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

/** `CREATE USER … IDENTIFIED BY 'password'`. */
export const databaseUsers: Rule = {
  id: "sql-user",
  keywords: ["identified by", "identified with"],
  find: (source, start, end, report) => {
    const match = matchAt(identifiedByPattern, source.text, start)
    const value = match?.[1] ?? match?.[2] ?? ""
    const statement = source.text.slice(Math.max(source.lineStart(start), start - 200), start)
    if (match === null || !/\b(?:user|role|grant|alter|set)\b/i.test(statement)) return end
    const at = start + match[0].lastIndexOf(value)
    report({ form: "login", value, kind: "password", start: at, end: at + value.length })
    return at + value.length
  }
}

/** A line of `.netrc`, wherever it stands. */
export const netrcLines: Rule = {
  id: "netrc",
  keywords: ["machine "],
  find: (source, start, end, report) => {
    const match = matchAt(machine, source.text, start)
    const value = match?.[1] ?? ""
    if (match === null) return end
    const next = start + match[0].length
    report({ form: "login", value, kind: "password", start: next - value.length, end: next })
    return next
  }
}

const identifiedByPattern =
  /identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?(?:(?:')([^'\n]{3,128})'|((?=[^\s"';\\,()]*\d)(?=[^\s"';\\,()]*[A-Z])[^\s"';\\,()]{8,128}))/iy

const machine = /machine\s+[\w.-]{1,255}\s+login\s+\S{1,128}\s+password\s+([^\s"']{4,128})/iy

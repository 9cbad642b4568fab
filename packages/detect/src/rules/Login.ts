/** Passwords given in a call that logs in, in a statement that makes a user, in a line of `.netrc`. */
import type { Rule } from "./Rule.ts"
import { matchAt } from "../text/MatchAt.ts"

/** `smtp.login("somebody", "password")`, `HTTPBasicAuth("somebody", "password")`: the last of such literals can only be that. */
export const credentialCalls: Rule = {
  id: "credential-call",
  keywords: [
    "login(",
    "connect(",
    "connection(",
    "mysqli(",
    "mysqli_connect(",
    "mysql_connect(",
    "real_connect(",
    "pdo(",
    "credential(",
    "credentials(",
    "basicauth(",
    "basic_auth(",
    "directoryentry(",
    "auth=(",
    "auth = ("
  ],
  find: (source, start, end, report) => {
    const match = matchAt(mysqlCall, source.text, start) ?? matchAt(credentialCall, source.text, start)
    const value = match?.[2] ?? ""
    if (match === null || /\s/.test(value) || (match[1] ?? "").includes(value)) return end
    const at = start + match[0].lastIndexOf(value)
    report({ form: "login", value, kind: "password", start: at, end: at + value.length })
    return at + value.length
  }
}

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

const credentialCall =
  /(?:(?<=get)connection\(\s*[\w.]+\s*,|(?:login|(?<!mysqli?_|real_)connect|connection|pdo|credentials?|basic_?auth|auth\s?=\s?|directoryentry)\()\s*((?:[bru]?["'][^"'\n]{0,200}["']\s*,\s*){1,4})(?:Some\(\s*)?[bru]?["']([^"'\n]{4,64})["']\s*[,)]/iy
/** Server, user, password, and then perhaps the database. */
const mysqlCall =
  /(?:mysqli?(?:_connect)?|real_connect)\(\s*((?:["'][^"'\n]{0,200}["']\s*,\s*){2})["']([^"'\n]{4,64})["']\s*[,)]/iy

const identifiedByPattern =
  /identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?(?:(?:')([^'\n]{3,128})'|((?=[^\s"';\\,()]*\d)(?=[^\s"';\\,()]*[A-Z])[^\s"';\\,()]{8,128}))/iy

const machine = /machine\s+[\w.-]{1,255}\s+login\s+\S{1,128}\s+password\s+([^\s"']{4,128})/iy

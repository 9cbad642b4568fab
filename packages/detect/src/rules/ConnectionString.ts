/** Passwords in URLs, and in the data sources of Go. */
import { lowered, passwordConfidence } from "../scoring/Confidence.ts"
import { isEncrypted, isPlaceholder, isReference, isTemplate } from "../scoring/Placeholder.ts"
import type { Detector } from "../text/Source.ts"
import { matchAt } from "../text/MatchAt.ts"

export const urlPasswords: Detector = {
  literals: ["://"],
  at: (source, start, end, report) => {
    const { kind, text } = source
    const match = matchAt(kind.name === ".git-credentials" ? loose : afterScheme, text, start)
    if (match === null) return end
    const raw = match[2] ?? ""
    const value = decodePercent(raw)
    const at = start + match[0].indexOf(`:${raw}@`, 3) + 1
    const scheme = /[\w+.:-]{2,40}$/.exec(text.slice(Math.max(0, start - 40), start))?.[0] ?? ""
    if (scheme === "") return end
    const database = databases.test(scheme)
    const host = /^[\w.-]+/.exec(text.slice(start + match[0].length, start + match[0].length + 100))?.[0] ?? ""
    if (
      isReference(value) ||
      isEncrypted(value) ||
      value.length < 3 ||
      value === match[1] ||
      (match[1] === "" && value.includes(":")) ||
      (kind.credentials ? isTemplate(value) : isPlaceholder(value))
    )
      return start + match[0].length
    report({
      value,
      kind: database ? "connection-string" : "basic-auth",
      rule: database ? "connection-string" : "url-password",
      confidence: lowered(
        source,
        passwordConfidence(value, madeUpHost.test(host) ? 0.5 : host.includes(".") ? 0.7 : 0.6)
      ),
      start: at,
      end: at + raw.length
    })
    return start + match[0].length
  }
}

/** `user:password@tcp(host:3306)/database`, as Go names a MySQL server. */
export const goDataSources: Detector = {
  literals: ["@tcp(", "@unix("],
  at: (source, start, end, report) => {
    const pair = source.text.slice(Math.max(source.lineStart(start), start - longestPair), start)
    const value = pair.slice(pair.lastIndexOf(":") + 1)
    const isPair = value.length < pair.length - 1 && /^[^\s"'`/%]{3,}$/.test(value)
    if (!isPair || isReference(value) || isPlaceholder(value)) return end
    report({
      value,
      kind: "connection-string",
      rule: "connection-string",
      confidence: lowered(source, passwordConfidence(value, 0.65)),
      start: start - value.length,
      end: start
    })
    return end
  }
}

/** `scheme://user:password@host`; the user may be missing. */
const afterScheme =
  /:\/\/([^\s:/?#@"'`<>{}\\|,;()$]{0,128}(?:@[\w.-]{1,100})?|\$?\{[\w.]{1,60}\}|\$\w{1,60}):([^\s/"'`<>\\,]{1,256})@(?=[\w[*$%{<.-])/y
const loose = /:\/\/([^\s:/?#"'`<>]{0,128}):([^\s"'`<>]{1,256})@([\w.-]+)/y
const databases =
  /(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|jdbc|db2|cockroach|clickhouse|cassandra|neo4j|bolt|couchdb|influx|nats|mqtt|kafka|ldap|ldaps|snowflake|redshift|hive|sqlite|ado|odbc|sybase|firebird|pgsql|rabbitmq)[\w+.:]*$/i

const madeUpHost =
  /^(?:localhost|127\.|0\.0\.0\.0|host|hostname|server|db|example|.*\.example|.*example\.(?:com|org|net)|.*\.(?:test|invalid|local))(?:\.|$|:)?/i

const decodePercent = (raw: string): string => {
  if (!raw.includes("%")) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

/** Characters of a user and a password that are looked at. */
const longestPair = 200

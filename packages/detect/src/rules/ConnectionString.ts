/** Finds passwords and tokens in URLs and connection strings. */
import type { CandidateKind } from "../Candidate.ts"
import type { Rule } from "./Rule.ts"
import { decodeBase64 } from "../text/Base64.ts"
import { matchAt } from "../text/MatchAt.ts"
import { decodePercent } from "../text/StringLiteral.ts"

const passwordInUrl = (id: string, kind: CandidateKind, ofDatabases: boolean): Rule => ({
  id,
  keywords: ["://"],
  find: (source, start, end, report) => {
    const { kind: file, text } = source
    const match = matchAt(file.name === ".git-credentials" ? loose : afterScheme, text, start)
    if (match === null) return end
    const scheme = /[\w+.:-]{2,40}$/.exec(source.before(start, 40))?.[0] ?? ""
    if (scheme === "" || databases.test(scheme) !== ofDatabases) return end
    const next = start + match[0].length
    const raw = match[2] ?? ""
    const value = decodePercent(raw)
    if (value === match[1] || (match[1] === "" && value.includes(":"))) return next
    const at = start + match[0].indexOf(`:${raw}@`, 3) + 1
    const host = /^[\w.-]+/.exec(text.slice(next, next + 100))?.[0] ?? ""
    report({ form: "url", value, kind, localHost: localHost.test(host), start: at, end: at + raw.length })
    return next
  }
})

/** `postgres://user:password@host`: URLs of databases, message queues and directories. */
export const connectionStrings = passwordInUrl("connection-string", "connection-string", true)
/** `https://user:password@host`: all other URLs. */
export const urlPasswords = passwordInUrl("url-password", "basic-auth", false)

/** `user:password@tcp(host:3306)/database`: a MySQL connection string in Go. */
export const goDataSources: Rule = {
  id: "connection-string",
  keywords: ["@tcp(", "@unix("],
  find: (source, start, end, report) => {
    const pair = source.lineBefore(start, maxPairLength)
    const value = pair.slice(pair.lastIndexOf(":") + 1)
    const isPair = value.length < pair.length - 1 && /^[^\s"'`/%]{3,}$/.test(value)
    if (isPair) report({ form: "url", value, kind: "connection-string", start: start - value.length, end: start })
    return end
  }
}

/** `odbc_connect=…%3BUID%3Dapp%3BPWD%3D…%3B`: an ODBC connection string in a URL's query, as SQLAlchemy takes it. */
export const encodedDataSources: Rule = {
  id: "connection-string",
  keywords: ["%3bpwd%3d", "%3bpassword%3d"],
  find: (source, _start, end, report) => {
    const raw = matchAt(encodedSetting, source.text, end)?.[0]
    if (raw === undefined) return end
    const value = decodePercent(raw.replaceAll("+", " ")).replace(/^\{(.+)\}$/, "$1")
    report({ form: "url", value, kind: "connection-string", start: end, end: end + raw.length })
    return end + raw.length
  }
}

/** `https://conda.anaconda.org/t/TOKEN/channel`: the URL of a conda channel. */
export const channelTokens: Rule = {
  id: "conda-channel",
  keywords: ["/t/"],
  find: (source, start, end, report) => {
    const token = matchAt(channelToken, source.text, end)?.[0]
    if (token === undefined) return end
    const address = source.lineBefore(start, maxAddress)
    const isChannel = tokenOfAnaconda.test(token) || source.kind.name === ".condarc" || /conda[^\s"']*$/i.test(address)
    if (!isChannel || !/https?:\/\/[^\s"'<>]+$/i.test(address)) return end
    const next = end + token.length
    report({ form: "token", value: token, kind: "generic-secret", start: end, end: next })
    return next
  }
}

/** `jdbc:oracle:thin:user/password@host:1521:name` */
export const oracleDataSources: Rule = {
  id: "connection-string",
  keywords: ["jdbc:oracle:"],
  find: (source, start, end, report) => {
    const match = matchAt(oracleLogin, source.text, start)
    if (match === null) return end
    const value = match[1] ?? ""
    const at = start + match[0].length - 1 - value.length
    report({ form: "url", value, kind: "connection-string", start: at, end: at + value.length })
    return start + match[0].length
  }
}

/**
 * A share link of a proxy: `trojan://password@host`, `vless://uuid@host`, and `ss://` or `vmess://` with base64 of the
 * account.
 */
export const proxyLinks: Rule = {
  id: "proxy-link",
  keywords: ["trojan://", "vless://", "hysteria2://", "hy2://", "anytls://", "ss://", "vmess://"],
  find: (source, start, end, report) => {
    const { text } = source
    const written = /[\w.+-]/.test(text.charAt(start - 1)) ? undefined : matchAt(account, text, end)?.[0]
    if (written === undefined) return end
    const next = end + written.length
    const isEncoded = /^(?:ss|vmess):/i.test(text.slice(start, end))
    const value = isEncoded
      ? accountOf(decodeBase64(written) ?? decodePercent(written))
      : text.charAt(next) === "@" && !written.includes(":")
        ? decodePercent(written)
        : undefined
    if (value !== undefined) report({ form: "url", value, kind: "basic-auth", start: end, end: next })
    return next
  }
}

const account = /[^\s"'`<>@/?#\\]{8,2048}={0,2}/y

/** The password in `method:password`, perhaps before a host, or the id of a VMess user. */
const accountOf = (text: string): string | undefined =>
  /^[\w-]{3,40}:(.+?)(?:@[\w.:[\]-]+)?$/.exec(text)?.[1] ?? /^\{[^]{0,1000}?"id"\s*:\s*"([\da-f-]{36})"/.exec(text)?.[1]

const oracleLogin = /jdbc:oracle:(?:thin|oci8?):[\w$.]{1,128}\/([^\s"'`<>@/$]{3,128})@/iy

/** `scheme://user:password@host`; the user may be missing. */
const afterScheme =
  /:\/\/([^\s:/?#@"'`<>{}\\|,;()$]{0,128}(?:@[\w.-]{1,100})?|(?:cn|uid|ou|dc)=[\w=,. -]{1,200}|\$?\{[\w.]{1,60}\}|\$\w{1,60}):([^\s/"'`<>\\,]{1,256})@(?=[\w[*$%{<.-])/y
const loose = /:\/\/([^\s:/?#"'`<>]{0,128}):([^\s"'`<>]{1,256})@([\w.-]+)/y
const databases =
  /(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|jdbc|db2|cockroach|clickhouse|cassandra|neo4j|bolt|couchdb|influx|nats|mqtt|kafka|ldap|ldaps|snowflake|redshift|hive|sqlite|ado|odbc|sybase|firebird|pgsql|rabbitmq)[\w+.:]*$/i

const localHost =
  /^(?:localhost|127\.|0\.0\.0\.0|host|hostname|server|db|example|.*\.example|.*example\.(?:com|org|net)|.*\.(?:test|invalid|local))(?:\.|$|:)?/i

/** The value ends before the next setting or parameter, and at the closing brace if it begins with a brace. */
const encodedSetting =
  /%7B(?:[^\s"'`%&<>\\]|%(?!7D)[\dA-F]{2}){3,256}%7D|(?:[^\s"'`%&;<>\\]|%(?!3B|26)[\dA-F]{2}){3,256}/iy
/** Characters of the URL before the token that are checked. */
const maxAddress = 200
const channelToken = /[\w-]{16,128}(?=\/)/y
const tokenOfAnaconda = /^[a-z]{2}-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Maximum length of user and password. */
const maxPairLength = 200

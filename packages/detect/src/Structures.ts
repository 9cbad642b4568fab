/** Values that their own form tells: JWTs, URLs with a password, `Authorization` headers, password hashes. */
import { isEncrypted, isOrdinary, isPlaceholder, isReference, isTemplate, isWeak } from "./Placeholder.ts"
import { rarity } from "./Rarity.ts"
import type { Detector, Source } from "./Source.ts"

const sticky = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const lowered = ({ kind }: Source, confidence: number): number =>
  Math.max(0, confidence - (kind.madeUp ? 0.3 : 0) - (kind.format === "prose" ? 0.2 : 0))

/** The text behind base64 of either alphabet, undefined where it is none or not text. */
export const decodeBase64 = (value: string): string | undefined => {
  const plain = value.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")
  if (!/^[A-Za-z0-9+/]+$/.test(plain) || plain.length % 4 === 1) return undefined
  const bytes = Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Parts of one run of these characters are not tried: that took the square of its length. */
const insideOfToken = /[\w.-]/

const jwtPattern = /ey[JI][\w-]{15,}\.ey[JI][\w-]{10,}\.([\w-]{20,})(?![\w-])/y

const jwt: Detector = {
  literals: ["eyj", "eyi"],
  at: (source, start, end, report) => {
    const { text } = source
    if (start > 0 && insideOfToken.test(text.charAt(start - 1))) return end
    const match = sticky(jwtPattern, text, start)
    if (match === null) return end
    const header = decodeBase64(match[0].slice(0, match[0].indexOf(".")))
    if (header === undefined || !/"alg"|"typ"/.test(header)) return end
    const payload = decodeBase64(match[0].split(".")[1] ?? "") ?? ""
    // The token that every introduction to JWT shows.
    const shown = /"John Doe"|"1234567890"|supabase-demo/.test(payload) || isEncrypted(match[0])
    report({
      value: match[0],
      kind: "jwt",
      rule: "jwt",
      confidence: shown ? 0.1 : lowered(source, 0.75),
      start,
      end: start + match[0].length
    })
    return start + match[0].length
  }
}

/** A token in base64 once more, as Kubernetes and some clouds keep it. */
const encodedJwt: Detector = {
  literals: ["zxlk"],
  at: (source, start, end, report) => {
    const { text } = source
    if (start > 0 && /\w/.test(text.charAt(start - 1))) return end
    const written = sticky(/ZXlK[\w+/-]{60,8192}={0,2}/y, text, start)?.[0]
    const value = written === undefined ? undefined : decodeBase64(written)
    if (written === undefined || value === undefined || !/^ey[\w-]+\.ey[\w-]+\.[\w-]*$/.test(value)) return end
    report({ value, kind: "jwt", rule: "jwt", confidence: lowered(source, 0.7), start, end: start + written.length })
    return start + written.length
  }
}

/** `scheme://user:password@host`; the user may be missing. */
const afterScheme =
  /:\/\/([^\s:/?#@"'`<>{}\\|,;()$]{0,128}(?:@[\w.-]{1,100})?|\$?\{[\w.]{1,60}\}|\$\w{1,60}):([^\s/"'`<>\\,]{1,256})@(?=[\w[*$%{<.-])/y
const loose = /:\/\/([^\s:/?#"'`<>]{0,128}):([^\s"'`<>]{1,256})@([\w.-]+)/y
const databases =
  /(?:mongodb|postgres|mysql|mariadb|redis|rediss|amqp|amqps|mssql|sqlserver|oracle|jdbc|db2|cockroach|clickhouse|cassandra|neo4j|bolt|couchdb|influx|nats|mqtt|kafka|ldap|ldaps|snowflake|redshift|hive|sqlite|ado|odbc|sybase|firebird|pgsql|rabbitmq)[\w+.:]*$/i

const url: Detector = {
  literals: ["://"],
  at: (source, start, end, report) => {
    const { kind, text } = source
    const match = sticky(kind.name === ".git-credentials" ? loose : afterScheme, text, start)
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

const madeUpHost =
  /^(?:localhost|127\.|0\.0\.0\.0|host|hostname|server|db|example|.*\.example|.*example\.(?:com|org|net)|.*\.(?:test|invalid|local))(?:\.|$|:)?/i

const passwordConfidence = (value: string, base: number): number => {
  if (isWeak(value)) return base - 0.15
  const rare = rarity(value)
  if (rare >= 0.5) return base + 0.2
  if (/^[a-z]+$/i.test(value)) return value.length >= 8 ? base - 0.15 : base - 0.25
  return value.length < 6 ? base - 0.2 : base
}

const decodePercent = (raw: string): string => {
  if (!raw.includes("%")) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}

const credentials =
  /authorization["']?\]?\s*(?:[:=,]|=>|\()\s*(?:[bru]?["'`]|\\")?\s*([a-z][\w-]{1,24})\s+(?:token=\\?["']?)?([\w+/=.~-]{8,4096})/iy
const standalone = /(basic|bearer)\s+([\w+/=.~-]{16,4096})(?=["'`\s\\,;)]|$)/iy

const bare = /authorization["']?\s*:\s*["']?([\w+/=.~-]{20,512})(?=["'`\s\\,;)]|$)/iy

const authorization: Detector = {
  literals: ["authorization", "basic ", "bearer "],
  at: (source, start, end, report) => {
    const { text } = source
    const match = sticky(credentials, text, start) ?? sticky(standalone, text, start)
    if (match === null) {
      const value = sticky(bare, text, start)?.[1]
      if (value === undefined || isPlaceholder(value) || isReference(value) || rarity(value) < 0.5) return end
      const at = text.indexOf(value, start)
      report({
        value,
        kind: "generic-secret",
        rule: "authorization-header",
        confidence: lowered(source, 0.65),
        start: at,
        end: at + value.length
      })
      return at + value.length
    }
    const scheme = (match[1] ?? "").toLowerCase()
    const written = match[2] ?? ""
    const at = start + match[0].lastIndexOf(written)
    const next = at + written.length
    if (scheme === "basic") {
      const password = passwordOf(written)
      if (password !== undefined && !isPlaceholder(password) && !isReference(password)) {
        report({
          value: password,
          kind: "basic-auth",
          rule: "authorization-header",
          confidence: lowered(source, passwordConfidence(password, 0.7)),
          start: at,
          end: next
        })
      }
      return next
    }
    if (!isPlaceholder(written) && !isReference(written) && rarity(written) >= 0.5 && !/^eyJ|^\w+=[^=]/.test(written)) {
      report({
        value: written,
        kind: "generic-secret",
        rule: "authorization-header",
        confidence: lowered(source, 0.75),
        start: at,
        end: next
      })
      return next
    }
    return end
  }
}

/** The password in base64 of `user:password`. */
export const passwordOf = (encoded: string): string | undefined => {
  const decoded = decodeBase64(encoded)
  const colon = decoded?.indexOf(":") ?? -1
  if (decoded === undefined || colon < 0 || !/^[\x20-\x7e]+$/.test(decoded)) return undefined
  const password = decoded.slice(colon + 1)
  return password === "" ? undefined : password
}

/** Programs that take a password among their arguments, and where. The last group is the password. */
const commands: ReadonlyArray<readonly [program: RegExp, argument: RegExp]> = [
  [/\b(?:curl|wget|https?)\b/, /\s(?:-u|--user)[ =]*(["']?)[^\s:"'$]{0,64}:([^\s"']{3,128})\1(?=\s|$)/g],
  [/\bsshpass\b/, /\s-p\s*(["']?)([^\s"']{3,128})\1/g],
  [/\b(?:mysql|mysqldump|mysqladmin|mariadb)\b/, /\s-p(["']?)([^\s"'=-][^\s"']{3,127})\1/g],
  [/\b(?:docker|podman|helm|az|oc|cf|skopeo) .*login\b/, /\s-p[ =](["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\b(?:sqlcmd|bcp|osql)\b/, /\s-P\s*(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bopenssl\b/, /\s-pass(?:in|out)?\s+(["']?)pass:([^\s"']{4,128})\1/g],
  [/\bopenssl enc\b/, /\s-k\s+(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\blftp\b/, /\s-u\s+[^\s,"']{1,64},(["']?)([^\s"'$-][^\s"']{3,127})\1/g],
  [/\bhtpasswd\b/, /\s-\w*b\w*\s(?:.*\s)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*(?:[;&|>].*)?$/g],
  [/\s--password-stdin\b/, /\becho\s+(?:-n\s+)?(["']?)([^\s"'$-][^\s"']{3,127})\1\s*\|/g],
  [/\bredis-cli\b/, /\s-a\s+(["']?)([^\s"'-][^\s"']{3,127})\1/g],
  [/\bConvertTo-SecureString\b/i, /ConvertTo-SecureString\s+(?:-String\s+)?(\\?["'])([^"'\n\\]{3,128})\1/gi]
]

/** Characters before and after the name of a program that are looked at. */
const longestCommand = 2000

const commandLine: Detector = {
  literals: [
    "curl ",
    "wget ",
    "https ",
    "sshpass",
    "mysql ",
    "mysqldump ",
    "mysqladmin ",
    "mariadb ",
    " login",
    "sqlcmd",
    "osql ",
    "redis-cli",
    "openssl ",
    "htpasswd ",
    "lftp ",
    "convertto-securestring"
  ],
  at: (source, start, _end, report) => {
    const { text } = source
    const from = Math.max(source.lineStart(start), start - longestCommand)
    let to = source.lineEnd(start)
    while (text.charAt(to - 1) === "\\" && to < text.length && to - start < longestCommand) to = source.lineEnd(to + 1)
    to = Math.min(to, start + longestCommand)
    const line = text.slice(from, to)
    for (const [program, argument] of commands) {
      if (!program.test(line)) continue
      for (const match of line.matchAll(argument)) {
        const value = match[2] ?? ""
        if (isReference(value) || isPlaceholder(value) || isOrdinary(value)) continue
        const at = from + match.index + match[0].lastIndexOf(value)
        const confidence = lowered(source, passwordConfidence(value, 0.65))
        report({ value, kind: "password", rule: "command-line", confidence, start: at, end: at + value.length })
      }
    }
    return to
  }
}

const identifiedByPattern =
  /identified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?(?:(?:')([^'\n]{3,128})'|((?=[^\s"';\\,()]*\d)(?=[^\s"';\\,()]*[A-Z])[^\s"';\\,()]{8,128}))/iy

/** `CREATE USER … IDENTIFIED BY 'password'`. */
const identifiedBy: Detector = {
  literals: ["identified by", "identified with"],
  at: (source, start, end, report) => {
    const match = sticky(identifiedByPattern, source.text, start)
    const value = match?.[1] ?? match?.[2] ?? ""
    const statement = source.text.slice(Math.max(source.lineStart(start), start - 200), start)
    if (
      match === null ||
      !/\b(?:user|role|grant|alter|set)\b/i.test(statement) ||
      isReference(value) ||
      isPlaceholder(value)
    )
      return end
    const at = start + match[0].lastIndexOf(value)
    const confidence = lowered(source, passwordConfidence(value, 0.7))
    report({ value, kind: "password", rule: "sql-user", confidence, start: at, end: at + value.length })
    return at + value.length
  }
}

const machine = /machine\s+[\w.-]{1,255}\s+login\s+\S{1,128}\s+password\s+([^\s"']{4,128})/iy

/** A line of `.netrc`, wherever it stands. */
const netrc: Detector = {
  literals: ["machine "],
  at: (source, start, end, report) => {
    const match = sticky(machine, source.text, start)
    const value = match?.[1] ?? ""
    if (match === null || isReference(value) || isPlaceholder(value)) return end
    const next = start + match[0].length
    const confidence = lowered(source, passwordConfidence(value, 0.65))
    report({ value, kind: "password", rule: "netrc", confidence, start: next - value.length, end: next })
    return next
  }
}

/** Characters of a user and a password that are looked at. */
const longestPair = 200

/** `user:password@tcp(host:3306)/database`, as Go names a MySQL server. */
const goDataSources: Detector = {
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

const encodedPair =
  /(?:btoa|b64encode|base64_encode|encode64|Buffer\.from|encodeToString)\(\s*[bru]?(["'`])[^\s:"'`]{1,64}:([^\s:"'`$%{]{4,128})\1/iy

/** `btoa("user:password")`: the value of an `Authorization` header in the making. */
const encodedPairs: Detector = {
  literals: ["btoa(", "b64encode(", "base64_encode(", "encode64(", "buffer.from(", "encodetostring("],
  at: (source, start, end, report) => {
    const match = sticky(encodedPair, source.text, start)
    const value = match?.[2] ?? ""
    if (match === null || isReference(value) || isPlaceholder(value) || isOrdinary(value)) return end
    const at = start + match[0].length - 1 - value.length
    const confidence = lowered(source, passwordConfidence(value, 0.65))
    report({ value, kind: "basic-auth", rule: "credential-call", confidence, start: at, end: at + value.length })
    return at + value.length
  }
}

const keyType = /"kty\\?"\s*:\s*\\?"(RSA|EC|OKP|oct)\\?"/y
const privateMember = /(?<![\w])d\\?"\s*:\s*\\?"([\w-]{16,2048})/
const symmetricMember = /(?<![\w])k\\?"\s*:\s*\\?"([\w-]{16,2048})/
/** Characters before and after its type in which the rest of a key is looked for. */
const longestJwk = 4096

/** The private part of a JSON Web Key. */
const jsonWebKey: Detector = {
  literals: ['"kty'],
  at: (source, start, end, report) => {
    const { text } = source
    const type = sticky(keyType, text, start)
    if (type === null) return end
    const from = Math.max(0, start - longestJwk)
    const open = text.slice(from, start).lastIndexOf("{")
    const close = text.slice(start, start + longestJwk).indexOf("}")
    if (open < 0 || close < 0) return end
    const member = (type[1] === "oct" ? symmetricMember : privateMember).exec(text.slice(from + open, start + close))
    const value = member?.[1] ?? ""
    if (member === null || isPlaceholder(value) || rarity(value) < 0.5) return end
    const at = from + open + member.index + member[0].lastIndexOf(value)
    const confidence = source.kind.belowMadeUp ? 0.4 : lowered(source, 0.9)
    report({ value, kind: "private-key", rule: "json-web-key", confidence, start: at, end: at + value.length })
    return end
  }
}

const credentialCall =
  /(?:(?<=get)connection\(\s*[\w.]+\s*,|(?:login|(?<!mysqli?_|real_)connect|connection|pdo|credentials?|basic_?auth|auth\s?=\s?|directoryentry)\()\s*((?:[bru]?["'][^"'\n]{0,200}["']\s*,\s*){1,4})(?:Some\(\s*)?[bru]?["']([^"'\n]{4,64})["']\s*[,)]/iy
/** Server, user, password, and then perhaps the database. */
const mysqlCall =
  /(?:mysqli?(?:_connect)?|real_connect)\(\s*((?:["'][^"'\n]{0,200}["']\s*,\s*){2})["']([^"'\n]{4,64})["']\s*[,)]/iy

/** `smtp.login("somebody", "password")`, `HTTPBasicAuth("somebody", "password")`: the last of such literals can only be that. */
const credentialCalls: Detector = {
  literals: [
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
  at: (source, start, end, report) => {
    const match = sticky(mysqlCall, source.text, start) ?? sticky(credentialCall, source.text, start)
    const value = match?.[2] ?? ""
    if (
      match === null ||
      isPlaceholder(value) ||
      isReference(value) ||
      isOrdinary(value) ||
      /\s/.test(value) ||
      (match[1] ?? "").includes(value)
    )
      return end
    const at = start + match[0].lastIndexOf(value)
    const confidence = passwordConfidence(value, 0.65)
    report({
      value,
      kind: "password",
      rule: "credential-call",
      confidence: lowered(source, /^login/i.test(match[0]) ? Math.max(0.5, confidence) : confidence),
      start: at,
      end: at + value.length
    })
    return at + value.length
  }
}

const hashPattern =
  /(?:\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[156]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|\$argon2(?:id?|d)\$v=\d+\$[\w=,]+\$[A-Za-z0-9+/]{11,}\$[A-Za-z0-9+/]{16,}|\$P\$[./A-Za-z0-9]{31}|\$S\$[./A-Za-z0-9]{52}|\$[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}|\$g?y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{43}|\$(?:scrypt|7)\$[./A-Za-z0-9=,$+]{40,})/y

/** Hashes of passwords, as they stand in password files and database dumps. */
const passwordHash: Detector = {
  literals: [
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
    "$9$"
  ],
  at: (source, start, end, report) => {
    const match = sticky(hashPattern, source.text, start)
    if (match === null) return end
    const { format, name } = source.kind
    const file = /htpasswd|shadow|passwd/.test(name) || format === "sql" || format === "other"
    report({
      value: match[0],
      kind: "password",
      rule: "password-hash",
      confidence: lowered(source, file ? 0.65 : source.kind.settings ? 0.55 : 0.4),
      start,
      end: start + match[0].length
    })
    return start + match[0].length
  }
}

export const structures: ReadonlyArray<Detector> = [
  jwt,
  encodedJwt,
  url,
  authorization,
  commandLine,
  credentialCalls,
  identifiedBy,
  netrc,
  goDataSources,
  encodedPairs,
  jsonWebKey,
  passwordHash
]

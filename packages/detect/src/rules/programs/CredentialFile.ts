/** Finds credentials in files that are known by name and consist of credentials. */
import type { CandidateKind } from "../../Candidate.ts"
import type { Form } from "../../scoring/Evidence.ts"
import { groupsOf } from "../../text/MatchAt.ts"
import { unescape } from "../../text/StringLiteral.ts"
import type { Rule } from "../Rule.ts"

/** The first group of the last expression that matches is the value. */
type CredentialFile = readonly [id: string, path: RegExp, value: RegExp, more?: More]

interface More {
  /** Removes escapes from the value. */
  readonly decode?: (written: string) => string
  /** Default: `generic-secret` for a file with one token, otherwise `password`. */
  readonly kind?: CandidateKind
  /** Default: `credential-file`. */
  readonly form?: Form
}

export const withoutBackslashes = (written: string) => written.replace(/\\(.)/g, "$1")

const files: ReadonlyArray<CredentialFile> = [
  // PostgreSQL 18, section 32.16: a colon and a backslash are escaped with a backslash.
  [
    "pgpass",
    /(?:^|\/)\.?pgpass(?:\.(?:conf|txt))?$/,
    /^(?!#)(?:(?:[^:\\\n]|\\.)+:){4}((?:[^\\\r\n]|\\.)+)\r?$/gm,
    { decode: withoutBackslashes }
  ],
  [
    "curlrc",
    /(?:^|\/)[._]?curlrc$/,
    /^[ \t]*(?:--?)?(?:(?:proxy-)?user|u|U)(?:[ \t]*[=:][ \t]*|[ \t]+)(?:"[^":\n]+:((?:[^"\\\n]|\\.)+)"|[^"\s:]+:(\S+))/gm,
    { decode: withoutBackslashes }
  ],
  [
    "fetchmailrc",
    /(?:^|\/)(?:\.?fetchmailrc|fetchmail\.conf)$/,
    /\bpass(?:word)?\s+(?:is\s+)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|([^\s"']+))/g,
    { decode: withoutBackslashes }
  ],
  ["netrc", /(?:^|\/)[._]netrc$/, /\bpassword\s+"((?:[^"\\]|\\.)+)"/g, { decode: withoutBackslashes }],
  ["sasl-password", /(?:^|\/)sasl[_/]?passwd$/, /^[^#\s]\S*[ \t]+[^\s:]+:(\S+)[ \t]*$/gm],
  // Jetty, also when embedded: roles follow the password.
  [
    "realm",
    /realm\.properties$/,
    /^[\w.@-]{1,64}[ \t]*:[ \t]*(?!(?:MD5|CRYPT|OBF|BCRYPT):)([^\s,]{3,128})[ \t]*(?:,.*)?\r?$/gm
  ],
  ["pgbouncer-users", /(?:^|\/)userlist\.txt$/, /^"[^"\n]+"[ \t]+"(?!md5[\da-f]{32}"|SCRAM-)([^"\n]{3,})"/gm],
  [
    "redis-users",
    /(?:^|\/)(?:[^/]*(?:redis|valkey|keydb)[^/]*\.conf|[\w-]*users\.acl)$/,
    /^user[ \t]+\S+[ \t](?:.*[ \t])?>(\S{3,})/gm
  ],
  [
    "rails-key",
    /(?:^|\/)(?:master|production|development|staging|credentials)\.key$/,
    /^\s*([\da-f]{32})\s*$/g,
    { form: "token-file" }
  ],
  // Excludes a line of a password database, which has more fields, a hash, or a placeholder for one.
  [
    "secret-file",
    /(?:^|\/)\.?(?:secret[_-]?(?:key|token)(?:_base)?|api[_-]?(?:key|token)|access[_-]?token|auth[_-]?token|vault[_-]?(?:pass|password|token)(?:_file)?|vault-token|password|passwd)(?:\.txt)?$|[^/]\.(?:pass(?:word|wd)?|secret|token|api[_-]?key|client[_-]?secret)$/,
    /^(?:#.*\n)*\s*(?![^\s:]+:(?:!?\$|[^\s:]*:|(?:x|[*!]{1,2})?\s*$))([^\s#]\S{7,199})\s*$/g,
    { form: "token-file" }
  ],
  // Home Assistant and ESPHome keep their secrets in this file, under any name.
  [
    "home-secrets",
    /(?:^|\/)secrets\.ya?ml$/,
    /^[\w-]{1,64}:[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'#!&*[{|>][^\s#]{3,}))[ \t]*(?:#.*)?\r?$/gm,
    { decode: withoutBackslashes, kind: "generic-secret", form: "password" }
  ],
  // Every value of this file is kept from the repository, whatever its name.
  [
    "streamlit-secrets",
    /(?:^|\/)\.streamlit\/secrets\.toml$/,
    /^[ \t]*["']?[\w.-]{1,64}["']?[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)')/gm,
    { decode: unescape, kind: "generic-secret", form: "password" }
  ],
  // RubyGems: a key for each host.
  [
    "gem-credentials",
    /(?:^|\/)\.gem\/credentials$/,
    /^:[\w.:/-]{1,100}:[ \t]+["']?([^\s"'#]{8,})/gm,
    { form: "token-file" }
  ],
  [
    "openvpn",
    /vpn[^/]*\/(?:auth|login|pass|credentials?|up)\.(?:txt|conf)$/,
    /^[^\s]{1,128}[ \t]*\r?\n(\S{4,128})\s*$/g
  ],
  [
    "ipsec-secrets",
    /(?:^|\/)ipsec\.secrets$/,
    /:\s*(?:PSK|EAP|XAUTH|NTLM|(?:RSA|ECDSA|PKCS8|PKCS12|P12)\s+\S+)\s+"([^"\n]{4,})"/g
  ],
  ["erlang-cookie", /(?:^|\/)\.erlang\.cookie$/, /^([\w.-]{8,64})\s*$/g, { form: "token-file" }],
  // Deluge writes an access level at the end.
  [
    "rsync-secrets",
    /rsyncd?\.secrets$|smokeping\/\w*secrets[\w.]*$|deluge\/auth$|stunnel\/psk[\w.]*$/,
    /^(?![#;])[^\s:]+:([^\r\n]{4,}?)(?::\d\d?)?\r?$/gm,
    { decode: (written) => written.trimEnd() }
  ],
  ["racoon-psk", /(?:^|\/)psk\.txt$/, /^(?!#)[^\s"]{1,200}[ \t]+(?:"([^"\n]+)"|([^\s"]\S*))[ \t]*\r?$/gm],
  ["hostapd-users", /(?:^|\/)[\w.-]*eap_user$/, /^"[^"\n]{1,200}"[ \t]+[\w,-]{2,60}[ \t]+"([^"\n]{3,128})"/gm],
  ["sasl-password", /(?:^|\/)(?:open)?(?:smtpd|mail)\/secrets$/, /^(?!#)[\w.-]{1,64}[ \t]+[^\s:]{1,128}:(\S{3,})/gm],
  // A proxy on each line: its address, user and password.
  [
    "proxy-user",
    /prox(?:y|ies)[\w.-]*\.(?:txt|lst|list|csv)$/,
    /^[\w.-]{3,100}:\d{2,5}:[\w.-]{1,128}:([^\s:,;]{3,128})[ \t]*\r?$/gm
  ],
  ["exim-client", /(?:^|\/)passwd\.client$/, /^(?!#)[^:\n]{1,200}:[^:\n]{1,200}:(\S{3,})/gm],
  // OSSEC writes the agent's name and address before the key.
  [
    "ntp-keys",
    /(?:^|\/)(?:ntp|chrony|client)\.keys$/,
    /^[ \t]*\d{1,5}[ \t]+\S{1,64}[ \t]+(?:(?:any|[\d.:/]{3,40})[ \t]+)?(?:ASCII:|HEX:)?([^\s#]{4,})/gm
  ],
  ["monit", /(?:^|\/)\.?monitrc$/, /^[ \t]*allow[ \t]+"?[\w.-]{1,64}"?:"?([^\s"]{3,})/gm],
  // A value that begins with 0x is a hash.
  ["coturn", /(?:^|\/)(?:co)?turn(?:server|users?)?(?:[._-][^/]*)?\.conf$/, /^user=[^\s:]{1,64}:(?!0x)(\S{3,128})/gm],
  // Nagios macros; those that hold the path of plug-ins are excluded.
  ["nagios-resource", /(?:^|\/)resource\.cfg$/, /^\$USER\d{1,3}\$=([^\s/]\S{3,})/gm, { form: "login" }],
  // mount.cifs(8): the password is the rest of the line.
  [
    "cifs",
    /(?:^|\/)\.?(?:smb|cifs|samba)[\w-]*(?:\.|[_-]?)(?:cred(?:ential)?s?|secrets?)$/,
    /^[ \t]*password=(\S[^\r\n]{2,127})/gm
  ],
  // NetworkManager: a key file escapes blanks and backslashes.
  [
    "network-manager",
    /\.nmconnection$/,
    /^(?:pin|[\w-]*(?:secret|passw|psk|wep-key)[\w-]*)=(?!\d$)([^\r\n]{3,255})/gim,
    { decode: (written) => written.replace(/\\(.)/g, (_, sign: string) => (sign === "s" ? " " : sign)) }
  ],
  // A line consists of client, server and secret; each may be quoted.
  [
    "ppp-secrets",
    /(?:chap|pap|srp|l2tp)-secrets$|davfs2\/secrets$/,
    /^(?!#)(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"']{1,200})[ \t]+){2}(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'#]\S+))/gm,
    { decode: withoutBackslashes }
  ]
]

export const credentialFiles: ReadonlyArray<Rule> = files.map(([id, path, pattern, more = {}]) => {
  const { decode = (written: string) => written, form = "credential-file" } = more
  const { kind = form === "token-file" ? "generic-secret" : "password" } = more
  const entry = new RegExp(pattern, `${pattern.flags}d`)
  return {
    id,
    keywords: [],
    path,
    find: (source, _start, end, report) => {
      for (const match of source.text.matchAll(entry)) {
        const [value] = groupsOf(match)
        if (value !== undefined)
          report({ form, value: decode(source.text.slice(value.start, value.end)), kind, ...value })
      }
      return end
    }
  }
})

/** Finds credentials in files that are known by name and consist of credentials. */
import type { CandidateKind } from "../../Candidate.ts"
import type { Form } from "../../scoring/Evidence.ts"
import { unescape } from "../../text/StringLiteral.ts"
import type { Rule } from "../Rule.ts"

interface CredentialFile {
  readonly id: string
  readonly path: RegExp
  /** The first group that matches is the value. */
  readonly value: RegExp
  /** Removes escapes from the value. */
  readonly decode?: (written: string) => string
  /** Default: `generic-secret` for a file with one token, otherwise `password`. */
  readonly kind?: CandidateKind
  /** Default: `credential-file`. */
  readonly form?: Form
}

export const withoutBackslashes = (written: string) => written.replace(/\\(.)/g, "$1")

const files: ReadonlyArray<CredentialFile> = [
  {
    id: "pgpass",
    path: /(?:^|\/)\.?pgpass(?:\.(?:conf|txt))?$/,
    // PostgreSQL 18, section 32.16: a colon and a backslash are escaped with a backslash.
    value: /^(?!#)(?:(?:[^:\\\n]|\\.)+:){4}((?:[^\\\r\n]|\\.)+)\r?$/gm,
    decode: withoutBackslashes
  },
  {
    id: "curlrc",
    path: /(?:^|\/)[._]?curlrc$/,
    value:
      /^[ \t]*(?:--?)?(?:(?:proxy-)?user|u|U)(?:[ \t]*[=:][ \t]*|[ \t]+)(?:"[^":\n]+:((?:[^"\\\n]|\\.)+)"|[^"\s:]+:(\S+))/gm,
    decode: withoutBackslashes
  },
  {
    id: "fetchmailrc",
    path: /(?:^|\/)(?:\.?fetchmailrc|fetchmail\.conf)$/,
    value: /\bpass(?:word)?\s+(?:is\s+)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|([^\s"']+))/g,
    decode: withoutBackslashes
  },
  {
    id: "netrc",
    path: /(?:^|\/)[._]netrc$/,
    value: /\bpassword\s+"((?:[^"\\]|\\.)+)"/g,
    decode: withoutBackslashes
  },
  {
    id: "sasl-password",
    path: /(?:^|\/)sasl[_/]?passwd$/,
    value: /^[^#\s]\S*[ \t]+[^\s:]+:(\S+)[ \t]*$/gm
  },
  // Jetty, also when embedded: roles follow the password.
  {
    id: "realm",
    path: /realm\.properties$/,
    value: /^[\w.@-]{1,64}[ \t]*:[ \t]*(?!(?:MD5|CRYPT|OBF|BCRYPT):)([^\s,]{3,128})[ \t]*(?:,.*)?\r?$/gm
  },
  {
    id: "pgbouncer-users",
    path: /(?:^|\/)userlist\.txt$/,
    value: /^"[^"\n]+"[ \t]+"(?!md5[\da-f]{32}"|SCRAM-)([^"\n]{3,})"/gm
  },
  {
    id: "redis-users",
    path: /(?:^|\/)(?:[^/]*(?:redis|valkey|keydb)[^/]*\.conf|[\w-]*users\.acl)$/,
    value: /^user[ \t]+\S+[ \t](?:.*[ \t])?>(\S{3,})/gm
  },
  {
    id: "rails-key",
    path: /(?:^|\/)(?:master|production|development|staging|credentials)\.key$/,
    value: /^\s*([\da-f]{32})\s*$/g,
    form: "token-file"
  },
  {
    id: "secret-file",
    path: /(?:^|\/)\.?(?:secret[_-]?(?:key|token)(?:_base)?|api[_-]?(?:key|token)|access[_-]?token|auth[_-]?token|vault[_-]?(?:pass|password|token)(?:_file)?|vault-token|password|passwd)(?:\.txt)?$|[^/]\.(?:pass(?:word|wd)?|secret|token|api[_-]?key|client[_-]?secret)$/,
    // Excludes a line of a password database, which has more fields, a hash, or a placeholder for one.
    value: /^(?:#.*\n)*\s*(?![^\s:]+:(?:!?\$|[^\s:]*:|(?:x|[*!]{1,2})?\s*$))([^\s#]\S{7,199})\s*$/g,
    form: "token-file"
  },
  // Home Assistant and ESPHome keep their secrets in this file, under any name.
  {
    id: "home-secrets",
    path: /(?:^|\/)secrets\.ya?ml$/,
    value: /^[\w-]{1,64}:[ \t]+(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'#!&*[{|>][^\s#]{3,}))[ \t]*(?:#.*)?\r?$/gm,
    decode: withoutBackslashes,
    kind: "generic-secret",
    form: "password"
  },
  // Every value of this file is kept from the repository, whatever its name.
  {
    id: "streamlit-secrets",
    path: /(?:^|\/)\.streamlit\/secrets\.toml$/,
    value: /^[ \t]*["']?[\w.-]{1,64}["']?[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)')/gm,
    decode: unescape,
    kind: "generic-secret",
    form: "password"
  },
  // RubyGems: a key for each host.
  {
    id: "gem-credentials",
    path: /(?:^|\/)\.gem\/credentials$/,
    value: /^:[\w.:/-]{1,100}:[ \t]+["']?([^\s"'#]{8,})/gm,
    form: "token-file"
  },
  {
    id: "openvpn",
    path: /vpn[^/]*\/(?:auth|login|pass|credentials?|up)\.(?:txt|conf)$/,
    value: /^[^\s]{1,128}[ \t]*\r?\n(\S{4,128})\s*$/g
  },
  {
    id: "ipsec-secrets",
    path: /(?:^|\/)ipsec\.secrets$/,
    value: /:\s*(?:PSK|EAP|XAUTH|NTLM|(?:RSA|ECDSA|PKCS8|PKCS12|P12)\s+\S+)\s+"([^"\n]{4,})"/g
  },
  {
    id: "erlang-cookie",
    path: /(?:^|\/)\.erlang\.cookie$/,
    value: /^([\w.-]{8,64})\s*$/g,
    form: "token-file"
  },
  {
    id: "rsync-secrets",
    path: /rsyncd?\.secrets$|smokeping\/\w*secrets[\w.]*$|deluge\/auth$|stunnel\/psk[\w.]*$/,
    // Deluge writes an access level at the end.
    value: /^(?![#;])[^\s:]+:([^\r\n]{4,}?)(?::\d\d?)?\r?$/gm,
    decode: (written) => written.trimEnd()
  },
  {
    id: "racoon-psk",
    path: /(?:^|\/)psk\.txt$/,
    value: /^(?!#)[^\s"]{1,200}[ \t]+(?:"([^"\n]+)"|([^\s"]\S*))[ \t]*\r?$/gm
  },
  {
    id: "exim-client",
    path: /(?:^|\/)passwd\.client$/,
    value: /^(?!#)[^:\n]{1,200}:[^:\n]{1,200}:(\S{3,})/gm
  },
  {
    id: "ntp-keys",
    path: /(?:^|\/)(?:ntp|chrony|client)\.keys$/,
    // OSSEC writes the agent's name and address before the key.
    value: /^[ \t]*\d{1,5}[ \t]+\S{1,64}[ \t]+(?:(?:any|[\d.:/]{3,40})[ \t]+)?(?:ASCII:|HEX:)?([^\s#]{4,})/gm
  },
  {
    id: "monit",
    path: /(?:^|\/)\.?monitrc$/,
    value: /^[ \t]*allow[ \t]+"?[\w.-]{1,64}"?:"?([^\s"]{3,})/gm
  },
  {
    id: "coturn",
    path: /(?:^|\/)(?:co)?turn(?:server|users?)?(?:[._-][^/]*)?\.conf$/,
    // A value that begins with 0x is a hash.
    value: /^user=[^\s:]{1,64}:(?!0x)(\S{3,128})/gm
  },
  // Nagios macros; those that hold the path of plug-ins are excluded.
  {
    id: "nagios-resource",
    path: /(?:^|\/)resource\.cfg$/,
    value: /^\$USER\d{1,3}\$=([^\s/]\S{3,})/gm,
    form: "login"
  },
  // mount.cifs(8): the password is the rest of the line.
  {
    id: "cifs",
    path: /(?:^|\/)\.?(?:smb|cifs|samba)[\w-]*(?:\.|[_-]?)(?:cred(?:ential)?s?|secrets?)$/,
    value: /^[ \t]*password=(\S[^\r\n]{2,127})/gm
  },
  // NetworkManager: a key file escapes blanks and backslashes.
  {
    id: "network-manager",
    path: /\.nmconnection$/,
    value: /^(?:pin|[\w-]*(?:secret|passw|psk|wep-key)[\w-]*)=(?!\d$)([^\r\n]{3,255})/gim,
    decode: (written) => written.replace(/\\(.)/g, (_, sign: string) => (sign === "s" ? " " : sign))
  },
  // A line consists of client, server and secret; each may be quoted.
  {
    id: "ppp-secrets",
    path: /(?:chap|pap|srp|l2tp)-secrets$|davfs2\/secrets$/,
    value:
      /^(?!#)(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"']{1,200})[ \t]+){2}(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'#]\S+))/gm,
    decode: withoutBackslashes
  }
]

export const credentialFiles: ReadonlyArray<Rule> = files.map(
  ({
    decode = (written) => written,
    form = "credential-file",
    id,
    kind = form === "token-file" ? "generic-secret" : "password",
    path,
    value: pattern
  }) => ({
    id,
    keywords: [],
    path,
    find: (source, _start, end, report) => {
      for (const match of source.text.matchAll(pattern)) {
        const written = match.slice(1).find((group) => group !== undefined) ?? ""
        const start = match.index + match[0].lastIndexOf(written)
        report({ form, value: decode(written), kind, start, end: start + written.length })
      }
      return end
    }
  })
)

/** Files whose every line, or whose whole content, is a credential, known by their names. */
import type { CandidateKind } from "../../Candidate.ts"
import type { Form } from "../../scoring/Evidence.ts"
import type { Rule } from "../Rule.ts"

interface CredentialFile {
  readonly id: string
  readonly path: RegExp
  /** The first group that matches is the value. */
  readonly value: RegExp
  /** Gives the secret itself, where it is written with escapes. */
  readonly decode?: (written: string) => string
  readonly kind: CandidateKind
  readonly form: Form
}

const withoutBackslashes = (written: string) => written.replace(/\\(.)/g, "$1")

const files: ReadonlyArray<CredentialFile> = [
  {
    id: "pgpass",
    path: /(?:^|\/)\.?pgpass(?:\.(?:conf|txt))?$/,
    // PostgreSQL 18, section 32.16: a colon and a backslash are escaped with a backslash.
    value: /^(?!#)(?:(?:[^:\\\n]|\\.)+:){4}((?:[^\\\r\n]|\\.)+)\r?$/gm,
    decode: withoutBackslashes,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "curlrc",
    path: /(?:^|\/)[._]?curlrc$/,
    value:
      /^[ \t]*(?:--?)?(?:(?:proxy-)?user|u|U)(?:[ \t]*[=:][ \t]*|[ \t]+)(?:"[^":\n]+:((?:[^"\\\n]|\\.)+)"|[^"\s:]+:(\S+))/gm,
    decode: withoutBackslashes,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "fetchmailrc",
    path: /(?:^|\/)(?:\.?fetchmailrc|fetchmail\.conf)$/,
    value: /\bpass(?:word)?\s+(?:is\s+)?(?:"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|([^\s"']+))/g,
    decode: withoutBackslashes,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "netrc",
    path: /(?:^|\/)[._]netrc$/,
    value: /\bpassword\s+"((?:[^"\\]|\\.)+)"/g,
    decode: withoutBackslashes,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "sasl-password",
    path: /(?:^|\/)sasl[_/]?passwd$/,
    value: /^[^#\s]\S*[ \t]+[^\s:]+:(\S+)[ \t]*$/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "pgbouncer-users",
    path: /(?:^|\/)userlist\.txt$/,
    value: /^"[^"\n]+"[ \t]+"(?!md5[\da-f]{32}"|SCRAM-)([^"\n]{3,})"/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "redis-users",
    path: /(?:^|\/)(?:[^/]*(?:redis|valkey|keydb)[^/]*\.conf|users\.acl)$/,
    value: /^user[ \t]+\S+[ \t](?:.*[ \t])?>(\S{3,})/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "rails-key",
    path: /(?:^|\/)(?:master|production|development|staging|credentials)\.key$/,
    value: /^\s*([\da-f]{32})\s*$/g,
    kind: "generic-secret",
    form: "token-file"
  },
  {
    id: "secret-file",
    path: /(?:^|\/)\.?(?:secret[_-]?(?:key|token)(?:_base)?|api[_-]?(?:key|token)|access[_-]?token|auth[_-]?token|vault[_-]?(?:pass|password|token)(?:_file)?|vault-token|password|passwd)(?:\.txt)?$|[^/]\.(?:password|passwd|secret|token|api[_-]?key|client[_-]?secret)$/,
    value: /^(?:#.*\n)*\s*([^\s#]\S{7,199})\s*$/g,
    kind: "generic-secret",
    form: "token-file"
  },
  {
    id: "ipsec-secrets",
    path: /(?:^|\/)ipsec\.secrets$/,
    value: /:\s*(?:PSK|EAP|XAUTH|NTLM|(?:RSA|ECDSA|PKCS8|PKCS12|P12)\s+\S+)\s+"([^"\n]{4,})"/g,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "erlang-cookie",
    path: /(?:^|\/)\.erlang\.cookie$/,
    value: /^([A-Z\d]{15,40})\s*$/g,
    kind: "generic-secret",
    form: "token-file"
  },
  {
    id: "rsync-secrets",
    path: /rsyncd?\.secrets$/,
    value: /^(?![#;])[^\s:]+:([^\r\n]{4,})$/gm,
    decode: (written) => written.trimEnd(),
    kind: "password",
    form: "credential-file"
  },
  {
    id: "racoon-psk",
    path: /(?:^|\/)psk\.txt$/,
    value: /^(?!#)[^\s"]{1,200}[ \t]+(?:"([^"\n]+)"|([^\s"]\S*))[ \t]*\r?$/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "exim-client",
    path: /(?:^|\/)passwd\.client$/,
    value: /^(?!#)[^:\n]{1,200}:[^:\n]{1,200}:(\S{3,})/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "ntp-keys",
    path: /(?:^|\/)(?:ntp|chrony)\.keys$/,
    value: /^[ \t]*\d{1,5}[ \t]+\w{1,20}[ \t]+(?:ASCII:|HEX:)?([^\s#]{4,})/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "monit",
    path: /(?:^|\/)\.?monitrc$/,
    value: /^[ \t]*allow[ \t]+"?[\w.-]{1,64}"?:"?([^\s"]{3,})/gm,
    kind: "password",
    form: "credential-file"
  },
  {
    id: "coturn",
    path: /(?:^|\/)turn(?:server|users?)[^/]*\.conf$/,
    // A key begins with 0x: it is a hash.
    value: /^user=[^\s:]{1,64}:(?!0x)(\S{3,128})/gm,
    kind: "password",
    form: "credential-file"
  },
  // The value of a macro. Some macros hold the path of plug-ins.
  {
    id: "nagios-resource",
    path: /(?:^|\/)resource\.cfg$/,
    value: /^\$USER\d{1,3}\$=([^\s/]\S{3,})/gm,
    kind: "password",
    form: "login"
  },
  // A line has the client, the server and the secret; each is a word or is quoted.
  {
    id: "ppp-secrets",
    path: /(?:chap|pap|srp)-secrets$/,
    value:
      /^(?!#)(?:(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"']{1,200})[ \t]+){2}(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|([^\s"'#]\S+))/gm,
    decode: withoutBackslashes,
    kind: "password",
    form: "credential-file"
  }
]

export const credentialFiles: ReadonlyArray<Rule> = files.map(
  ({ decode = (written) => written, form, id, kind, path, value: pattern }) => ({
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

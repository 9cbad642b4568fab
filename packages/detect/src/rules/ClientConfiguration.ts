/** Credentials in the configuration of clients, servers and devices. The words of each form identify it, whatever the file. */
import type { CandidateKind } from "../Candidate.ts"
import { randomness } from "../scoring/Randomness.ts"
import type { Form } from "../scoring/Evidence.ts"
import { matchAt } from "../text/MatchAt.ts"
import { unescape, unescapeXml } from "../text/StringLiteral.ts"
import type { Rule } from "./Rule.ts"

interface Configuration {
  readonly id: string
  readonly keywords: ReadonlyArray<string>
  /** Sticky, from the keyword on. Each group that matches is a value. */
  readonly values: RegExp
  /** The expression that must precede the keyword on its line. */
  readonly before?: RegExp
  /** Gives the secret itself, where it is written with escapes. */
  readonly decode?: (written: string) => string
  readonly kind?: CandidateKind
  readonly form?: Form
}

const configurations: ReadonlyArray<Configuration> = [
  // HAProxy 3.2, sections "stats auth" and "userlist".
  { id: "haproxy", keywords: ["stats auth "], values: /stats auth[ \t]+[^\s:]{1,64}:(\S{3,128})/iy },
  { id: "haproxy", keywords: ["insecure-password "], values: /insecure-password[ \t]+(\S{3,128})/iy },
  // snmpd.conf(5)
  {
    id: "snmpd",
    keywords: ["createuser "],
    values:
      /createUser[ \t]+(?:-e[ \t]+\S{1,80}[ \t]+)?\S{1,64}[ \t]+(?:MD5|SHA(?:-?\d{3})?)[ \t]+(?:"([^"\n]{8,128})"|([^\s"]{8,128}))(?:[ \t]+(?:DES|AES(?:-?\d{3})?)[ \t]+(?:"([^"\n]{8,128})"|([^\s"]{8,128})))?/iy
  },
  {
    id: "snmpd",
    keywords: ["rocommunity", "rwcommunity"],
    values: /r[ow]community6?[ \t]+([^\s"'<$]{4,64})/iy,
    before: /^[ \t]*$/
  },
  // Cisco IOS: types 0 and 7 are in clear or reversible.
  {
    id: "network-device",
    keywords: ["secret 0 "],
    values: /secret 0[ \t]+([^\s"']{4,128})/iy,
    before: /\busername[ \t]/i
  },
  {
    id: "network-device",
    keywords: ["radius-server host ", "tacacs-server host "],
    values:
      /(?:radius|tacacs)-server host[ \t]+\S{1,64}(?:[ \t]+(?!key\b)[\w-]{1,32}){0,8}[ \t]+key[ \t]+(?:[07][ \t]+)?([^\s"']{4,128})/iy
  },
  // Junos, as `set` commands and in braces.
  {
    id: "network-device",
    keywords: ["tacplus-server ", "radius-server "],
    values:
      /(?:tacplus|radius)-server[ \t]+[\w.:-]{1,64}[ \t]+(?:\{[^{}]{0,400}?)?secret[ \t]+(?:"([^"\n]{4,128})"|([^\s"';]{4,128}))/iy
  },
  // Events API v2 of PagerDuty, in Alertmanager and Terraform.
  {
    id: "pagerduty-key",
    keywords: ["routing_key", "service_key", "integration_key"],
    values: /(?:routing|service|integration)_key"?[ \t]*[:=][ \t]*["']?([\da-f]{32})(?=["'\s,]|$)/iy,
    form: "token",
    kind: "generic-secret"
  },
  // KeePass 2, exported as XML.
  {
    id: "keepass",
    keywords: ["<key>password</key>"],
    values: /<Key>Password<\/Key>\s{0,80}<Value[^<>]{0,80}>([^<]{3,512})<\/Value>/iy,
    decode: unescapeXml
  },
  // The key ring of ASP.NET Core's Data Protection.
  {
    id: "data-protection-key",
    keywords: ["in an unencrypted form"],
    values: /in an unencrypted form[^<>]{0,40}-->\s{0,80}<value>([\w+/]{40,512}={0,2})<\/value>/iy,
    form: "token",
    kind: "generic-secret"
  },
  // Without a password, the algorithm of key derivation is two zero bytes.
  {
    id: "private-key",
    keywords: ["rwqaaeiy"],
    values: /(RWQAAEIy[\w+/]{180,260}={0,2})/y,
    form: "private-key",
    kind: "private-key"
  },
  // The passwd-file of Dovecot, and its schemes in other databases.
  {
    id: "dovecot",
    keywords: ["{plain}", "{clear}", "{cleartext}"],
    values: /\{(?:PLAIN|CLEAR|CLEARTEXT)\}([^:\s"'<]{3,128})/iy
  },
  // auth.json of Composer: a token for each host.
  {
    id: "composer-auth",
    keywords: ['"bearer"', '"github-oauth"', '"gitlab-oauth"', '"gitlab-token"'],
    values:
      /"(?:bearer|github-oauth|gitlab-oauth|gitlab-token)"\s{0,20}:\s{0,20}\{\s{0,40}"[\w.:-]{1,100}"\s{0,20}:\s{0,20}"([^"\s]{8,256})"(?:\s{0,20},\s{0,40}"[\w.:-]{1,100}"\s{0,20}:\s{0,20}"([^"\s]{8,256})")?/y,
    form: "token",
    kind: "generic-secret"
  },
  // The resource random_password in the state of Terraform and OpenTofu.
  {
    id: "terraform-state",
    keywords: ['"random_password"'],
    values: /"random_password"[^]{0,2000}?"result"\s{0,20}:\s{0,20}"((?:[^"\\\n]|\\.){3,256})"/y,
    decode: unescape
  },
  // Its outputs, and those of `terraform output -json`.
  {
    id: "terraform-state",
    keywords: ['"sensitive":'],
    values:
      /"sensitive":\s{0,20}true(?:\s{0,20},\s{0,40}"type"\s{0,20}:\s{0,20}"string")?\s{0,20},\s{0,40}"value"\s{0,20}:\s{0,20}"((?:[^"\\\n]|\\.){3,256})"/y,
    decode: unescape
  },
  {
    id: "terraform-state",
    keywords: ['"value":'],
    values:
      /"value":\s{0,20}"((?:[^"\\\n]|\\.){3,256})"\s{0,20},\s{0,40}(?:"type"\s{0,20}:\s{0,20}"string"\s{0,20},\s{0,40})?"sensitive"\s{0,20}:\s{0,20}true/y,
    decode: unescape
  }
]

export const clientConfigurations: ReadonlyArray<Rule> = configurations.map(
  ({ before, decode = (written) => written, form = "login", id, keywords, kind = "password", values }) => ({
    id,
    keywords,
    find: (source, start, end, report) => {
      const lineStart = source.lineStart(start)
      if (
        before !== undefined &&
        !(start - lineStart <= maxCommand && before.test(source.text.slice(lineStart, start)))
      ) {
        return end
      }
      const match = matchAt(values, source.text, start)
      if (match === null) return end
      let from = start
      for (const written of match.slice(1)) {
        if (written === undefined) continue
        const at = source.text.indexOf(written, from)
        from = at + written.length
        report({ form, value: decode(written), kind, name: id, start: at, end: from })
      }
      return from
    }
  })
)

/** Characters of a command before its password. */
const maxCommand = 200

/** A line of a cookie file of Netscape's format, as curl writes it. */
export const cookieFiles: Rule = {
  id: "session-cookie",
  keywords: ["\ttrue\t", "\tfalse\t"],
  find: (source, start, end, report) => {
    const lineStart = source.lineStart(start)
    const match = start - lineStart > maxCommand ? null : matchAt(cookieLine, source.text, lineStart)
    const [line = "", name = "", value = ""] = match ?? []
    if (match === null) return end
    const next = lineStart + line.length
    if (isSession(name, value)) {
      report({ form: "header", value, kind: "generic-secret", name, start: next - value.length, end: next })
    }
    return next
  }
}

/** `{ "name": …, "value": … }` of a cookie: the storage state of Playwright, HAR 1.2, and the exports of browsers. */
export const cookieObjects: Rule = {
  id: "session-cookie",
  keywords: ['"value":'],
  find: (source, start, end, report) => {
    const { text } = source
    const name = cookieName.exec(text.slice(Math.max(0, start - 120), start))?.[1]
    const written = name === undefined ? undefined : matchAt(cookieValue, text, end)?.[1]
    if (name === undefined || written === undefined) return end
    const value = unescape(written)
    if (!isSession(name, value)) return end
    const at = text.indexOf(written, end)
    report({ form: "header", value, kind: "generic-secret", name, start: at, end: at + written.length })
    return at + written.length
  }
}

const cookieLine =
  /(?:#HttpOnly_)?[\w.:-]{1,253}\t(?:TRUE|FALSE)\t\/[^\t\r\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,20}\t([^\t\r\n]{1,128})\t([^\t\r\n]{16,4096})/iy
const cookieName = /"name"\s{0,10}:\s{0,10}"([\w.-]{1,60})"\s{0,10},\s{0,40}$/
const cookieValue = /\s{0,10}"((?:[^"\\\s]|\\.){16,4096})"/y

/** The name and the value of a cookie that gives access to an account. */
export const isSession = (name: string, value: string): boolean =>
  ofSession.test(name) && !/^(?:eyJ|\d+$)/.test(value) && randomness(value) >= 0.5

const ofSession = /sess(?:ion)?(?:[._-]?id)?$|^(?:connect\.)?sid$|remember(?:_me)?_token|auth(?:_?token)?$/i

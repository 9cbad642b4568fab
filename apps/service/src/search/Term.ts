/**
 * Terms: exact values that documents are found by, in a normal form. Credentials and events share these rules.
 *
 * In an index a term is a token that equals no word: the letter z and the start of a digest. Secrets are digested under a
 * key, so the index never reveals them.
 */
import { hash } from "node:crypto"
import { isIPv4, isIPv6 } from "node:net"
import { domainToASCII } from "node:url"

export const termKinds = [
  "domain",
  "email",
  "username",
  "ip",
  "bin",
  "github_repository",
  "azure_tenant",
  "secret",
  "credentials",
  "type",
  "severity"
] as const
export type TermKind = (typeof termKinds)[number]

export interface Term {
  readonly kind: TermKind
  /** In its normal form. In clear for `secret` and `credentials` too: never store or print it. */
  readonly value: string
}

/** Digests under a key. `purpose` keeps equal values of two kinds apart. */
export interface BlindIndex {
  readonly blindIndex: (purpose: string, value: string) => Uint8Array
}

/** Identifies a term within this process. */
export const termKey = ({ kind, value }: Term): string => `${kind}\0${value}`

/** A token that every document contains: full-text indexes have no query for all documents. */
export const everyToken = "zall"

/** The token of a term in an index. */
export const tokenOf = (blindIndex: BlindIndex, { kind, value }: Term): string =>
  kind === "secret" || kind === "credentials"
    ? `z${Buffer.from(blindIndex.blindIndex(`event/${kind}`, value)).toString("hex")}`
    : `z${hash("sha256", `${kind}\0${value}`, "hex").slice(0, 32)}`

/** A host name in lower case and Punycode, without a trailing dot; undefined where the text is no host name. */
export const hostOf = (text: string): string | undefined => {
  // Most are in this form already.
  if (text.length <= maxHostLength && asciiHost.test(text)) return text
  const plain = text.trim().replace(/\.$/, "").toLowerCase()
  if (plain.length > maxHostLength) return undefined
  const host = asciiHost.test(plain) ? plain : domainToASCII(plain)
  return host.length <= maxHostLength && asciiHost.test(host) ? host : undefined
}

/** `a.b.example.com` gives itself and every domain it belongs to, down to two labels. */
export const domainsOf = (host: string): ReadonlyArray<string> => {
  const labels = host.split(".")
  const domains = [host]
  for (let first = 1; first < labels.length - 1; first += 1) domains.push(labels.slice(first).join("."))
  return domains
}

export const emailOf = (text: string): string | undefined => {
  const at = text.lastIndexOf("@")
  const host = at > 0 ? hostOf(text.slice(at + 1)) : undefined
  return host === undefined ? undefined : `${text.slice(0, at).trim().normalize("NFC").toLowerCase()}@${host}`
}

/** Without case and without a leading at sign. */
export const usernameOf = (text: string): string => text.trim().replace(/^@/, "").normalize("NFC").toLowerCase()

/** IPv4 unchanged, IPv6 in its shortest form; an IPv4-mapped IPv6 address becomes the IPv4 address. */
export const ipOf = (text: string): string | undefined => {
  const plain = text.trim().replace(/^\[(.*)\]$/, "$1")
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain) || plain.includes("%")) return undefined
  const short = new URL(`http://[${plain}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short)
  if (mapped === null) return short
  return mapped
    .slice(1)
    .flatMap((part) => {
      const bits = Number.parseInt(part, 16)
      return [bits >> 8, bits & 255]
    })
    .join(".")
}

/** Five to eight digits, without separators. */
export const binOf = (text: string): string | undefined => {
  const digits = text.replaceAll(/[\s-]/g, "")
  return /^\d{5,8}$/.test(digits) ? digits : undefined
}

export const repositoryOf = (owner: string, name: string): string =>
  `${owner.trim()}/${name.trim().replace(/\.git$/i, "")}`.toLowerCase()

export const azureTenantOf = (text: string): string | undefined => {
  const plain = text.trim().toLowerCase()
  return uuidPattern.test(plain) ? plain : undefined
}

/** An account, without case, and its password. */
export const pairOf = (username: string, password: string): string => `${usernameOf(username)}\0${password}`

const maxHostLength = 253
const asciiHost = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

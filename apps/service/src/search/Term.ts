/**
 * Exact values in a normal form, by which documents are found. In an index, a term is a token that equals no word: the
 * letter z and the beginning of a digest, keyed for secrets, so the index does not reveal them.
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
  /** The normal form of the value. In clear also for `secret` and `credentials`: never store or print it. */
  readonly value: string
}

/** Computes keyed digests. `purpose` separates equal values of different kinds. */
export interface BlindIndex {
  readonly blindIndex: (purpose: string, value: string) => Uint8Array
}

export const termKey = ({ kind, value }: Term): string => `${kind}\0${value}`

/** A token that every document contains: full-text indexes have no query for all documents. */
export const everyToken = "zall"

export const tokenOf = (blindIndex: BlindIndex, { kind, value }: Term): string =>
  kind === "secret" || kind === "credentials"
    ? `z${Buffer.from(blindIndex.blindIndex(`event/${kind}`, value)).toString("hex")}`
    : `z${hash("sha256", `${kind}\0${value}`, "hex").slice(0, 32)}`

/** A host name in lower case and Punycode, without a trailing dot; undefined if the text is not a host name. */
export const hostOf = (text: string): string | undefined => {
  // Fast path: most host names are already in this form.
  if (text.length <= maxHostLength && asciiHost.test(text)) return text
  const plain = text.trim().replace(/\.$/, "").toLowerCase()
  if (plain.length > maxHostLength) return undefined
  const host = asciiHost.test(plain) ? plain : domainToASCII(plain)
  return host.length <= maxHostLength && asciiHost.test(host) ? host : undefined
}

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

/** The user name in lower case, without a leading at sign. */
export const usernameOf = (text: string): string => text.trim().replace(/^@/, "").normalize("NFC").toLowerCase()

/** IPv4 unchanged, IPv6 in its shortest form. An IPv4-mapped IPv6 address becomes the IPv4 address. */
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

/** Five to eight digits, without separators; undefined for any other text. */
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

/** The normal form of an account and its password. The account is in lower case. */
export const pairOf = (username: string, password: string): string => `${usernameOf(username)}\0${password}`

const maxHostLength = 253
const asciiHost = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

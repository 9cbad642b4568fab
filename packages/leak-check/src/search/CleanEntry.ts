/** An entry of the cache of clean targets. Without Effect: the hook of a coding agent must start soon. */
import { hkdf } from "@noble/hashes/hkdf.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { DomainTarget } from "../target/Target.ts"

export interface CleanEntry {
  /** A keyed hash of the target. */
  readonly name: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The lowest severity that was asked for. */
  readonly minSeverity: Severity
  /** For domains: how far back was asked for, in milliseconds since 1970. */
  readonly since?: number
  /** A keyed hash of the other members. */
  readonly tag: string
}

export const cleanVersion = 2

/** Whether it has not expired, after seven days. */
export const isCurrent = ({ at }: Pick<CleanEntry, "at">, now: number): boolean => at <= now && now - at < 604_800_000

/** `key` is the token of the service, or the API key where tokens are renewed. */
export const keyedHashes = (key: string) => {
  const hashKey = hkdf(sha256, utf8ToBytes(key), undefined, utf8ToBytes("threat-exposure leak-check cache"), 32)
  const keyedHash = (text: string) => bytesToHex(hmac(sha256, hashKey, utf8ToBytes(text))).slice(0, 32)
  return {
    valueName: (value: string) => keyedHash(`value\0${value}`),
    domainName: ({ domain, searchedBy }: DomainTarget) =>
      keyedHash(`${searchedBy === "login" ? "login" : "domain"}\0${domain}`),
    /** Without it, anybody who can write the file could renew an entry, or make it count for a search with a wider scope. */
    tagOf: ({ at, minSeverity, name, since }: Omit<CleanEntry, "tag">) =>
      keyedHash(`entry\0${name}\0${at}\0${minSeverity}\0${since ?? ""}`)
  }
}

/**
 * An entry of the cache of clean targets. Does not import Effect, because the hook of a coding agent must start fast.
 */
import { hkdf } from "@noble/hashes/hkdf.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Severity } from "@threat-exposure/core/domain/Severity"
import type { DomainTarget } from "../target/Target.ts"

export interface CleanEntry {
  /** A keyed hash of the target. */
  readonly name: string
  /** When the target was found clean, in milliseconds since 1970. */
  readonly at: number
  /** The minimum severity of the search. */
  readonly minSeverity: Severity
  /** Only for domains: the search's `since`, in milliseconds since 1970. */
  readonly since?: number
  /** A keyed hash of the other members, which authenticates the entry. */
  readonly tag: string
}

export const cleanVersion = 2

/** Whether the entry is at most seven days old. */
export const isCurrent = ({ at }: Pick<CleanEntry, "at">, now: number): boolean => at <= now && now - at < 604_800_000

/** `key` is the service's token, or the API key if tokens are renewed. */
export const keyedHashes = (key: string) => {
  const hashKey = hkdf(sha256, utf8ToBytes(key), undefined, utf8ToBytes("threat-exposure leak-check cache"), 32)
  const keyedHash = (text: string) => bytesToHex(hmac(sha256, hashKey, utf8ToBytes(text))).slice(0, 32)
  return {
    valueName: (value: string) => keyedHash(`value\0${value}`),
    domainName: ({ domain, searchedBy }: DomainTarget) =>
      keyedHash(`${searchedBy === "login" ? "login" : "domain"}\0${domain}`),
    /**
     * Without the tag, anybody who can write the file could renew an entry, or apply it to a search with a wider scope.
     */
    tagOf: ({ at, minSeverity, name, since }: Omit<CleanEntry, "tag">) =>
      keyedHash(`entry\0${name}\0${at}\0${minSeverity}\0${since ?? ""}`)
  }
}

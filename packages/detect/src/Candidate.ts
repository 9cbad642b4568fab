/** A value in a text that may be a secret, and its location. */
import type { Redacted } from "effect"

/** Below this confidence a candidate is not worth a search, unless the caller asks for it. */
export const minConfidence = 0.5

/**
 * The location of a candidate's text: the value itself or, where it was decoded, its encoded form. Lines and columns
 * start at 1; columns count UTF-16 units.
 */
export interface Location {
  /** Path relative to the root of the scan, with forward slashes. */
  readonly path: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  /** The column of the first character after the text. */
  readonly endColumn: number
  /** The commit that added the line; undefined in a scan of a tree or of uncommitted changes. */
  readonly commit?: string | undefined
  /** True if the head of a scanned range no longer has the line: path and line are then those of `commit`. */
  readonly removed?: boolean | undefined
}

/** The kind of secret that the value probably is. */
export type CandidateKind =
  | "provider-token"
  | "private-key"
  | "password"
  | "connection-string"
  | "jwt"
  | "basic-auth"
  | "generic-secret"

export interface Candidate {
  readonly value: Redacted.Redacted
  readonly kind: CandidateKind
  /** The stable id of the rule that found it, for example `assignment` or `provider/github`. */
  readonly rule: string
  /** Between 0 and 1: how likely this is a secret that is in use. */
  readonly confidence: number
  readonly location: Location
  /** The key, variable or header that the value is assigned to; at most 100 characters. */
  readonly name?: string | undefined
}

/** Kinds of files whose values are usually invented. */
export const inclusions = ["tests", "docs"] as const
export type Inclusion = (typeof inclusions)[number]

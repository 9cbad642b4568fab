/** Names what was not read or not searched, and decides which of it rules out the verdict `clean`. */
import type { SkipReason, Skipped as ScanSkipped } from "@threat-exposure/detect/skip/Skipped"

/** Why something was not checked: a reason of the scan, or one that the program adds. */
export type CoverageReason =
  | SkipReason
  /** A path pattern from the settings that matches no file. */
  | "unmatched-pattern"
  /** A file with which the change under review would change what is searched. */
  | "changed-rules"

export type Skipped = Omit<ScanSkipped, "reason"> & { readonly reason: CoverageReason }

/**
 * A gap was requested but could not be checked: the verdict is at best `incomplete`. A notice was not requested: the
 * report names it, but the verdict does not change.
 */
export type CoverageKind = "gap" | "notice"

interface Row {
  readonly kind: CoverageKind
  readonly label: string
}

const gap = (label: string): Row => ({ kind: "gap", label })
const notice = (label: string): Row => ({ kind: "notice", label })

/** Gap or notice, for every reason. The label is followed by a count and some names. */
export const coverageTable: Readonly<Record<CoverageReason, Row>> = {
  "not-checked-out": gap("Not read, because they are not checked out"),
  unreadable: gap("Could not be read"),
  "not-in-time": gap("Not read to the end within `reading-deadline`"),
  "too-large": gap("Not read, because they are larger than 50 MB"),
  "shallow-history": gap("History missing from this shallow clone; fetch all of it (`fetch-depth: 0`)"),
  "config-unusable": gap("Not used in .gitleaks.toml"),
  "unmatched-pattern": gap("Path patterns that match no file"),
  submodule: notice("Submodules, not read"),
  "lfs-pointer": notice("Git LFS pointers, whose content was not read"),
  "symbolic-link": notice("Symbolic links, not followed"),
  ignored: notice("Ignored by git, not read"),
  binary: notice("Binary files, not searched"),
  minified: notice("Minified files, not searched"),
  generated: notice("Generated files, not searched"),
  vendored: notice("Vendored files, not searched"),
  "lock-file": notice("Lock files of package managers, not searched"),
  encrypted: notice("Encrypted files, not searched"),
  allowlisted: notice("Allowed by .gitleaks.toml, not searched"),
  "allow-comment": notice("Allowed by a comment, not searched"),
  "config-unsupported": notice("Not supported in .gitleaks.toml"),
  "added-allow-comment": notice("Allow comments that this change adds; they apply after it is merged"),
  "changed-rules": notice("Rule files that this change edits; they apply after it is merged")
}

/** The entry as a sentence: "Submodules, not read: 2 (lib/a, lib/b)". The label may be translated. */
export const sentenceOf = ({ count, names, reason }: Skipped, label: string = coverageTable[reason].label): string => {
  const shown = names.slice(0, maxNames)
  return `${label}: ${count}${shown.length === 0 ? "" : ` (${shown.join(", ")}${count > shown.length ? ", …" : ""})`}`
}

const maxNames = 20

/** Merges the skipped items of several scans into one entry per reason. */
export const mergeSkips = (all: ReadonlyArray<Skipped>): ReadonlyArray<Skipped> =>
  Array.from(
    Map.groupBy(all, ({ reason }) => reason),
    ([reason, entries]) => {
      const names = new Set(entries.flatMap((entry) => entry.names))
      // An entry names at most a hundred items, so its count may be larger than the number of names.
      const count = Math.max(names.size, ...entries.map((entry) => entry.count))
      return { reason, count, names: [...names].slice(0, 100) }
    }
  )

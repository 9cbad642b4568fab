/** Names what was not read or not searched, and which of it rules out the verdict `clean`. */
import type { SkipReason, Skipped as ScanSkipped } from "@threat-exposure/detect/skip/Skipped"

/** A reason that a scan reports, or a program that uses one. */
export type CoverageReason =
  | SkipReason
  /** A path pattern of the caller that matches no file. */
  | "unmatched-pattern"
  /** A file by which the change under review would change what is searched. */
  | "changed-rules"

export type Skipped = Omit<ScanSkipped, "reason"> & { readonly reason: CoverageReason }

/**
 * A gap is part of the request but could not be checked: the verdict is `incomplete` at best. A notice is outside of the
 * request: the report names it, and the verdict does not change.
 */
export type CoverageKind = "gap" | "notice"

interface Row {
  readonly kind: CoverageKind
  readonly label: string
}

const gap = (label: string): Row => ({ kind: "gap", label })
const notice = (label: string): Row => ({ kind: "notice", label })

/** Decides gap or notice for every reason. A count and some names follow the label. */
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

/** One entry for each reason, with what several scans of one check skipped. */
export const mergedSkips = (all: ReadonlyArray<Skipped>): ReadonlyArray<Skipped> =>
  Array.from(
    Map.groupBy(all, ({ reason }) => reason),
    ([reason, entries]) => {
      const names = new Set(entries.flatMap((entry) => entry.names))
      // An entry has at most its first hundred names, so its count may be larger than their number.
      const count = Math.max(names.size, ...entries.map((entry) => entry.count))
      return { reason, count, names: [...names].slice(0, 100) }
    }
  )

/** Finds leaks whose value was removed from the code. */
import type { Report } from "@threat-exposure/leak-check/Report"
import { Redacted } from "effect"
import type { Checked, LeakFinding, LeakPlace, ReplacedLeak } from "../LeakFinding.ts"
import type { LeakOccurrence } from "../LeakOccurrence.ts"

type Occurrences = ReadonlyMap<string, ReadonlyArray<LeakOccurrence>>

const occurrencesOf = ({ leak }: LeakFinding, occurrences: Occurrences) =>
  [...occurrences.values()].flat().filter(({ row }) => row.leak.fingerprint === leak.fingerprint)

const isOpen = ({ leak }: LeakFinding) => leak.counts && leak.subject.type === "value"

/**
 * Leaks of a check whose value edits have removed from every place. `vacant` has the places that were without the value
 * when the check was restored.
 */
export const absentIn = (
  last: Checked | undefined,
  occurrences: Occurrences,
  vacant: ReadonlySet<LeakPlace>
): ReadonlyArray<ReplacedLeak> =>
  (last?.rows ?? []).filter(isOpen).flatMap((finding) => {
    const here = occurrencesOf(finding, occurrences)
    const places = finding.places.filter((place) => place.isRemoved !== true && !vacant.has(place)).length
    const known = here.length + finding.places.filter((place) => vacant.has(place)).length
    return known === 0 || here.length < places || here.some(({ isPresent }) => isPresent)
      ? []
      : [{ finding, value: here[0]?.value }]
  })

/** Leaks of a check that the next check of the same files no longer found. */
export const goneSince = (
  before: { readonly last: Checked | undefined; readonly occurrences: Occurrences; readonly salt: string },
  next: { readonly report: Report; readonly title: string; readonly values: ReadonlySet<string> }
): ReadonlyArray<ReplacedLeak> => {
  const { last, occurrences, salt } = before
  if (last?.title !== next.title || salt !== next.report.repository) return []
  const found = new Set(next.report.leaks.map(({ fingerprint }) => fingerprint))
  return last.rows.filter(isOpen).flatMap((finding) => {
    if (found.has(finding.leak.fingerprint)) return []
    const value = occurrencesOf(finding, occurrences)[0]?.value
    // The value may exist without a search in this check, so the report alone does not prove its absence.
    const isThere = value === undefined ? next.report.unsearched.length > 0 : next.values.has(Redacted.value(value))
    return isThere ? [] : [{ finding, value }]
  })
}

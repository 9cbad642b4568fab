/** The last leak check as stored for a reload: without values, and without the text around matches. */
import { type EventEvidence, Leak, Report } from "@threat-exposure/leak-check/Report"
import { Option, Schema } from "effect"
import type { Checked, LeakFinding } from "../LeakFinding.ts"

const Kept = Schema.Struct({
  title: Schema.String,
  /** Name of the repository, which is the salt of the fingerprints. */
  salt: Schema.String,
  report: Report,
  /** Leaks of the previous check that this one no longer found; their rows are among the others. */
  gone: Schema.optionalKey(Schema.Array(Leak)),
  rows: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.String,
      provider: Schema.optionalKey(Schema.String),
      profile: Schema.optionalKey(Schema.String),
      repository: Schema.optionalKey(
        Schema.Struct({
          folder: Schema.String,
          root: Schema.String,
          name: Schema.String,
          hasRemote: Schema.Boolean
        })
      ),
      places: Schema.Array(
        Schema.Struct({
          uri: Schema.String,
          path: Schema.String,
          line: Schema.Int,
          column: Schema.Int,
          isRemoved: Schema.optionalKey(Schema.Boolean),
          commit: Schema.optionalKey(Schema.String)
        })
      )
    })
  ),
  gaps: Schema.Array(Schema.String),
  notices: Schema.Array(Schema.String)
})

/** Limits of the stored lists, because the editor reads all stored data when a window opens. */
const maxEvidence = 10
const maxListed = 100

const withoutMatches = (event: EventEvidence): EventEvidence => ({ ...event, highlights: [] })

const shorten = (leak: Leak): Leak => ({
  ...leak,
  credentials: leak.credentials.slice(0, maxEvidence),
  moreCredentials: leak.moreCredentials || leak.credentials.length > maxEvidence,
  events: leak.events.slice(0, maxEvidence).map(withoutMatches),
  moreEvents: leak.moreEvents || leak.events.length > maxEvidence
})

const rowOf = ({ leak, places, profile, provider, repository }: LeakFinding) => ({
  fingerprint: leak.fingerprint,
  places: places.map(({ column, commit, isRemoved = false, line, path, uri }) => ({
    uri,
    path,
    line,
    column,
    isRemoved,
    ...(commit === undefined ? {} : { commit })
  })),
  ...(provider === undefined ? {} : { provider }),
  ...(profile === undefined ? {} : { profile }),
  ...(repository === undefined ? {} : { repository })
})

export const keep = (
  { gaps, notices, report, rows, title }: Checked,
  salt: string,
  gone: ReadonlyArray<LeakFinding>
): typeof Kept.Type => ({
  title,
  salt,
  report: { ...report, leaks: report.leaks.map(shorten), ineligible: report.ineligible.slice(0, maxListed) },
  gone: gone.map(({ leak }) => shorten(leak)),
  rows: [...rows, ...gone].map(rowOf),
  gaps,
  notices
})

/** Undefined if nothing is stored, or if this version cannot decode it. */
export const restore = (
  kept: unknown
): { readonly checked: Checked; readonly salt: string; readonly gone: ReadonlyArray<LeakFinding> } | undefined => {
  const decoded = Option.getOrUndefined(Schema.decodeUnknownOption(Kept)(kept))
  if (decoded === undefined) return undefined
  const { gaps, gone = [], notices, report, rows, salt, title } = decoded
  const findingsOf = (leaks: ReadonlyArray<Leak>) => {
    const byFingerprint = new Map(leaks.map((leak) => [leak.fingerprint, leak]))
    return rows.flatMap(({ fingerprint, places, profile, provider, repository }) => {
      const leak = byFingerprint.get(fingerprint)
      return leak === undefined ? [] : [{ leak, places, profile, provider, repository }]
    })
  }
  return { salt, gone: findingsOf(gone), checked: { title, report, gaps, notices, rows: findingsOf(report.leaks) } }
}

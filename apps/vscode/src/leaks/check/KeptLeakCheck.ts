/** The last leak check as stored for a reload: without values, and without the text around matches. */
import { type EventEvidence, Report } from "@threat-exposure/leak-check/Report"
import { Option, Schema } from "effect"
import type { Checked } from "../LeakFinding.ts"

const Kept = Schema.Struct({
  title: Schema.String,
  /** Name of the repository, which is the salt of the fingerprints. */
  salt: Schema.String,
  report: Report,
  rows: Schema.Array(
    Schema.Struct({
      fingerprint: Schema.String,
      provider: Schema.optionalKey(Schema.String),
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

export const keep = ({ gaps, notices, report, rows, title }: Checked, salt: string): typeof Kept.Type => ({
  title,
  salt,
  report: {
    ...report,
    leaks: report.leaks.map((leak) => ({
      ...leak,
      credentials: leak.credentials.slice(0, maxEvidence),
      moreCredentials: leak.moreCredentials || leak.credentials.length > maxEvidence,
      events: leak.events.slice(0, maxEvidence).map(withoutMatches),
      moreEvents: leak.moreEvents || leak.events.length > maxEvidence
    })),
    ineligible: report.ineligible.slice(0, maxListed)
  },
  rows: rows.map(({ leak, places, provider, repository }) => ({
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
    ...(repository === undefined ? {} : { repository })
  })),
  gaps,
  notices
})

/** Undefined if nothing is stored, or if this version cannot decode it. */
export const restore = (kept: unknown): { readonly checked: Checked; readonly salt: string } | undefined => {
  const decoded = Option.getOrUndefined(Schema.decodeUnknownOption(Kept)(kept))
  if (decoded === undefined) return undefined
  const { gaps, notices, report, rows, salt, title } = decoded
  const byFingerprint = new Map(report.leaks.map((leak) => [leak.fingerprint, leak]))
  return {
    salt,
    checked: {
      title,
      report,
      gaps,
      notices,
      rows: rows.flatMap(({ fingerprint, places, provider, repository }) => {
        const leak = byFingerprint.get(fingerprint)
        return leak === undefined ? [] : [{ leak, places, provider, repository }]
      })
    }
  }
}

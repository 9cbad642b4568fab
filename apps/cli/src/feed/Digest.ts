/** Summarises the items of a round for people: their number, and the newest of the most severe ones. */
import { counted } from "@threat-exposure/leak-check/Counted"
import { printable } from "../output/Output.ts"
import type { FeedItem } from "./FeedState.ts"
import { type Tlp, webLink } from "./Found.ts"

export interface Digest {
  /** Counts, such as "3 new items, 1 changed (TLP:AMBER)". */
  readonly title: string
  /** Counts by severity, such as "2 critical, 1 high". */
  readonly severities: string
  readonly rows: ReadonlyArray<DigestRow>
  /** The number of items without a row. */
  readonly more: number
}

export interface DigestRow {
  readonly severity: string
  readonly title: string
  /** An address that begins with `https://` or `http://`. */
  readonly link: string | undefined
  /** Comma-separated facts, such as "paste, 2026-11-24, remediated". */
  readonly details: string
}

/** Undefined if there is nothing to report: an event that only received its content was reported before. */
export const digestOf = (items: ReadonlyArray<FeedItem>, tlp: Tlp | undefined): Digest | undefined => {
  const told = items.flatMap(({ summary, time, uid, version }) =>
    summary === undefined || (version !== undefined && summary.changed === undefined) ? [] : [{ summary, time, uid }]
  )
  if (told.length === 0) return undefined
  const changed = told.filter(({ summary }) => summary.changed !== undefined).length
  const counts = [
    ...(told.length > changed ? [counted(told.length - changed, "new item")] : []),
    ...(changed > 0 ? [counted(changed, "changed item")] : [])
  ]
  const bySeverity = Object.groupBy(told, ({ summary }) => summary.severity || "unknown")
  const ranked = told.toSorted(
    (a, b) => rankOf(b.summary.severity) - rankOf(a.summary.severity) || (b.time ?? 0) - (a.time ?? 0)
  )
  const rows = ranked.slice(0, maxRows).map(({ summary, time, uid }): DigestRow => ({
    severity: shortenLine(summary.severity || "unknown", 20),
    title: shortenLine(summary.title || uid, maxTitle),
    link: linkOf(summary.link),
    details: [
      shortenLine(summary.type, 40),
      time === undefined ? "" : new Date(time).toISOString().slice(0, 10),
      ...(summary.status === "new" ? [] : [summary.status]),
      ...(summary.changed === undefined ? [] : [`changed: ${summary.changed.join(", ")}`])
    ]
      .filter((detail) => detail !== "")
      .join(", ")
  }))
  return {
    title: `${counts.join(", ")}${tlp === undefined ? "" : ` (TLP:${tlp.toUpperCase()})`}`,
    severities: Object.entries(bySeverity)
      .toSorted(([a], [b]) => rankOf(b) - rankOf(a))
      .slice(0, severitiesInOrder.length + 1)
      .map(([severity, of = []]) => `${of.length} ${shortenLine(severity, 20)}`)
      .join(", "),
    rows,
    more: told.length - rows.length
  }
}

const maxRows = 20

const maxTitle = 200

const severitiesInOrder: ReadonlyArray<string> = ["info", "low", "medium", "high", "critical"]

const rankOf = (severity: string): number => severitiesInOrder.indexOf(severity)

/** Puts text from a leak on one line and shortens it. */
export const shortenLine = (text: string, max: number): string => {
  const characters = Array.from(printable(text.toWellFormed()))
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`
}

const linkOf = (given = ""): string | undefined => {
  const link = webLink(given)
  return link === undefined || link.length > 500 ? undefined : link
}

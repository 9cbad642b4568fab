import type { PDFFont, PDFPage } from "@cantoo/pdf-lib"
import { severities } from "@threat-exposure/core/domain/Severity"
import type { NewReport } from "@threat-exposure/core/domain/Report"
import { toMicroseconds, toUtc } from "@threat-exposure/core/domain/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Period, type ReportEvent, severityOf } from "./ReportEvents.ts"

/** The longest interval of the report's elements; 30 days if none is an ISO 8601 duration. */
export const periodOf = ({ elements = [] }: NewReport, created: DateTime.Utc): Period => {
  const until = DateTime.toEpochMillis(created)
  const starts = elements.flatMap(({ enabled = true, time_interval }) => {
    const parts = enabled && time_interval !== undefined ? durationOf(time_interval) : undefined
    return parts === undefined ? [] : [DateTime.toEpochMillis(DateTime.subtract(created, parts))]
  })
  // The event indexes do not support times before 1970.
  const since = Math.max(0, starts.length === 0 ? until - defaultDays * day : Math.min(...starts))
  return { since, until }
}

const defaultDays = 30

const day = 86_400_000

/** The parts of a duration such as `P30D`; undefined for any other text. */
const durationOf = (text: string) => {
  const found =
    /^P(?!$)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?!$)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?$/u.exec(
      text
    )
  if (found === null) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0))
  return { years, months, weeks, days, hours, minutes, seconds }
}

interface Summary {
  readonly total: number
  readonly bySeverity: ReadonlyMap<string, number>
  readonly byType: ReadonlyMap<string, number>
  /** The number of events in each of several equal parts of the period. */
  readonly bars: ReadonlyArray<number>
  readonly mostSevere: ReadonlyArray<ReportEvent>
}

const summarize = (events: Stream.Stream<ReportEvent>, { since, until }: Period) =>
  Effect.gen(function* () {
    const bySeverity = new Map<string, number>()
    const byType = new Map<string, number>()
    const days = Math.max(1, Math.ceil((until - since) / day))
    const bars = Array.from({ length: Math.min(days, maxBars) }, () => 0)
    let mostSevere: Array<ReportEvent> = []
    let total = 0
    yield* Stream.runForEach(events, (event) =>
      Effect.sync(() => {
        const severity = severityOf(event)
        const { type } = event.metadata
        total += 1
        bySeverity.set(severity, (bySeverity.get(severity) ?? 0) + 1)
        byType.set(type, (byType.get(type) ?? 0) + 1)
        const at = Math.floor(((timeOf(event) / 1_000 - since) / Math.max(1, until - since)) * bars.length)
        const bar = Math.min(bars.length - 1, Math.max(0, at))
        bars[bar] = (bars[bar] ?? 0) + 1
        mostSevere.push(event)
        if (mostSevere.length >= maxListed * 2) mostSevere = selectMostSevere(mostSevere)
      })
    )
    return { total, bySeverity, byType, bars, mostSevere: selectMostSevere(mostSevere) }
  })

const maxBars = 60
const maxListed = 25

/** The most severe events first, and for equal severities the newest. An unknown severity ranks as critical. */
const selectMostSevere = (events: ReadonlyArray<ReportEvent>): Array<ReportEvent> =>
  events.toSorted((a, b) => rankOf(b) - rankOf(a) || timeOf(b) - timeOf(a)).slice(0, maxListed)

const rankOf = (event: ReportEvent): number => {
  const rank = severities.findIndex((severity) => severity === severityOf(event))
  return rank === -1 ? severities.length - 1 : rank
}

const timeOf = ({ metadata }: ReportEvent): number => toMicroseconds(metadata.estimated_created_at)

export const reportPdf = (report: NewReport, period: Period, events: Stream.Stream<ReportEvent>) =>
  Effect.flatMap(summarize(events, period), (summary) => Effect.promise(() => draw(report, period, summary)))

const draw = async (
  { author, title }: NewReport,
  { since, until }: Period,
  { bars, bySeverity, byType, mostSevere, total }: Summary
): Promise<Uint8Array> => {
  // Loaded on demand, because it takes a tenth of a second and is rarely needed.
  const { PDFDocument, StandardFonts, rgb } = await import("@cantoo/pdf-lib")
  const document = await PDFDocument.create()
  const created = new Date(until)
  const heading = title === undefined || title.trim() === "" ? "Report" : title
  document.setTitle(heading)
  if (author !== undefined) document.setAuthor(author)
  document.setCreationDate(created)
  document.setModificationDate(created)
  const plain = await document.embedFont(StandardFonts.Helvetica)
  const bold = await document.embedFont(StandardFonts.HelveticaBold)
  const dark = rgb(0.12, 0.14, 0.18)
  const blue = rgb(0.15, 0.39, 0.92)

  let page: PDFPage = document.addPage(a4)
  let y = a4[1] - margin
  const width = a4[0] - 2 * margin
  const room = (height: number) => {
    if (y - height >= margin) return
    page = document.addPage(a4)
    y = a4[1] - margin
  }
  const write = (text: string, { at = 0, font = plain, size = 10, within = width } = {}) => {
    page.drawText(fitText(text, font, size, Math.min(within, width - at)), {
      x: margin + at,
      y,
      font,
      size,
      color: dark
    })
  }
  const line = (text: string, font: PDFFont = plain, size = 10) => {
    y -= size * 1.5
    room(0)
    write(text, { font, size })
  }
  const section = (text: string) => {
    y -= 18
    room(60)
    line(text, bold, 13)
    y -= 4
  }
  const counts = (rows: ReadonlyArray<readonly [name: string, count: number]>) => {
    const largest = Math.max(1, ...rows.map(([, count]) => count))
    for (const [name, count] of rows) {
      y -= 15
      room(0)
      write(name, { within: 120 })
      write(String(count), { at: 130, within: 50 })
      page.drawRectangle({ x: margin + 190, y, width: ((width - 190) * count) / largest, height: 8, color: blue })
    }
  }

  line(heading, bold, 20)
  if (author !== undefined && author.trim() !== "") line(`Author: ${author}`)
  line(`Period: ${dateOf(since)} to ${dateOf(until)} (UTC)`)
  line(`Events: ${total}`)

  section("Events by severity")
  const others = [...bySeverity.keys()].filter((name) => !severities.some((severity) => severity === name))
  counts([...severities.toReversed(), ...others].map((name) => [name, bySeverity.get(name) ?? 0]))

  section("Events by type")
  const types = [...byType].toSorted(([, a], [, b]) => b - a)
  counts(types.slice(0, maxTypes))
  if (types.length > maxTypes) line(`and ${types.length - maxTypes} more types`)

  section("Events over time")
  room(chartHeight + 30)
  y -= chartHeight
  const largest = Math.max(1, ...bars)
  const step = width / bars.length
  for (const [at, count] of bars.entries()) {
    const height = (chartHeight * count) / largest
    page.drawRectangle({ x: margin + at * step, y, width: Math.max(1, step - 1), height, color: blue })
  }
  page.drawLine({ start: { x: margin, y }, end: { x: margin + width, y }, thickness: 0.5, color: dark })
  y -= 12
  write(dateOf(since), { size: 8 })
  write(dateOf(until), { at: width - 50, size: 8 })

  section("Most severe events")
  for (const event of mostSevere) {
    const { estimated_created_at, title: of, type } = event.metadata
    y -= 15
    room(0)
    write(severityOf(event), { font: bold, size: 9, within: 50 })
    write(toUtc(estimated_created_at).slice(0, 10), { at: 55, size: 9, within: 55 })
    write(type, { at: 115, size: 9, within: 85 })
    write(of ?? "", { at: 205, size: 9 })
  }
  if (mostSevere.length === 0) line("None")
  return document.save()
}

/** Lengths in points. */
const a4: [number, number] = [595.28, 841.89]
const margin = 50
const chartHeight = 90

const maxTypes = 12

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The standard PDF fonts contain the characters of Latin-1 and a few more. */
const fitText = (text: string, font: PDFFont, size: number, width: number): string => {
  const known = new Set(font.getCharacterSet())
  let shown = Array.from(text.replaceAll(/\s+/gu, " ").trim().slice(0, maxCharacters), (character) =>
    known.has(character.codePointAt(0) ?? 0) ? character : "?"
  ).join("")
  if (font.widthOfTextAtSize(shown, size) <= width) return shown
  while (shown !== "" && font.widthOfTextAtSize(`${shown}...`, size) > width) shown = shown.slice(0, -1)
  return `${shown}...`
}

/** UTF-16 code units: more than fit in a line. */
const maxCharacters = 300

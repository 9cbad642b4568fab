/** An event as a page: every field of its type, in a reader's order. */
import { isMalformed, type TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate, Redacted } from "effect"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { type Content, PageWriter, type Reveals, type Written } from "../editor/PageWriter.ts"
import { type FindSecrets, namesSecret, type Range, withoutSecrets } from "../editor/Secrets.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { type AnyEvent, titleOf } from "./AnyEvent.ts"
import { localTime } from "../words/Dates.ts"

export interface EventPageOptions {
  /** Which of its secrets are shown, by their number on the page. */
  readonly reveals?: Reveals
  /** While a screen is shared: names give way to their shape. */
  readonly masked: boolean
  readonly secretsIn: FindSecrets
}

/** `seen` is the event as a search found it, where one did. */
export const eventPage = (
  event: TypedEvent,
  seen: AnyEvent | undefined,
  { masked, reveals, secretsIn }: EventPageOptions
): Written => {
  const page = new PageWriter(reveals)
  /** While masked, there is nothing to reveal. */
  const content = (text: string, secrets: ReadonlyArray<Range>): Content =>
    masked ? maskText(withoutSecrets(text, secrets)) : { text, secrets }
  const foreign = (text: string) => content(text, secretsIn(text))
  const { metadata } = event
  const title = pageTitle(event, seen)
  const shown = title === undefined ? undefined : withoutSecrets(title, secretsIn(title))
  page.heading(1, shown === undefined ? nameOfType(event.event_type) : masked ? maskText(shown) : shown)
  page.field(t("Type"), nameOfType(event.event_type))
  const override = seen?.tenant_metadata.severity?.override
  page.field(
    t("Severity"),
    override == null
      ? t(metadata.severity)
      : t("{0} (set by your tenant; the service says {1})", t(override), t(metadata.severity))
  )
  if (metadata.estimated_created_at !== null) page.field(t("Seen"), moment(metadata.estimated_created_at))
  if (metadata.matched_at !== null) page.field(t("Matched"), moment(metadata.matched_at))
  page.field(t("UID"), metadata.uid)
  if (metadata.svc_url !== null) page.link(t("Open in browser"), metadata.svc_url)

  if (seen !== undefined) {
    const { tags, notes, remediated_at, ignored_at } = seen.tenant_metadata
    const identifiers = "identifiers" in seen ? seen.identifiers : []
    if (tags.length + identifiers.length > 0 || notes || remediated_at !== undefined || ignored_at !== undefined) {
      page.heading(2, t("In your tenant"))
      if (identifiers.length > 0)
        page.list(
          t("Identifiers"),
          identifiers.map(({ id, name }) => `${masked ? maskText(name) : name} (${id})`)
        )
      if (tags.length > 0) page.field(t("Tags"), tags.join(", "))
      if (remediated_at !== undefined) page.field(t("Remediated"), moment(remediated_at))
      if (ignored_at !== undefined) page.field(t("Ignored"), moment(ignored_at))
      if (notes) page.block(t("Notes"), foreign(notes))
    }
  }

  page.heading(2, t("Details"))
  if (isMalformed(event)) page.aside(t("Not as specified: {0}.", event.faults.join("; ")))
  const absent: Array<string> = []
  /** Writes short fields first; then, each under its own heading, long texts and records inside this one. */
  const write = (record: object, path: ReadonlyArray<string>, isSecret: boolean): void => {
    const later: Array<() => void> = []
    for (const [key, value] of Object.entries(record)) {
      const label = labelOf(key)
      const here = [...path, label]
      const hides = isSecret || namesSecret(key)
      if (isEmpty(value)) absent.push(here.join(" › "))
      else if (Redacted.isRedacted(value)) page.secret(label, Redacted.make(textOf(Redacted.value(value))))
      else if (typeof value === "boolean") page.field(label, value ? t("yes") : t("no"))
      else if (Array.isArray(value)) {
        const items: ReadonlyArray<unknown> = value
        page.list(
          label,
          items.map((item) => {
            const { secrets, text } = lineOf(item, hides, secretsIn)
            return content(text, secrets)
          })
        )
      } else if (typeof value === "object") {
        if (path.length < deepest) later.push(() => section(here, value, hides))
        else page.field(label, "…")
      } else if (hides) page.secret(label, Redacted.make(String(value)))
      else if (typeof value !== "string") page.field(label, String(value))
      else if (/_at$|_time$/u.test(key) && moment(value) !== value) page.field(label, moment(value))
      else if (value.includes("\n") || value.length > 160)
        later.push(() => page.block(here.join(" › "), foreign(value)))
      else page.field(label, foreign(value))
    }
    for (const next of later) next()
  }
  const section = (path: ReadonlyArray<string>, record: object, isSecret: boolean) => {
    if (Object.values(record).some((value) => !isEmpty(value) && !isRecord(value))) page.heading(3, path.join(" › "))
    write(record, path, isSecret)
  }
  if (Redacted.isRedacted(event.data)) write({ data: event.data }, [], true)
  else if (Predicate.isObject(event.data)) write(event.data, [], false)
  else if (event.data != null) page.block(t("Data"), foreign(JSON.stringify(event.data, undefined, 2)))
  if (absent.length > 0) page.aside(t("Not given: {0}.", absent.join(", ")))
  return page.done()
}

/** The matched terms of an event, to mark them wherever they stand. */
export const termsOf = (seen: AnyEvent | undefined): ReadonlyArray<string> =>
  Object.values(seen?.highlights ?? {})
    .flat()
    .flatMap((passage) => [...passage.matchAll(/<(mark|em)>(.*?)<\/\1>/gsu)].map((match) => match[2] ?? ""))

/** A title that somebody gave it, then the name of what it is about, then whatever the search has to say of it. */
const pageTitle = ({ data }: TypedEvent, seen: AnyEvent | undefined): string | undefined => {
  if (seen === undefined) return titleIn(data)
  return seen.metadata.title?.trim() ? titleOf(seen).text : (titleIn(data) ?? titleOf(seen).text)
}

const titleIn = (data: unknown): string | undefined => {
  if (!Predicate.isObject(data)) return undefined
  const found = ["title", "name", "identity_name", "domain", "username"]
    .map((key): unknown => Reflect.get(data, key))
    .find((value) => Predicate.isString(value) && value !== "")
  return Predicate.isString(found) ? found : undefined
}

const textOf = (value: unknown) => (Predicate.isObjectOrArray(value) ? JSON.stringify(value) : String(value))

const isEmpty = (value: unknown) => value == null || value === "" || (Array.isArray(value) && value.length === 0)

const isRecord = (value: unknown) => Predicate.isObject(value) && !Redacted.isRedacted(value)

interface Line {
  readonly text: string
  readonly secrets: ReadonlyArray<Range>
}

/** One item of a list on one line: `Name: 1.17, Repository name: example-corp/checkout`. */
const lineOf = (value: unknown, hides: boolean, secretsIn: FindSecrets, depth = 0): Line => {
  const isDeep = depth > deepest
  if (Predicate.isObjectOrArray(value) && !isDeep && !Redacted.isRedacted(value)) {
    return Object.entries(value)
      .filter(([, part]) => !isEmpty(part))
      .map(([key, part]) => {
        const line = lineOf(part, hides || namesSecret(key), secretsIn, depth + 1)
        const inBrackets = Predicate.isObjectOrArray(part) ? joined(joined(plainLine("("), line), plainLine(")")) : line
        return Array.isArray(value) ? inBrackets : joined(plainLine(`${labelOf(key)}: `), inBrackets)
      })
      .reduce((all, one) => (all.text === "" ? one : joined(joined(all, plainLine(", ")), one)), plainLine(""))
  }
  const text =
    isDeep && typeof value === "object" ? "…" : String(Redacted.isRedacted(value) ? Redacted.value(value) : value)
  return { text, secrets: hides || Redacted.isRedacted(value) ? [{ start: 0, end: text.length }] : secretsIn(text) }
}

/** What is inside more records than this is left out. */
const deepest = 20

const plainLine = (text: string): Line => ({ text, secrets: [] })

const joined = (a: Line, b: Line): Line => ({
  text: a.text + b.text,
  secrets: [
    ...a.secrets,
    ...b.secrets.map(({ end, start }) => ({ start: start + a.text.length, end: end + a.text.length }))
  ]
})

const moment = (timestamp: string) => {
  const local = localTime(timestamp)
  return local === timestamp ? timestamp : `${local} (${timestamp})`
}

/** `leaked_credential_count` reads "Leaked credential count". */
export const labelOf = (key: string): string => {
  const words = key
    .replaceAll("_", " ")
    .trim()
    .replaceAll(initials, (word) => word.toUpperCase())
  return t(`${words.slice(0, 1).toUpperCase()}${words.slice(1)}`)
}

const initials = /\b(?:asn|bin|cvv|hwid|id|ip|isp|os|pii|pin|ssn|uac|uid|url|vbv)\b/gu

/** The content of an event's page in reading order; input of the HTML and the Markdown page. */
import type { EventStatus } from "@threat-exposure/core/domain/Event"
import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import { isMalformed, type TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate, Redacted } from "effect"
import {
  type DocumentOptions,
  type Entry,
  foreign,
  type Passage,
  passagesWithSecrets,
  plain,
  secret,
  type Section,
  withSecrets
} from "../../editor/page/Document.ts"
import { type FindSecrets, namesSecret, withoutSecrets } from "../../editor/page/Secrets.ts"
import { nameOfIdentifier } from "../../register/RegisterEntries.ts"
import { localTime } from "../../words/Dates.ts"
import { capitalized, t } from "../../words/Localisation.ts"
import { maskText } from "../../words/Mask.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import { type AnyEvent, givenTitleOf, highlightsOf, identifiersOf, sourceOfUid, stateOf, titleOf } from "../AnyEvent.ts"
import { accountOf } from "./EventData.ts"
import type { EventMessage } from "./EventMessage.ts"

/** Secrets are numbered from 0 in reading order: those of `tenant`, then those of `details`, entry by entry. */
export interface EventDocument {
  readonly uid: string
  readonly title: string
  /** The type by which searches return and filter the event, if one did; then the more precise type of its data. */
  readonly types: ReadonlyArray<string>
  readonly source: string
  /** Effective severity: that of the tenant if it set one. */
  readonly severity: ReportedSeverity
  /** Severity of the event itself. */
  readonly reported: ReportedSeverity
  readonly seenAt: string | null
  readonly matchedAt: string | null
  readonly link: string | null
  /** Undefined if no search has returned the event. */
  readonly state: EventStatus | undefined
  readonly tenant: ReadonlyArray<Section>
  /** Deviations of the data from the specification. */
  readonly faults: ReadonlyArray<string>
  readonly details: ReadonlyArray<Section>
  /** Labels of fields without a value. */
  readonly absent: ReadonlyArray<string>
}

/** `seen` is the event as a search returned it; undefined if none did. */
export const eventDocument = (
  event: TypedEvent,
  seen: AnyEvent | undefined,
  options: DocumentOptions
): EventDocument => {
  const { masked, secretsIn } = options
  const { data, event_type } = event
  const metadata = metadataOf(event, seen)

  const title = pageTitle(event, seen)
  const account = accountOf(event)
  const absent: Array<string> = []
  const details: Array<Section> = []
  /** Writes short entries first, then long texts and nested records, each with its own heading. */
  const write = (record: object, path: ReadonlyArray<string>, isSecret: boolean): void => {
    const entries: Array<Entry> = []
    const later: Array<() => void> = []
    for (const [key, value] of Object.entries(record)) {
      const label = labelOf(key)
      const here = [...path, label]
      const hides = isSecret || namesSecret(key)
      const field = (value: Passage) => void entries.push({ _tag: "Field", label, value })
      // The title is already the heading of the page.
      if (
        path.length === 0 &&
        key === "title" &&
        title !== undefined &&
        value === title &&
        secretsIn(title).length === 0
      )
        continue
      if (isEmpty(value)) absent.push(here.join(" › "))
      else if (Redacted.isRedacted(value)) field(secret(formatValue(Redacted.value(value)), options))
      else if (typeof value === "boolean") field(plain(value ? t("yes") : t("no")))
      else if (Array.isArray(value)) {
        const items: ReadonlyArray<unknown> = value
        const values = items.map((item) => withSecrets(lineOf(item, hides, secretsIn), options))
        entries.push({ _tag: "List", label, values })
      } else if (typeof value === "object") {
        if (path.length < maxDepth) later.push(() => write(value, here, hides))
        else field(plain("…"))
      } else if (hides) field(secret(String(value), options))
      else if (typeof value !== "string") field(plain(String(value)))
      else if (/_at$|_time$/u.test(key) && localTime(value) !== value) entries.push({ _tag: "Time", label, at: value })
      else if (value.includes("\n") || value.length > 160)
        later.push(() => details.push({ _tag: "Text", heading: here.join(" › "), content: foreign(value, options) }))
      else if (value === account && path.length === 0)
        field({ ...foreign(value, options), message: { _tag: "SearchAccount" } satisfies EventMessage })
      else field(foreign(value, options))
    }
    if (entries.length > 0)
      details.push({ _tag: "Entries", heading: path.length === 0 ? undefined : path.join(" › "), entries })
    for (const next of later) next()
  }
  if (Redacted.isRedacted(data)) write({ data }, [], true)
  else if (Predicate.isObject(data)) write(data, [], false)
  else if (data != null)
    details.push({ _tag: "Text", heading: t("Data"), content: foreign(JSON.stringify(data, undefined, 2), options) })

  const shown = title === undefined ? undefined : withoutSecrets(title, secretsIn(title))
  return {
    uid: metadata.uid,
    title:
      shown !== undefined
        ? masked
          ? maskText(shown)
          : shown
        : seen === undefined
          ? nameOfType(event_type)
          : titleOf(seen, masked).text,
    types: [...(seen === undefined ? [] : [seen.metadata.type]), event_type],
    source: sourceOfUid(metadata.uid),
    severity: seen?.tenant_metadata.severity?.override ?? metadata.severity,
    reported: metadata.severity,
    seenAt: metadata.estimated_created_at,
    matchedAt: metadata.matched_at,
    link: metadata.svc_url,
    state: seen === undefined ? undefined : stateOf(seen),
    tenant: seen === undefined ? [] : tenantSections(seen, options),
    faults: isMalformed(event) ? event.faults : [],
    details,
    absent
  }
}

/** The metadata of the event; what it lacks is taken from the search. */
const metadataOf = ({ metadata }: TypedEvent, seen: AnyEvent | undefined): TypedEvent["metadata"] => {
  const known = seen?.metadata
  return {
    uid: metadata.uid || (known?.uid ?? metadata.uid),
    severity: metadata.severity || (known?.severity ?? ""),
    estimated_created_at: metadata.estimated_created_at ?? known?.estimated_created_at ?? null,
    matched_at: metadata.matched_at ?? known?.matched_at ?? null,
    svc_url: metadata.svc_url ?? known?.svc_url ?? null
  }
}

/** All passages of the page that contain a secret. */
export const secretsOf = ({ tenant, details }: EventDocument): ReadonlyArray<Passage> =>
  passagesWithSecrets([...tenant, ...details])

const tenantSections = (event: AnyEvent, options: DocumentOptions): ReadonlyArray<Section> => {
  const { tags, notes, remediated_at, ignored_at } = event.tenant_metadata
  const identifiers = identifiersOf(event)
  const entries: ReadonlyArray<Entry> = [
    ...(identifiers.length === 0
      ? []
      : [
          {
            _tag: "List" as const,
            label: t("Identifiers"),
            values: identifiers.map((identifier) => {
              const name = nameOfIdentifier(identifier)
              // If the label is already the ID, do not repeat it.
              const label =
                name === identifier.name
                  ? t("{0} (ID {1})", options.masked ? maskText(name) : name, identifier.id)
                  : name
              return plain(label, { _tag: "OpenIdentifier", id: identifier.id } satisfies EventMessage)
            })
          }
        ]),
    ...(tags.length === 0 ? [] : [{ _tag: "Field" as const, label: t("Tags"), value: plain(tags.join(", ")) }]),
    ...(remediated_at === undefined ? [] : [{ _tag: "Time" as const, label: t("Remediated"), at: remediated_at }]),
    ...(ignored_at === undefined ? [] : [{ _tag: "Time" as const, label: t("Ignored"), at: ignored_at }])
  ]
  return [
    ...(entries.length === 0 ? [] : [{ _tag: "Entries" as const, heading: undefined, entries }]),
    ...(notes ? [{ _tag: "Text" as const, heading: t("Notes"), content: foreign(notes, options) }] : [])
  ]
}

/** The matched terms of an event, to highlight them on the whole page. */
export const termsOf = (seen: AnyEvent | undefined): ReadonlyArray<string> =>
  Object.values(seen === undefined ? {} : highlightsOf(seen))
    .flat()
    .flatMap((passage) => [...passage.matchAll(/<(mark|em)>(.*?)<\/\1>/gsu)].map((match) => match[2] ?? ""))

/** The title of the event, or else the name of its subject, or else the passage from the search. */
const pageTitle = ({ data }: TypedEvent, seen: AnyEvent | undefined): string | undefined => {
  const given = seen === undefined ? undefined : givenTitleOf(seen)?.text
  return seen?.metadata.title?.trim() ? given : (titleIn(data) ?? given)
}

const titleIn = (data: unknown): string | undefined => {
  if (!Predicate.isObject(data)) return undefined
  const found = ["title", "name", "identity_name", "domain", "username", "path"]
    .map((key): unknown => Reflect.get(data, key))
    .find((value) => Predicate.isString(value) && value !== "")
  return Predicate.isString(found) ? found : undefined
}

const formatValue = (value: unknown) => (Predicate.isObjectOrArray(value) ? JSON.stringify(value) : String(value))

const isEmpty = (value: unknown) => value == null || value === "" || (Array.isArray(value) && value.length === 0)

/** Formats an item of a list on one line: `Name: 1.17, Repository name: example-corp/checkout`. */
const lineOf = (value: unknown, hides: boolean, secretsIn: FindSecrets, depth = 0): Passage => {
  const isDeep = depth > maxDepth
  if (Predicate.isObjectOrArray(value) && !isDeep && !Redacted.isRedacted(value)) {
    return Object.entries(value)
      .filter(([, part]) => !isEmpty(part))
      .map(([key, part]) => {
        const line = lineOf(part, hides || namesSecret(key), secretsIn, depth + 1)
        const inBrackets = Predicate.isObjectOrArray(part) ? concat(concat(plain("("), line), plain(")")) : line
        return Array.isArray(value) ? inBrackets : concat(plain(`${t("{0}:", labelOf(key))} `), inBrackets)
      })
      .reduce((all, one) => (all.text === "" ? one : concat(concat(all, plain(", ")), one)), plain(""))
  }
  const text =
    isDeep && typeof value === "object" ? "…" : String(Redacted.isRedacted(value) ? Redacted.value(value) : value)
  if (hides || Redacted.isRedacted(value)) return { text, secrets: [{ start: 0, end: text.length }] }
  // As in a field, a number is a secret only if its name says so.
  return { text, secrets: typeof value === "string" ? secretsIn(text) : [] }
}

/** Maximum depth of nested records; deeper ones are omitted. */
const maxDepth = 20

const concat = (a: Passage, b: Passage): Passage => ({
  text: a.text + b.text,
  secrets: [
    ...a.secrets,
    ...b.secrets.map(({ end, start }) => ({ start: start + a.text.length, end: end + a.text.length }))
  ]
})

/**
 * Converts a key into a label: `leaked_credential_count` becomes "Leaked credential count", `is_money_xfer` "Money
 * transfer".
 */
export const labelOf = (key: string): string => {
  const words = key
    .replaceAll("_", " ")
    .trim()
    .replace(/^is /u, "")
    .replaceAll(initials, (word) => word.toUpperCase())
    .replaceAll(abbreviations, (word) => written.get(word) ?? word)
  return capitalized(t(`${words.slice(0, 1).toUpperCase()}${words.slice(1)}`))
}

const initials = /\b(?:asn|bin|cvv|hwid|id|ip|isp|os|pii|pin|ssn|uac|uid|url|vbv)\b/gu

/** Full spelling of words that the API abbreviates or spells differently. */
const written: ReadonlyMap<string, string> = new Map([
  ["anti viruses", "antivirus software"],
  ["cert", "certificate"],
  ["doc", "document"],
  ["ident", "identity"],
  ["misc", "miscellaneous"],
  ["mother", "mother's"],
  ["screensize", "screen"],
  ["timezone", "time zone"],
  ["virt", "virtual"],
  ["xfer", "transfer"]
])
const abbreviations = new RegExp(String.raw`\b(?:${[...written.keys()].join("|")})\b`, "gu")

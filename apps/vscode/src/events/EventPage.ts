/** An event as a page: every field of its type, in a reader's order. */
import { type TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate, Redacted } from "effect"
import { t } from "../Localisation.ts"
import { maskText } from "../Mask.ts"
import { PageWriter, type Written } from "../pages/PageWriter.ts"
import { nameOfType } from "./EventFilter.ts"
import { type AnyEvent, localTime, titleOf } from "./EventRow.ts"

/** `seen` is the event as a search found it, where one did. */
export const eventPage = (
  event: TypedEvent,
  seen: AnyEvent | undefined,
  options: { readonly isRevealed: boolean; readonly masked: boolean }
): Written => {
  const page = new PageWriter(options.isRevealed)
  const hide = (text: string) => (options.masked ? maskText(text) : text)
  const { metadata } = event
  const title = seen === undefined ? undefined : titleOf(seen).text
  page.heading(1, hide(title ?? titleIn(event.data) ?? nameOfType(event.event_type)))
  page.field(t("Type"), nameOfType(event.event_type))
  const override = seen?.tenant_metadata.severity?.override
  page.field(
    t("Severity"),
    override == null
      ? t(metadata.severity)
      : t("{0} (set by your tenant; the service says {1})", t(override), t(metadata.severity))
  )
  page.field(t("Seen"), moment(metadata.estimated_created_at))
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
          identifiers.map(({ id, name }) => `${hide(name)} (${id})`)
        )
      if (tags.length > 0) page.field(t("Tags"), tags.join(", "))
      if (remediated_at !== undefined) page.field(t("Remediated"), moment(remediated_at))
      if (ignored_at !== undefined) page.field(t("Ignored"), moment(ignored_at))
      if (notes) page.block(t("Notes"), hide(notes))
    }
  }

  page.heading(2, t("Details"))
  const absent: Array<string> = []
  const later: Array<() => void> = []
  const write = (record: object, prefix: ReadonlyArray<string>) => {
    for (const [key, value] of Object.entries(record)) {
      const label = labelOf(key)
      if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
        absent.push([...prefix, label].join(" › "))
      } else if (Redacted.isRedacted(value)) {
        page.secret(label, Redacted.make(String(Redacted.value(value))))
      } else if (typeof value === "string") {
        if (value.includes("\n") || value.length > 160)
          later.push(() => page.block([...prefix, label].join(" › "), hide(value)))
        else
          page.field(
            label,
            /_at$|_time$/u.test(key) ? moment(value) : /^(?:url|.*_url)$/u.test(key) ? value : hide(value)
          )
      } else if (typeof value === "boolean") page.field(label, value ? t("yes") : t("no"))
      else if (typeof value === "number") page.field(label, String(value))
      else if (Array.isArray(value)) {
        const items: ReadonlyArray<unknown> = value
        page.list(
          label,
          items.map((item) => hide(Predicate.isString(item) ? item : JSON.stringify(item)))
        )
      } else if (typeof value === "object") later.push(() => section([...prefix, label], value))
      else page.field(label, hide(String(value)))
    }
  }
  const section = (path: ReadonlyArray<string>, record: object) => {
    page.heading(3, path.join(" › "))
    write(record, path)
  }
  if (Predicate.isObject(event.data)) write(event.data, [])
  else page.block(t("Data"), hide(JSON.stringify(event.data, undefined, 2) ?? ""))
  // What is long or has parts of its own comes after the short fields.
  for (let next = later.shift(); next !== undefined; next = later.shift()) next()
  if (absent.length > 0) page.paragraph(`*${t("Not given: {0}.", absent.join(", "))}*`)
  return page.done()
}

/** The matched terms of an event, to mark them wherever they stand. */
export const termsOf = (seen: AnyEvent | undefined): ReadonlyArray<string> =>
  Object.values(seen?.highlights ?? {})
    .flat()
    .flatMap((passage) => [...passage.matchAll(/<(mark|em)>(.*?)<\/\1>/gsu)].map((match) => match[2] ?? ""))

const titleIn = (data: unknown): string | undefined => {
  if (!Predicate.isObject(data)) return undefined
  const found = ["title", "name", "identity_name", "domain", "username"]
    .map((key): unknown => Reflect.get(data, key))
    .find((value) => Predicate.isString(value) && value !== "")
  return Predicate.isString(found) ? found : undefined
}

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

const initials = /\b(?:asn|bin|cvv|hwid|ip|isp|os|pii|pin|ssn|uac|uid|url|vbv)\b/gu

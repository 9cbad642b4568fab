/** An event as Markdown text. */
import { Redacted } from "effect"
import { type Content, PageWriter, type Reveals, type Written } from "../editor/PageWriter.ts"
import { localTime } from "../words/Dates.ts"
import { t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import type { Entry, EventDocument, Passage, Section } from "./EventDocument.ts"

/** `reveals` says which of its secrets are shown, by their number in the document. */
export const eventMarkdown = (event: EventDocument, reveals?: Reveals): Written => {
  const page = new PageWriter(reveals)
  page.heading(1, event.title)
  page.field(t("Type"), nameOfType(event.type))
  page.field(t("Severity"), severityText(event))
  if (event.seenAt !== null) page.field(t("Seen"), moment(event.seenAt))
  if (event.matchedAt !== null) page.field(t("Matched"), moment(event.matchedAt))
  page.field(t("UID"), event.uid)
  if (event.link !== null) page.link(t("Open in browser"), event.link)
  if (event.tenant.length > 0) {
    page.heading(2, t("In your tenant"))
    for (const section of event.tenant) writeSection(page, section)
  }
  page.heading(2, t("Details"))
  if (event.faults.length > 0) page.aside(t("Not as specified: {0}.", event.faults.join("; ")))
  for (const section of event.details) writeSection(page, section)
  if (event.absent.length > 0) page.aside(t("Not given: {0}.", event.absent.join(", ")))
  return page.done()
}

export const severityText = ({ reported, severity }: EventDocument): string =>
  severity === reported ? t(severity) : t("{0} (set by your tenant; the service says {1})", t(severity), t(reported))

const writeSection = (page: PageWriter, section: Section): void => {
  if (section._tag === "Text") {
    page.block(section.heading, section.content)
    return
  }
  if (section.heading !== undefined) page.heading(3, section.heading)
  for (const entry of section.entries) writeEntry(page, entry)
}

const writeEntry = (page: PageWriter, entry: Entry): void => {
  switch (entry._tag) {
    case "Field":
      if (isWhollySecret(entry.value)) page.secret(entry.label, Redacted.make(entry.value.text))
      else page.field(entry.label, entry.value)
      return
    case "List":
      page.list(entry.label, entry.values)
      return
    case "Time":
      page.field(entry.label, moment(entry.at))
  }
}

const isWhollySecret = ({ text, secrets: [first] }: Passage) => first?.start === 0 && first.end === text.length

const moment = (timestamp: string): Content => {
  const local = localTime(timestamp)
  return local === timestamp ? timestamp : `${local} (${timestamp})`
}

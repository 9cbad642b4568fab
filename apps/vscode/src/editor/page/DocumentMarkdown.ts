/** Generates Markdown from the sections of a document. */
import { Redacted } from "effect"
import { localTime } from "../../words/Dates.ts"
import type { Entry, Passage, Section } from "./Document.ts"
import type { Content, PageWriter } from "./PageWriter.ts"

export const writeSection = (page: PageWriter, section: Section): void => {
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

/** The age in words, then the exact time. */
export const moment = (timestamp: string): Content => {
  const local = localTime(timestamp)
  return local === timestamp ? timestamp : `${local} (${timestamp})`
}

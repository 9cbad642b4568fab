import { moment, writeSection } from "../../editor/page/DocumentMarkdown.ts"
import { PageWriter, type Reveals, type Written } from "../../editor/page/PageWriter.ts"
import { t } from "../../words/Localisation.ts"
import { nameOfType } from "../../words/TypeNames.ts"
import type { AdviceStep } from "./EventAdvice.ts"
import type { EventDocument } from "./EventDocument.ts"

/** `reveals` says which secrets are shown, by their number in the document. */
export const eventMarkdown = (
  event: EventDocument,
  reveals?: Reveals,
  advice: ReadonlyArray<AdviceStep> = []
): Written => {
  const page = new PageWriter(reveals)
  page.heading(1, event.title)
  page.field(t("Type"), typesText(event.types))
  page.field(t("Severity"), severityText(event))
  if (event.seenAt !== null) page.field(t("Seen"), moment(event.seenAt))
  if (event.matchedAt !== null) page.field(t("Matched"), moment(event.matchedAt))
  page.field(t("UID"), event.uid)
  if (event.link !== null) page.link(t("Open in Browser"), event.link)
  if (advice.length > 0) {
    page.heading(2, t("What to do"))
    for (const { text } of advice) page.paragraph(text)
  }
  if (event.tenant.length > 0) {
    page.heading(2, t("In your tenant"))
    for (const section of event.tenant) writeSection(page, section)
  }
  page.heading(2, t("Details"))
  if (event.faults.length > 0)
    page.aside(t("Fields that do not match the specification: {0}.", event.faults.join("; ")))
  for (const section of event.details) writeSection(page, section)
  if (event.absent.length > 0) page.aside(t("Fields without a value: {0}.", event.absent.join(", ")))
  return page.done()
}

export const typesText = (types: EventDocument["types"]): string =>
  [...new Set(types.filter((type) => type !== "").map(nameOfType))].join(" · ")

export const severityText = ({ reported, severity }: EventDocument): string =>
  severity === reported ? t(severity) : t("{0} (set by your tenant; originally {1})", t(severity), t(reported))

import type { Row } from "../../editor/tree/Row.ts"
import { ageOf, localDate } from "../../words/Dates.ts"
import { number, ofSeveral, t } from "../../words/Localisation.ts"
import { maskText } from "../../words/Mask.ts"
import { timeOf } from "../AnyEvent.ts"
import { type LeakOfDay, worstSeverity } from "./EventGroups.ts"
import { agePrefix, isSaid, kindsOfState, severityIcon } from "./EventRow.ts"

export const leakRow = (
  { events, source: given }: LeakOfDay,
  options: { readonly id: string; readonly now: number; readonly masked: boolean; readonly isNew: boolean }
): Row => {
  const { id, isNew, masked, now } = options
  const source = masked ? maskText(given) : given
  // The day is in UTC, like the grouping.
  const day = events
    .slice(0, 1)
    .map((event) => timeOf(event).slice(0, 10))
    .join("")
  const seen = events[0]?.metadata.estimated_created_at ?? null
  const severity = worstSeverity(events)
  const count = t("{0} events", number(events.length))
  const novelty = isNew ? ofSeveral("new") : undefined
  const spoken = [t(severity), novelty, t("leak"), source, count, ageOf(seen, now)]
  return {
    id,
    label: agePrefix(seen, now) + source,
    description: [count, novelty].filter(isSaid).join(" · "),
    tooltip: () =>
      [source, t("{0} events of this leak on {1}", number(events.length), localDate(day)), t(severity)].join("\n"),
    icon: severityIcon(severity),
    state: "closed",
    kinds: kindsOfState(events),
    accessibleLabel: spoken.filter(isSaid).join(", ")
  }
}

/** An event as it may be copied and written to a file. */
import type { Event, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import { masked, namesSecret } from "../editor/Secrets.ts"

/** What matched may be a password, which some services give as a highlight of its own field. */
export const withoutMatchedSecrets = (event: Event | IdentifierEvent): Event | IdentifierEvent => ({
  ...event,
  highlights: Object.fromEntries(
    Object.entries(event.highlights).map(([field, passages]) => [
      field,
      namesSecret(field) ? passages.map(() => masked) : passages
    ])
  )
})

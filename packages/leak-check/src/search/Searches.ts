/** The two searches for a target; only the first page of each is fetched. */
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { maxEvents } from "@threat-exposure/core/domain/Event"
import { DateTime, Effect } from "effect"
import type { Settings } from "../Settings.ts"
import { firstReadablePage } from "./ReadablePages.ts"
import type { Target } from "../target/Target.ts"

/** Bounds that the service applies: if it did not, a counting match could be on a page that is never fetched. */
export type Bounds = Pick<Settings, "minSeverity" | "since">

/** At most 100 credentials, newest import first: one unit of quota covers no more. */
export const credentialsOf = (target: Target, { since }: Bounds) =>
  Effect.flatMap(Credentials, (credentials) =>
    firstReadablePage(
      credentials.pages({
        size: 100,
        include: ["auth_domains"],
        ...(target._tag === "Value"
          ? { query: { type: "secret", secret: target.value } }
          : {
              query: { type: target.searchedBy === "login" ? "auth_domain" : "domain", fqdn: target.domain },
              filters: { imported_at: { gte: DateTime.formatIso(since) } }
            })
      })
    )
  )

/** At most ten events with at least `minSeverity`, newest first. */
export const eventsOf = (target: Target, { minSeverity, since }: Bounds) =>
  Effect.flatMap(Events, (events) =>
    firstReadablePage(
      events.pages({
        size: maxEvents,
        ...(target._tag === "Value"
          ? { query: { type: "secret", secret: target.value }, filters: { severity: minSeverity } }
          : {
              query: { type: "domain", fqdn: target.domain },
              filters: { severity: minSeverity, estimated_created_at: { gte: DateTime.formatIso(since) } }
            })
      })
    )
  )

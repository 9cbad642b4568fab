/** Found events as a file: NDJSON as the service sent them, CSV for spreadsheets, SARIF for tools that show findings. */
import { isAtLeast } from "@threat-exposure/core/domain/Severity"
import { type AnyEvent, severityOf, titleOf } from "../events/EventRow.ts"
import { csv } from "./Csv.ts"

export const eventFormats = ["ndjson", "csv", "sarif"] as const
export type EventFormat = (typeof eventFormats)[number]

export const formatEvents = (events: ReadonlyArray<AnyEvent>, format: EventFormat): string => {
  switch (format) {
    case "ndjson":
      return events.map((event) => `${JSON.stringify(event)}\n`).join("")
    case "csv":
      return csv([
        ["uid", "type", "severity", "estimated_created_at", "matched_at", "title", "identifiers", "tags", "link"],
        ...events.map((event) => [
          event.metadata.uid,
          event.metadata.type,
          severityOf(event),
          event.metadata.estimated_created_at,
          event.metadata.matched_at ?? "",
          titleOf(event).text,
          "identifiers" in event ? event.identifiers.map(({ name }) => name).join("; ") : "",
          event.tenant_metadata.tags.join("; "),
          event.metadata.svc_url ?? ""
        ])
      ])
    case "sarif":
      return `${JSON.stringify(sarif(events), undefined, 2)}\n`
  }
}

const sarif = (events: ReadonlyArray<AnyEvent>) => ({
  $schema: "https://json.schemastore.org/sarif-2.1.0.json",
  version: "2.1.0",
  runs: [
    {
      tool: {
        driver: {
          name: "Threat Exposure",
          rules: [...new Set(events.map(({ metadata }) => metadata.type))].map((type) => ({
            id: type,
            shortDescription: { text: type.replaceAll("_", " ") }
          }))
        }
      },
      results: events.map((event) => ({
        ruleId: event.metadata.type,
        level: isAtLeast(severityOf(event), "high")
          ? "error"
          : isAtLeast(severityOf(event), "medium")
            ? "warning"
            : "note",
        message: { text: titleOf(event).text },
        partialFingerprints: { "threatExposure/event": event.metadata.uid },
        ...(event.metadata.svc_url === undefined ? {} : { hostedViewerUri: event.metadata.svc_url }),
        properties: {
          severity: severityOf(event),
          estimatedCreatedAt: event.metadata.estimated_created_at,
          tags: event.tenant_metadata.tags
        }
      }))
    }
  ]
})

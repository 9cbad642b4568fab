/**
 * File formats of events: NDJSON in the form of the service, CSV for spreadsheets, SARIF for tools that show findings.
 */
import { isAtLeast } from "@threat-exposure/core/domain/Severity"
import { Schema } from "effect"
import { csv, rowsOf } from "./Csv.ts"
import type { Format } from "./Format.ts"
import { type AnyEvent, severityOf, titleOf, webAddress, withoutMatchedSecrets } from "../events/AnyEvent.ts"

export const eventFormats = ["ndjson", "csv", "sarif"] as const
export type EventFormat = (typeof eventFormats)[number]

/** Creates a format for a single file, because a format can have state. */
export const formatOfEvents = (format: EventFormat): Format<AnyEvent> => {
  switch (format) {
    case "ndjson":
      return {
        head: "",
        items: (events) => events.map((event) => `${JSON.stringify(withoutMatchedSecrets(event))}\n`).join(""),
        tail: () => "",
        takeUp: (text) =>
          lines(text.trimEnd() === "" ? [] : text.trimEnd().split("\n")).map(({ metadata }) => metadata.uid)
      }
    case "csv":
      return {
        head: csv([
          ["uid", "type", "severity", "estimated_created_at", "matched_at", "title", "identifiers", "tags", "link"]
        ]),
        items: (events) => csv(events.map(cells)),
        tail: () => "",
        takeUp: (text) =>
          rowsOf(text)
            .slice(1)
            .map(([uid = ""]) => uid.replace(/^(\s*)'(?=[=+\-@])/u, "$1"))
      }
    case "sarif":
      return sarif()
  }
}

const cells = (event: AnyEvent): ReadonlyArray<string> => [
  event.metadata.uid,
  event.metadata.type,
  severityOf(event),
  event.metadata.estimated_created_at ?? "",
  event.metadata.matched_at ?? "",
  titleOf(event).text,
  "identifiers" in event ? event.identifiers.map(({ name }) => name).join("; ") : "",
  event.tenant_metadata.tags.join("; "),
  event.metadata.svc_url ?? ""
]

/** Writes the tool after its results, because its rules are only known then. */
const sarif = (): Format<AnyEvent> => {
  const types = new Set<string>()
  return {
    head: `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":[`,
    items: (events, areFirst) =>
      events
        .map((event, index) => {
          types.add(event.metadata.type)
          return `${areFirst && index === 0 ? "" : ","}\n${JSON.stringify(result(event))}`
        })
        .join(""),
    tail: () => {
      const rules = [...types].map((type) => ({ id: type, shortDescription: { text: type.replaceAll("_", " ") } }))
      return `\n],"tool":${JSON.stringify({ driver: { name: "Threat Exposure", rules } })}}]}\n`
    },
    takeUp: (text) => {
      const [run] = log(`${text}]}]}`).runs
      return run.results.map(({ ruleId, partialFingerprints }) => {
        types.add(ruleId)
        return partialFingerprints[fingerprint]
      })
    }
  }
}

/** Identifies an event across SARIF files. */
const fingerprint = "threatExposure/event"

const lines = Schema.decodeUnknownSync(
  Schema.Array(Schema.fromJsonString(Schema.Struct({ metadata: Schema.Struct({ uid: Schema.String }) })))
)

const log = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      runs: Schema.Tuple([
        Schema.Struct({
          results: Schema.Array(
            Schema.Struct({
              ruleId: Schema.String,
              partialFingerprints: Schema.Struct({ [fingerprint]: Schema.String })
            })
          )
        })
      ])
    })
  )
)

const result = (event: AnyEvent) => ({
  ruleId: event.metadata.type,
  level: isAtLeast(severityOf(event), "high") ? "error" : isAtLeast(severityOf(event), "medium") ? "warning" : "note",
  message: { text: titleOf(event).text },
  partialFingerprints: { [fingerprint]: event.metadata.uid },
  ...(webAddress(event.metadata.svc_url) === undefined ? {} : { hostedViewerUri: event.metadata.svc_url }),
  properties: {
    severity: severityOf(event),
    estimatedCreatedAt: event.metadata.estimated_created_at,
    // SARIF requires unique tags.
    tags: [...new Set(event.tenant_metadata.tags)]
  }
})

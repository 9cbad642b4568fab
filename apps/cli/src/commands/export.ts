import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Events } from "@threat-exposure/core/client/Events"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { maxEvents } from "@threat-exposure/core/domain/Event"
import { defaultLinkField } from "@threat-exposure/core/domain/ServiceNames"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import { readablePages } from "@threat-exposure/leak-check/search/ReadablePages"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { resolveConnection } from "../connection/Connection.ts"
import { ExportRefused, readProgress } from "../export/ExportFile.ts"
import { runExport } from "../export/Export.ts"
import { credentialColumns, credentialRecord, credentialRow, eventColumns, eventRow } from "../export/Records.ts"
import { csvLines } from "../output/Csv.ts"
import { readMonitoring } from "../monitoring/Monitored.ts"
import { fileOf } from "../monitoring/MonitoringFile.ts"
import { callerPath } from "../request/CallerPath.ts"
import { writeNewFile } from "../request/NewFile.ts"
import { jsonText, print, say } from "../output/Output.ts"
import { redactEvent } from "../redaction/Redaction.ts"
import { credentialFlags, credentialInputs, credentialSearchOf } from "../request/CredentialRequest.ts"
import { eventFlags, eventRequestOf, namingRequest, receivedPages } from "../request/EventRequest.ts"
import { countFlag } from "../request/Flags.ts"
import { namingInputs } from "../request/Refusal.ts"
import { makeSearchMeter, quotaReserveFlag, resultsPerSearch } from "../request/SearchLimits.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { secretOf, type SecretFlagValues, withoutSecret } from "../request/Secrets.ts"

const exportFlags = {
  to: nonEmptyText("to", "FILE").pipe(Flag.withDescription("The new file; its name ends in .ndjson or .csv")),
  resume: switchFlag("resume", "Continue the file that an earlier run of the same command started"),
  maxSearches: countFlag("max-searches", 200, "Maximum number of searches, which are units of the search quota"),
  quotaReserve: quotaReserveFlag,
  includeSecrets: switchFlag("include-secrets", "Write passwords, hashes and other secrets in clear")
}

type Format = "ndjson" | "csv"

const formatOf = (file: string): Effect.Effect<Format, UsageInvalid> =>
  file.endsWith(".ndjson")
    ? Effect.succeed("ndjson")
    : file.endsWith(".csv")
      ? Effect.succeed("csv")
      : Effect.fail(new UsageInvalid({ message: `--to: the name ${JSON.stringify(file)} must end in .ndjson or .csv` }))

interface ExportFlagValues extends SecretFlagValues {
  readonly to: string
  readonly includeSecrets: boolean
  readonly resume: boolean
  readonly maxSearches: number
  readonly quotaReserve: number
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
}

/** Shared start of both exports. A resumed export keeps its time bounds. */
const prepare = Effect.fnUntraced(function* (what: string, flags: ExportFlagValues) {
  const file = yield* callerPath(flags.to)
  const format = yield* formatOf(file)
  const secret = yield* secretOf(flags)
  const { options } = yield* resolveConnection
  const { maxSearches, quotaReserve, resume, to, ...searchFlags } = flags
  const search = JSON.stringify({
    what,
    format,
    service: String(options.baseUrl),
    ...searchFlags,
    secret: secret === undefined ? undefined : yield* fingerprint(secret, "export")
  })
  const resumed = resume ? yield* readProgress(file) : undefined
  if (resumed !== undefined && resumed.search !== search) {
    return yield* new ExportRefused({
      message: `${to} was started by another search: resume it with the flags that it was started with`
    })
  }
  const bounds =
    resumed === undefined
      ? { since: flags.since, until: flags.until }
      : { since: Option.fromNullOr(resumed.since), until: Option.fromNullOr(resumed.until) }
  const shown = withoutSecret(flags.includeSecrets ? undefined : secret)
  return { file, format, search, secret, shown, resumed, bounds, maxSearches, quotaReserve }
})

const exportCredentials = Command.make(
  "credentials",
  { ...credentialFlags, ...exportFlags },
  Effect.fnUntraced(
    function* (flags) {
      const { bounds, file, format, maxSearches, quotaReserve, resumed, search, secret, shown } = yield* prepare(
        "credentials",
        flags
      )
      const request = yield* credentialSearchOf({ ...flags, ...bounds }, secret)
      const credentials = yield* Credentials
      const size = Math.min(1000, maxSearches * resultsPerSearch)
      const { quota } = yield* ApiClient
      const imported = request.filters?.imported_at
      yield* runExport({
        file,
        noun: "credential",
        head: format === "csv" ? csvLines([credentialColumns(flags.includeSecrets)]) : "",
        pageSize: size,
        maxSearches,
        meter: makeSearchMeter({ maxSearches, quotaReserve, quota }),
        started: { search, since: imported?.gte ?? null, until: imported?.lte ?? null },
        resumed,
        pages: (from) =>
          Stream.map(readablePages(credentials.pages({ ...request, size, from })), ({ items, next, unreadable }) => {
            const records = items.map((item) => shown(credentialRecord(item, flags.includeSecrets)))
            return {
              items: items.length,
              unreadable,
              next,
              text:
                format === "csv"
                  ? csvLines(records.map((record) => credentialRow(record, flags.includeSecrets)))
                  : records.map((record) => `${jsonText(record)}\n`).join("")
            }
          })
      })
    },
    namingInputs(credentialInputs),
    Effect.provide(Layer.merge(client, scryptLayer))
  )
).pipe(
  Command.withDescription(
    "Copy every credential that a search finds into a file; an interrupted export can be resumed"
  ),
  Command.withExamples([
    {
      command: "threat-exposure export credentials --domain example.com --to accounts.csv",
      description: "For a spreadsheet, without passwords"
    }
  ])
)

const exportEvents = Command.make(
  "events",
  { ...eventFlags, ...exportFlags },
  Effect.fnUntraced(
    function* (flags) {
      const { bounds, file, format, maxSearches, quotaReserve, resumed, search, secret, shown } = yield* prepare(
        "events",
        flags
      )
      const request = yield* eventRequestOf({ ...flags, ...bounds }, secret)
      const events = yield* Events
      const { quota } = yield* ApiClient
      const { options } = yield* resolveConnection
      const created = request.search.filters?.estimated_created_at
      yield* runExport({
        file,
        noun: "event",
        head: format === "csv" ? csvLines([eventColumns]) : "",
        pageSize: maxEvents,
        maxSearches,
        meter: request._tag === "Global" ? makeSearchMeter({ maxSearches, quotaReserve, quota }) : undefined,
        started: { search, since: created?.gte ?? null, until: created?.lte ?? null },
        resumed,
        pages: (from) =>
          Stream.map(receivedPages(events, request, from), ({ items, next }) => {
            const records = flags.includeSecrets ? items : items.map((item) => shown(redactEvent(item)))
            return {
              items: items.length,
              unreadable: 0,
              next,
              text:
                format === "csv"
                  ? csvLines(records.map((item) => eventRow(item, options.linkField ?? defaultLinkField)))
                  : records.map((item) => `${jsonText(item)}\n`).join("")
            }
          })
      }).pipe(namingRequest(request))
    },
    Effect.provide(Layer.merge(client, scryptLayer))
  )
).pipe(
  Command.withDescription("Copy every event that a search finds into a file; an interrupted export can be resumed"),
  Command.withExamples([
    {
      command: "threat-exposure export events --query 'example.com' --since 90d --to events.ndjson",
      description: "One event per line, as the service sends it"
    }
  ])
)

const exportMonitoring = Command.make(
  "monitoring",
  {
    to: nonEmptyText("to", "FILE").pipe(Flag.withDescription("The new YAML file; - is standard output"))
  },
  Effect.fnUntraced(function* ({ to }) {
    const { bound, text, variables } = fileOf(yield* readMonitoring)
    if (to === "-") yield* print(text.trimEnd())
    else {
      const file = yield* callerPath(to)
      yield* writeNewFile(file, text)
      yield* say(`What is monitored is in ${file}.`)
    }
    if (bound.length > 0) {
      yield* say(`Only this tenant can have ${bound.join(", ")}: identifiers of their types can no longer be created.`)
    }
    if (variables.length > 0) {
      yield* say(`The file holds no secret: plan and apply read ${variables.join(", ")} from the environment.`)
    }
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Write what is monitored into a file for plan and apply"),
  Command.withExamples([
    { command: "threat-exposure export monitoring --to monitoring.yml", description: "To keep it in a repository" }
  ])
)

export const exportCommand = Command.make("export").pipe(
  Command.withDescription("Copy the results of a search, or what is monitored, into a file"),
  Command.withSubcommands([exportCredentials, exportEvents, exportMonitoring])
)

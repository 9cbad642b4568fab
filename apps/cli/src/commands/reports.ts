import { Reports } from "@threat-exposure/core/client/Reports"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { callerPath } from "../request/CallerPath.ts"
import { refuseExisting, writeNewFile } from "../request/NewFile.ts"
import { say, writeOutput } from "../output/Output.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { countFlag, optionalText, textArgument } from "../request/Flags.ts"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"
import { namingInputs, namingMissing } from "../request/Refusal.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { collect, printListing } from "../request/Listing.ts"

const list = Command.make(
  "list",
  {
    archived: switchFlag("archived", "Archived reports as well"),
    limit: countFlag("limit", 100, "Maximum number of reports")
  },
  Effect.fnUntraced(function* ({ archived, limit }) {
    const reports = yield* Reports
    const pages = reports.pages({ size: Math.min(limit, 100), ...(archived ? { include_archived: true } : {}) })
    yield* printListing(yield* collect(pages, limit), {
      noun: "report",
      columns: [
        { title: "ID", rank: 0 },
        { title: "STATUS", rank: 0 },
        { title: "CREATED", rank: 1 },
        { title: "AUTHOR", rank: 2, isFlexible: true },
        { title: "TITLE", rank: 0, isFlexible: true }
      ],
      shownOf: (report) => redactJson(report),
      rowOf: (_, { author, created_at, id, status, title }) => [
        String(id),
        status ?? "",
        (created_at ?? "").slice(0, 10),
        author ?? "",
        title ?? ""
      ]
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List the reports of the tenant"),
  Command.withExamples([{ command: "threat-exposure reports list --json", description: "As JSON" }])
)

const create = Command.make(
  "create",
  {
    title: nonEmptyText("title", "TEXT").pipe(Flag.withDescription("Its title")),
    author: optionalText("author", "TEXT", "Who has it made"),
    period: Flag.String("period").pipe(
      Flag.withMetavar("SPAN"),
      Flag.withDefault("P30D"),
      Flag.filter(
        (text) => /^P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/u.test(text),
        () => "a span of ISO 8601, such as P30D"
      ),
      Flag.withDescription("The time before now that it covers, in ISO 8601 (default: P30D)")
    )
  },
  Effect.fnUntraced(
    function* ({ author, period, title }) {
      const reports = yield* Reports
      yield* reports.create({
        title,
        elements: [{ enabled: true, time_interval: period }],
        ...(Option.isNone(author) ? {} : { author: author.value })
      })
      yield* say(`The report "${title}" is ordered: threat-exposure reports list shows when it is completed.`)
    },
    namingInputs({ title: "--title", author: "--author", time_interval: "--period" }),
    Effect.provide(client)
  )
).pipe(
  Command.withDescription("Order a report of the tenant's events"),
  Command.withExamples([
    { command: 'threat-exposure reports create --title "November" --period P30D', description: "Of a month" }
  ])
)

const download = Command.make(
  "download",
  {
    id: textArgument("ID", "The id, as reports list shows it"),
    format: Flag.Literals("format", ["csv", "pdf"]).pipe(
      Flag.withMetavar("FORMAT"),
      Flag.withDescription("csv: a row for each event; pdf: for people")
    ),
    to: nonEmptyText("to", "FILE").pipe(Flag.withDescription("The new file; - is standard output"))
  },
  Effect.fnUntraced(function* ({ format, id, to }) {
    const reports = yield* Reports
    const downloaded = namingMissing("report", id)(reports.download(id, format))
    if (to === "-") {
      // Text from a leak could control a terminal.
      if (yield* (yield* Stdio.Stdio).stdoutIsTerminal) {
        return yield* new UsageInvalid({
          message: "--to: a report is not shown on a terminal: redirect standard output"
        })
      }
      return yield* writeOutput(Stream.make(yield* downloaded))
    }
    const file = yield* callerPath(to)
    yield* refuseExisting(file)
    yield* writeNewFile(file, yield* downloaded)
    yield* say(`The report is in ${file}.`)
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Write a completed report into a new file"),
  Command.withExamples([
    { command: "threat-exposure reports download 1 --format pdf --to report.pdf", description: "For people" }
  ])
)

export const reports = Command.make("reports").pipe(
  Command.withDescription("Order, list and download reports"),
  Command.withSubcommands([list, create, download])
)

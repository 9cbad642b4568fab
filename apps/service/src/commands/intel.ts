import { readFile } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { IntelReport } from "@threat-exposure/core/domain/Intel"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { fileFailure } from "../FileFailure.ts"
import { IntelStore } from "../intel/Intel.ts"
import { printable } from "../observability/Log.ts"
import { lineDecoder } from "../requests/ValidationFaults.ts"
import { audit } from "./Audit.ts"
import { makeFailure } from "./CommandFailed.ts"
import { resolveFromCaller } from "./DatabaseFlags.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"

const list = Command.make(
  "list",
  storeFlags,
  Effect.fnUntraced(function* (flags) {
    const requests = yield* Effect.flatMap(IntelStore, ({ list }) => list).pipe(withStores(flags))
    for (const { createdAt, isAnswered, question, requestId, tenantId } of requests) {
      const status = isAnswered ? "completed" : "processing"
      yield* Console.log(`${requestId}  tenant ${tenantId}  ${createdAt}  ${status}  ${printable(question)}`)
    }
  })
).pipe(Command.withDescription("List the questions of all tenants, oldest first"))

const answer = Command.make(
  "answer",
  {
    ...storeFlags,
    request: Argument.String("ID").pipe(
      Argument.withDescription("The request_id of the question; intel list shows it")
    ),
    file: Argument.String("FILE").pipe(
      Argument.withDescription(
        "The report: JSON with its fields, or Markdown, whose first heading is the title; - for standard input"
      )
    )
  },
  Effect.fnUntraced(function* ({ file, request, ...flags }) {
    const noReport = (reason: string) => makeFailure(`${file} is no report: ${reason}. Nothing was changed.`)
    const path = yield* resolveFromCaller(file)
    const content = yield* Effect.tryPromise({
      try: () => (path === "-" ? text(process.stdin) : readFile(path, "utf8")),
      catch: (cause) => noReport(fileFailure(cause))
    })
    const report = yield* Effect.mapError(Effect.fromResult(reportOf(content)), noReport)
    const answeredAt = DateTime.formatIso(yield* DateTime.now)
    yield* Effect.flatMap(IntelStore, ({ answer }) =>
      answer(request, { ...report, id: report.id ?? request, created_at: report.created_at ?? answeredAt }, answeredAt)
    ).pipe(
      Effect.catchTag("NotFound", () =>
        Effect.fail(
          makeFailure(`There is no question with the id ${request}: intel list shows all of them. Nothing was changed.`)
        )
      ),
      withStores(flags)
    )
    yield* audit("intel.answer", { request })
    yield* Console.log(`The question ${request} is answered.`)
  })
).pipe(Command.withDescription("Answer a question; another answer replaces the first one"))

export const intel = Command.make("intel").pipe(
  Command.withDescription("List the questions that tenants ask, and answer them"),
  Command.withSubcommands([list, answer])
)

/** Reads JSON if the content begins with a brace, and otherwise Markdown. */
const reportOf = (content: string): Result.Result<IntelReport, string> => {
  if (!content.trimStart().startsWith("{")) return reportOfMarkdown(content)
  const json = Result.try({ try: (): unknown => JSON.parse(content), catch: () => "it is not JSON" })
  return Result.flatMap(json, decodeReport)
}

const reportOfMarkdown = (content: string): Result.Result<IntelReport, string> => {
  const title = /^#{1,6}\s+(.+?)\s*#*\s*$/mu.exec(content)
  if (title === null) return Result.fail("a report in Markdown needs a heading, which is its title")
  const rest = content.replace(title[0], "").trim()
  return decodeReport({ title: title[1], content: rest })
}

const decodeReport = lineDecoder(IntelReport)

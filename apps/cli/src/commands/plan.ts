import { isApiError } from "@threat-exposure/core/client/ApiError"
import { counted } from "@threat-exposure/leak-check/Counted"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { exitCodeOf, exitCodes } from "../ExitCode.ts"
import { readMonitoring } from "../monitoring/Monitored.ts"
import { type Change, differenceOf } from "../monitoring/MonitoringChanges.ts"
import { readFile } from "../monitoring/MonitoringFile.ts"
import { json, print, printable, printJson, say } from "../output/Output.ts"
import { textArgument } from "../request/Flags.ts"
import { confirmDeletion, untilAdmitted, yesFlag } from "../request/Targets.ts"

const fileArgument = textArgument(
  "FILE",
  "The YAML file, as export monitoring writes it (docs/cli.md#a-file-of-what-is-monitored)"
)

const prune = switchFlag("prune", "Delete what the file does not name")

const signs = { create: "+", update: "~", delete: "-", assign: "~", unassign: "~" } as const

const lineOf = ({ action, kind, name, what }: Change): string =>
  printable(
    `${signs[action]} ${action} ${kind} ${JSON.stringify(name)}${what.length === 0 ? "" : `: ${what.join(", ")}`}`
  )

const shown = ({ action, kind, name, what }: Change) => ({ action, kind, name, what })

/** The service differs from the file. */
class Differs extends Schema.TaggedError<Differs>()("Differs", { count: Schema.Int }) {
  readonly exitCode = exitCodes.differs

  override get message() {
    return `${counted(this.count, "change")} to make: threat-exposure apply makes them`
  }
}

/** Some of the changes were not made. */
class ApplyStopped extends Schema.TaggedError<ApplyStopped>()("ApplyStopped", {
  exitCode: Schema.Int,
  message: Schema.String
}) {}

const compare = Effect.fnUntraced(function* (file: string, isPruning: boolean) {
  const wanted = yield* readFile(file)
  return yield* differenceOf(wanted, yield* readMonitoring, isPruning)
})

export const plan = Command.make(
  "plan",
  { file: fileArgument, prune },
  Effect.fnUntraced(function* ({ file, prune }) {
    const { changes, kept } = yield* compare(file, prune)
    const isJson = yield* json
    for (const change of changes) yield* isJson ? printJson(shown(change)) : print(lineOf(change))
    for (const { kind, name } of kept) {
      yield* say(`Only the service has the ${kind} ${JSON.stringify(name)}: --prune deletes it.`)
    }
    if (changes.length > 0) return yield* new Differs({ count: changes.length })
    yield* say("The service is as the file says.")
  }, Effect.provide(client))
).pipe(
  Command.withDescription(
    "Show what apply would change of what is monitored. Exit code 0 without a difference, 6 with one"
  ),
  Command.withExamples([{ command: "threat-exposure plan monitoring.yml", description: "In a change request" }])
)

export const apply = Command.make(
  "apply",
  { file: fileArgument, prune, yes: yesFlag },
  Effect.fnUntraced(function* ({ file, prune, yes }) {
    const { changes } = yield* compare(file, prune)
    const deletions = changes.filter(({ action }) => action === "delete")
    if (deletions.length > 0) {
      yield* confirmDeletion(deletions.map(({ kind, name }) => `the ${kind} ${JSON.stringify(name)}`).join(", "), yes)
    }
    const isJson = yield* json
    let done = 0
    for (const change of changes) {
      yield* untilAdmitted(change.run).pipe(
        Effect.mapError((failure) => {
          const reason = isApiError(failure) ? failureText(failure) : failure.message
          return new ApplyStopped({
            exitCode: done === 0 ? exitCodeOf(failure) : exitCodes.incomplete,
            message: `${done} of ${counted(changes.length, "change")} made, and then stopped at ${lineOf(change)}: ${reason}. Run the same command again to continue`
          })
        })
      )
      done += 1
      yield* isJson ? printJson(shown(change)) : print(lineOf(change))
    }
    yield* say(done === 0 ? "The service is as the file says." : `${counted(done, "change")} made.`)
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Make the service monitor what a file says; it can be repeated"),
  Command.withExamples([
    { command: "threat-exposure apply monitoring.yml", description: "What only the service has stays" },
    { command: "threat-exposure apply monitoring.yml --prune --yes", description: "What only the service has goes" }
  ])
)

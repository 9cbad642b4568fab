/** Runs a command over many targets, and reports the result of each. */
import { type ApiError, isApiError, isUnknownResource } from "@threat-exposure/core/client/ApiError"
import { counted } from "@threat-exposure/leak-check/Counted"
import { failureText } from "@threat-exposure/leak-check/search/FailureText"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import * as Argument from "effect/cli/Argument"
import * as Prompt from "effect/cli/Prompt"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { exitCodes } from "../ExitCode.ts"
import { callerPath } from "./CallerPath.ts"
import { json, printJson, say } from "../output/Output.ts"
import { optionalText } from "./Flags.ts"
import { readTextFile } from "./FileText.ts"
import { standardInput } from "./StandardInput.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/** `metavar` names a target in the help, such as UID. */
export const targetFlags = (metavar: string, description: string) => ({
  targets: Argument.String(metavar).pipe(Argument.atLeast(0), Argument.withDescription(description)),
  fromFile: optionalText("from-file", "FILE", "More of them, one a line; - reads standard input")
})

export interface TargetFlagValues {
  readonly targets: ReadonlyArray<string>
  readonly fromFile: Option.Option<string>
}

/** The targets without duplicates, in the given order. */
export const targetsOf = Effect.fnUntraced(function* ({ fromFile, targets }: TargetFlagValues) {
  const lines = Option.isNone(fromFile) ? [] : (yield* readText(fromFile.value)).split("\n").map((line) => line.trim())
  // A file that is no list is neither sent nor shown: it may contain secrets.
  const wrong = lines.findIndex((line) => line.length > maxTarget || /[\p{Cc}\ufffd]/u.test(line))
  if (wrong !== -1) {
    return yield* new UsageInvalid({
      message: `--from-file: line ${wrong + 1} is not a target: it is longer than ${maxTarget} characters, or not text`
    })
  }
  const given = [...targets.map((target) => target.trim()), ...lines].filter((target) => target !== "")
  return given.length === 0
    ? yield* new UsageInvalid({
        message: Option.match(fromFile, {
          onNone: () => "Nothing to do: name at least one target, or give --from-file",
          onSome: (file) => `--from-file: ${file === "-" ? "standard input" : file} is empty`
        })
      })
    : [...new Set(given)]
})

/** Maximum length of a uid or id in a file. */
const maxTarget = 2_000

const readText = Effect.fnUntraced(function* (file: string) {
  return file === "-" ? yield* standardInput : yield* readTextFile(yield* callerPath(file), `--from-file: ${file}`)
})

/** Targets that are numeric ids. */
export const idsOf = Effect.fnUntraced(function* (flags: TargetFlagValues) {
  const targets = yield* targetsOf(flags)
  const wrong = targets.findIndex((target) => !/^\d{1,15}$/u.test(target))
  return wrong === -1
    ? targets.map(Number)
    : yield* new UsageInvalid({ message: `Target ${wrong + 1} of the list is not an id, which is a number` })
})

export interface Action<Target, R> {
  /** Singular noun, such as "event". */
  readonly noun: string
  /** Past participle for messages, such as "ignored". */
  readonly done: string
  /** Name of a target's member in JSON, such as "uid". */
  readonly key: string
  /** Maximum number of targets per request. */
  readonly maxTargets: number
  /** Acts on the targets; with `--json`, its result is printed beside each target. */
  readonly run: (targets: ReadonlyArray<Target>) => Effect.Effect<object | void, ApiError | UsageInvalid, R>
}

/**
 * Runs an action over all targets in order. Skips targets that are not found; stops at any other failure. If nothing
 * was done, fails with the failure of the service; otherwise the failure names the completed targets.
 */
export const actOnTargets = Effect.fnUntraced(function* <Target extends string | number, R>(
  targets: ReadonlyArray<Target>,
  { done: participle, key, maxTargets, noun, run }: Action<Target, R>
) {
  const isJson = yield* json
  const done: Array<Target> = []
  const missing: Array<Target> = []
  let failure: ApiError | UsageInvalid | undefined

  const attempt = Effect.fnUntraced(function* (some: ReadonlyArray<Target>) {
    const result = yield* Effect.result(untilAdmitted(run(some)))
    if (result._tag === "Failure") return result.failure
    done.push(...some)
    if (isJson) for (const target of some) yield* printJson({ [key]: target, done: true, ...result.success })
    return undefined
  })

  for (let start = 0; start < targets.length && failure === undefined; start += maxTargets) {
    const batch = targets.slice(start, start + maxTargets)
    const failed = yield* attempt(batch)
    if (!isUnknownResource(failed)) failure = failed
    else {
      // The service rejects a whole batch if one target is unknown, and need not say which: try the targets one by one.
      for (const target of batch) {
        const failed = batch.length === 1 ? undefined : yield* attempt([target])
        if (batch.length === 1 || isUnknownResource(failed)) missing.push(target)
        else if (failed !== undefined) {
          failure = failed
          break
        }
      }
    }
  }

  if (isJson) {
    const handled = new Set([...done, ...missing])
    for (const target of missing) yield* printJson({ [key]: target, done: false, reason: "not found" })
    for (const target of targets) {
      if (!handled.has(target)) yield* printJson({ [key]: target, done: false, reason: "not tried, or failed" })
    }
  }
  if (done.length === targets.length) return yield* say(`${counted(done.length, noun)} ${participle}.`)
  if (done.length === 0 && failure !== undefined) return yield* Effect.fail(failure)
  const reasons = [
    ...(missing.length === 0
      ? []
      : [
          `not found: ${named(missing)} (check them, the address of the service and the path prefix; an older service may lack this operation)`
        ]),
    ...(failure === undefined ? [] : [`stopped: ${isApiError(failure) ? failureText(failure) : failure.message}`])
  ]
  return yield* new TargetsLeft({
    exitCode: done.length === 0 ? exitCodes.usage : exitCodes.incomplete,
    message: [
      `${done.length} of ${counted(targets.length, noun)} ${participle}; ${reasons.join("; ")}`,
      ...(done.length === 0 ? [] : [`Done: ${done.join(", ")}`])
    ].join("\n")
  })
})

/** The first targets only: if a file is no list of targets, a message must not repeat every line. */
const named = (targets: ReadonlyArray<string | number>): string =>
  [
    ...targets.slice(0, maxNamed),
    ...(targets.length > maxNamed ? [`and ${targets.length - maxNamed} more; --json names all`] : [])
  ].join(", ")

const maxNamed = 10

/**
 * Repeats a change that the rate limit rejected, which had no effect. The client waits for the limit before each
 * further request.
 */
export const untilAdmitted = <A, R>(change: Effect.Effect<A, ApiError | UsageInvalid, R>) =>
  Effect.retry(change, {
    while: (failure) => failure._tag === "RateLimited" && !failure.isQuotaSpent,
    times: maxRefusals
  })

const maxRefusals = 5

/** At least one target was not done. */
export class TargetsLeft extends Schema.TaggedError<TargetsLeft>()("TargetsLeft", {
  exitCode: Schema.Int,
  message: Schema.String
}) {}

export const yesFlag = switchFlag("yes", "Delete without asking; needed where nobody can be asked")

/** Asks for confirmation at a terminal. `what` names the deleted items, such as "2 identifiers and their matches". */
export const confirmDeletion = Effect.fnUntraced(function* (what: string, isConfirmed: boolean) {
  if (isConfirmed) return
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal) || !(yield* stdio.stdoutIsTerminal)) {
    return yield* new UsageInvalid({ message: `This deletes ${what}: give --yes to confirm it` })
  }
  const isWanted = yield* Prompt.run(Prompt.Confirm({ message: `Delete ${what}?` }))
  if (!isWanted) return yield* new UsageInvalid({ message: "Nothing was deleted" })
})

/** Wraps the runner of GitHub Actions; the only file that imports `@actions/cache`. */
import { randomUUID } from "node:crypto"
import { Console, Context, Duration, Effect, FileSystem, Layer, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { makeSecretMatcher, type SecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import type { Annotation as LineAnnotation } from "@threat-exposure/leak-check/report/Annotations"
import { type Comments, commentsOver } from "./Comments.ts"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"

/** An annotation; without a location, it belongs to the run. */
export type Annotation = Pick<LineAnnotation, "level" | "message"> & Partial<LineAnnotation>

/** The outputs could not be set, so a later step would act on a missing verdict. */
export class OutputsUnwritable extends Schema.TaggedError<OutputsUnwritable>()("OutputsUnwritable", {
  file: Schema.String
}) {
  override get message() {
    return `The outputs could not be set: GITHUB_OUTPUT is \`${this.file}\`, which cannot be written; it must be a file that the job may write to`
  }
}

export class GitHub extends Context.Service<
  GitHub,
  {
    /** Writes one or more lines to the log; text that looks like a workflow command is defused. */
    log(text: string): Effect.Effect<void>
    /** Runs the effect, with its log collapsed under a title. */
    group<A, E, R>(title: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R>
    annotate(annotation: Annotation): Effect.Effect<void>
    /**
     * Masks a value from now on: in the runner's log, and in what this service writes to log, annotations, comments and
     * summary.
     */
    mask(value: Redacted.Redacted): Effect.Effect<void>
    /** Sets outputs without masking, because a verdict may be equal to the value of a secret. */
    setOutputs(outputs: Readonly<Record<string, string>>): Effect.Effect<void, OutputsUnwritable>
    /** Appends Markdown to the job summary, if the runner has one. */
    summarise(markdown: string): Effect.Effect<void>
    commentsOf(pullRequest: number, token: Redacted.Redacted): Comments
    /**
     * Restores the newest cache entry with the first prefix that matches any to `path`. Never fails: a lost cache only
     * costs searches.
     */
    restoreCache(path: string, prefixes: readonly [string, ...ReadonlyArray<string>]): Effect.Effect<void>
    /**
     * Saves the file at `path` in the cache. Never fails, and waits at most ten seconds. Runs of untrusted events may
     * only read the cache.
     */
    saveCache(path: string, key: string): Effect.Effect<void>
  }
>()("@threat-exposure/action/GitHub") {
  static readonly layer = Layer.effect(
    GitHub,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const isOnRunner = (yield* environmentVariable("GITHUB_ACTIONS")) === "true"
      const summaryFile = yield* environmentVariable("GITHUB_STEP_SUMMARY")
      const outputFile = yield* environmentVariable("GITHUB_OUTPUT")
      const http = yield* HttpClient.HttpClient
      const apiUrl = (yield* environmentVariable("GITHUB_API_URL")) ?? "https://api.github.com"
      const repository = (yield* environmentVariable("GITHUB_REPOSITORY")) ?? ""
      let hasCache =
        ((yield* environmentVariable("ACTIONS_RESULTS_URL")) ?? (yield* environmentVariable("ACTIONS_CACHE_URL"))) !==
        undefined

      const masked = new Set<string>()
      /** Created on demand, and reset when a value is added, so that many values are indexed only once. */
      let matcher: SecretMatcher | undefined
      const redact = (text: string) => {
        // Masks whole values only, like the runner: a workflow secret may be an ordinary word.
        matcher ??= makeSecretMatcher([], { wholes: masked })
        return matcher.redact(text, "***")
      }

      const appendTo = (file: string, text: string) => files.writeFileString(file, text, { flag: "a" })

      const commentsOf = (pullRequest: number, token: Redacted.Redacted): Comments => {
        const { create, find, update } = commentsOver(http, { apiUrl, repository, pullRequest, token })
        return { find, create: (body) => create(redact(body)), update: (id, body) => update(id, redact(body)) }
      }

      /** Logs a failure of the cache at debug level; then the cache is not used again in this run. */
      const withCache = (what: string, use: (cache: Cache) => Promise<unknown>) =>
        Effect.suspend(() =>
          hasCache
            ? Effect.tryPromise(async () => use(await import("@actions/cache"))).pipe(
                Effect.timeout(cacheTimeout),
                Effect.catchCause((cause) =>
                  Effect.suspend(() => {
                    hasCache = false
                    return command("debug", `${what} failed: ${redact(String(cause))}`)
                  })
                )
              )
            : Effect.void
        )

      return GitHub.of({
        log: (text) => Console.log(withoutCommands(redact(text))),
        group: (title, effect) =>
          Effect.acquireUseRelease(
            command("group", title),
            () => effect,
            () => command("endgroup")
          ),
        annotate: ({ level, location, message, title }) =>
          command(level, withoutCommands(redact(message)), {
            ...(title === undefined ? {} : { title: withoutCommands(redact(title)) }),
            ...(location === undefined
              ? {}
              : {
                  file: redact(location.path),
                  line: location.line,
                  ...(location.endLine === undefined ? {} : { endLine: location.endLine }),
                  // GitHub rejects columns in a range of several lines.
                  ...(location.line === location.endLine &&
                  location.column !== undefined &&
                  location.endColumn !== undefined
                    ? { col: location.column, endColumn: location.endColumn }
                    : {})
                })
          }),
        mask: (value) =>
          Effect.gen(function* () {
            for (const line of Redacted.value(value).split(/\r\n|\r|\n/u)) {
              const text = line.trim()
              if (text.length < minMaskLength || masked.has(text)) continue
              masked.add(text)
              matcher = undefined
              // Without a runner that processes the command, this would print the secret.
              if (isOnRunner) yield* command("add-mask", text)
            }
          }),
        setOutputs: (outputs) =>
          outputFile === undefined
            ? Effect.void
            : Effect.suspend(() => {
                const delimiter = `ghadelimiter_${randomUUID()}`
                const entries = Object.entries(outputs).map(
                  ([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`
                )
                return appendTo(outputFile, entries.join(""))
              }).pipe(Effect.mapError(() => new OutputsUnwritable({ file: outputFile }))),
        summarise: (markdown) =>
          summaryFile === undefined
            ? Effect.void
            : appendTo(summaryFile, redact(markdown)).pipe(
                orWarn("The summary could not be written: GITHUB_STEP_SUMMARY names a file that cannot be written")
              ),
        commentsOf,
        restoreCache: (path, prefixes) =>
          withCache("Restoring the cache", (cache) => cache.restoreCache([path], prefixes[0], [...prefixes])),
        saveCache: (path, key) => withCache("Saving the cache", (cache) => cache.saveCache([path], key))
      })
    })
  )
}

type Cache = typeof import("@actions/cache")

const cacheTimeout = Duration.seconds(10)

const orWarn = (message: string) => Effect.catchCause(() => command("warning", message))

/** https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands */
const command = (name: string, message = "", parameters: Readonly<Record<string, string | number>> = {}) => {
  const given = Object.entries(parameters).map(
    ([key, value]) => `${key}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`
  )
  return Console.log(`::${[name, ...(given.length === 0 ? [] : [given.join(",")])].join(" ")}::${escapeData(message)}`)
}

const escapeData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** Minimum length of a masked value: shorter values occur within too many words. */
const minMaskLength = 6

/** Defuses workflow commands: the runner recognizes `::` at the beginning of a line, and `##[` anywhere. */
const withoutCommands = (text: string) => text.replaceAll(/^(\s*):(?=:)/gmu, "$1: ").replaceAll("##[", "## [")

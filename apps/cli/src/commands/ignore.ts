import { leadsOut } from "@threat-exposure/leak-check/config/SettingValue"
import { linkIn } from "@threat-exposure/leak-check/config/RepositoryFiles"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { entryFaults, type IgnoreEntry, isExpired, parse } from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { withIgnoreEntry, withoutIgnoreEntries } from "@threat-exposure/leak-check/ignore/IgnoreFileEdit"
import type { YamlInvalid } from "@threat-exposure/leak-check/Yaml"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { durationOf } from "@threat-exposure/leak-check/config/TimeInput"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { noSettingFlags } from "../check/CheckFlags.ts"
import { appliedSettings } from "../check/AppliedSettings.ts"
import { callerTopFolder } from "../check/Worktree.ts"
import { durableFiles, ordinaryFile } from "../output/DurableFiles.ts"
import { fileFault, fileLock } from "../output/FileLock.ts"
import { fileFailure, writeFailure } from "../output/FileFailure.ts"
import { tableOptions, json, print, printJson, say } from "../output/Output.ts"
import { table } from "../output/Table.ts"
import { optionalText } from "../request/Flags.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

const fileFlag = {
  ignoreFile: optionalText(
    "ignore-file",
    "FILE",
    "The ignore file. Default: the file that a check uses, which THREAT_EXPOSURE_IGNORE_FILE or the config file names, else .threat-exposure-ignore.yml at the top of the repository"
  )
}

/**
 * Opens the ignore file that a check with the same flag reads; the text is empty if the file does not exist. A file
 * that the flag names must exist, unless `mayBeNew`.
 */
const open = Effect.fnUntraced(function* (given: Option.Option<string>, mayBeNew = false) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* callerTopFolder
  const flags = { ...noSettingFlags, "ignore-file": given }
  const { settings } = yield* Effect.provide(appliedSettings(flags, { root, event: undefined }), cloneLayer({ root }))
  const name = settings["ignore-file"]
  const file = path.resolve(root, name)
  const link = leadsOut(name) ? undefined : yield* linkIn(root, name)
  if (link !== undefined) {
    return yield* new UsageInvalid({
      message: `${name} is not read or written, because ${link} is a symbolic link: name the file that it points to`
    })
  }
  const text = yield* files.readFile(file).pipe(
    Effect.map(decode),
    Effect.catch(({ reason }) =>
      reason._tag === "NotFound" && (mayBeNew || Option.isNone(given))
        ? Effect.succeed("")
        : Effect.fail(new UsageInvalid({ message: `${name} cannot be read (${fileFailure(reason)})` }))
    )
  )
  return { name, file, text }
})

type Opened = Effect.Success<ReturnType<typeof open>>

/** Opens the file and runs the edit while no other program edits it. */
const edit = Effect.fnUntraced(function* <A, R>(
  given: Option.Option<string>,
  run: (opened: Opened) => Effect.Effect<A, UsageInvalid, R>,
  mayBeNew = false
) {
  const whileLocked = yield* fileLock
  const { file, name } = yield* open(given, mayBeNew)
  return yield* whileLocked(file, Effect.flatMap(open(given, mayBeNew), run)).pipe(
    Effect.catchTag(["PlatformError", "FileLocked"], (failure) =>
      Effect.fail(new UsageInvalid({ message: `${name} ${fileFault(failure)}` }))
    )
  )
})

const invalidFile = ({ faults, file }: YamlInvalid) =>
  new UsageInvalid({ message: faults.map(({ line, message }) => `${file}, line ${line}: ${message}`).join("\n") })

const entriesOf = (text: string, name: string) =>
  Effect.mapBoth(parse(text, name), { onSuccess: ({ entries }) => entries, onFailure: invalidFile })

const write = Effect.fnUntraced(function* (file: string, edit: Effect.Effect<string | undefined, YamlInvalid>) {
  const { replace } = yield* durableFiles
  const text = yield* Effect.mapError(edit, invalidFile)
  if (text === undefined) {
    return yield* new UsageInvalid({
      message: `${file} cannot be edited in this form: write one entry below the other`
    })
  }
  yield* replace(file, text, ordinaryFile).pipe(
    Effect.mapError(({ reason }) => new UsageInvalid({ message: `${file} ${writeFailure(reason)}` }))
  )
})

/** Parses `--expires`: a date, or a time span from now. */
const dayOf = Effect.fnUntraced(function* (expires: string) {
  const span = durationOf(expires)
  if (span !== undefined) return DateTime.formatIsoDateUtc(DateTime.addDuration(yield* DateTime.now, span))
  return /^\d{4}-\d{2}-\d{2}$/u.test(expires)
    ? expires
    : yield* new UsageInvalid({
        message: "--expires takes a date (2027-02-01) or a span from now (30d, 12w)"
      })
})

const add = Command.make(
  "add",
  {
    fingerprint: Argument.String("FINGERPRINT").pipe(
      Argument.withDescription("The fingerprint, as in the report of a check")
    ),
    reason: Flag.String("reason").pipe(
      Flag.withMetavar("TEXT"),
      Flag.withDescription("Why the leak can be ignored; others read it in the file")
    ),
    expires: Flag.String("expires").pipe(
      Flag.withMetavar("WHEN"),
      Flag.withDefault("90d"),
      Flag.withDescription(
        "The last day on which the entry applies: 2027-02-01, or a span from now such as 90d; a year at most (default: 90d)"
      )
    ),
    ...fileFlag
  },
  Effect.fnUntraced(function* ({ expires, fingerprint: given, ignoreFile, reason }) {
    const day = yield* dayOf(expires)
    const fingerprint = given.trim().toLowerCase()
    const entry = { fingerprint, reason, expires: day }
    const faults = yield* entryFaults(entry)
    if (faults.length > 0) {
      const said = faults.map(({ key, message }) => `${key === "fingerprint" ? "FINGERPRINT" : `--${key}`} ${message}`)
      return yield* new UsageInvalid({ message: said.join("\n") })
    }
    if (isExpired(entry, yield* DateTime.now)) {
      return yield* new UsageInvalid({ message: `--expires ${day} is past: the entry would never apply` })
    }
    const file = yield* edit(
      ignoreFile,
      ({ file, name, text }) => Effect.as(write(file, withIgnoreEntry(text, entry, name)), file),
      true
    )
    yield* say(`${fingerprint} is ignored until ${day}, in ${file}.`)
    const root = yield* callerTopFolder
    const remote = yield* Effect.provide(
      Effect.flatMap(Clone, ({ remoteName }) => remoteName),
      cloneLayer({ root })
    )
    if (remote === undefined) {
      yield* say(
        "The entry may not apply elsewhere: without a remote named origin, the fingerprint depends on the name of the folder. Add the remote, check again and ignore the leak again."
      )
    }
  })
).pipe(
  Command.withDescription("Add a resolved leak to the ignore file"),
  Command.withExamples([
    {
      command: 'threat-exposure ignore add 25ae6aa11916ded1 --reason "rotated on Monday" --expires 30d',
      description: "A leaked password that is no longer valid"
    }
  ])
)

const list = Command.make(
  "list",
  fileFlag,
  Effect.fnUntraced(function* ({ ignoreFile }) {
    const { name, text } = yield* open(ignoreFile)
    const entries = yield* entriesOf(text, name)
    const now = yield* DateTime.now
    const stateOf = (entry: IgnoreEntry) => (isExpired(entry, now) ? "expired" : "applies")
    if (yield* json) {
      for (const entry of entries) {
        const { by = null, expires, fingerprint, reason } = entry
        yield* printJson({ fingerprint, state: stateOf(entry), expires, reason, by })
      }
      return
    }
    if (entries.length === 0) return yield* say("Nothing is ignored.")
    const lines = table(
      [
        { title: "FINGERPRINT", rank: 0 },
        { title: "STATE", rank: 0 },
        { title: "EXPIRES", rank: 1 },
        { title: "REASON", rank: 2, isFlexible: true }
      ],
      entries.map((entry) => [entry.fingerprint, stateOf(entry), entry.expires, entry.reason]),
      yield* tableOptions
    )
    for (const line of lines) yield* print(line)
  })
).pipe(
  Command.withDescription("List what is ignored, until when and why"),
  Command.withExamples([{ command: "threat-exposure ignore list --json", description: "As JSON, for another program" }])
)

const prune = Command.make(
  "prune",
  fileFlag,
  Effect.fnUntraced(function* ({ ignoreFile }) {
    const now = yield* DateTime.now
    const removeExpired = Effect.fnUntraced(function* ({ file, name, text }: Opened) {
      const expired = (yield* entriesOf(text, name)).filter((entry) => isExpired(entry, now))
      const fingerprints = expired.map(({ fingerprint }) => fingerprint)
      if (expired.length > 0) yield* write(file, withoutIgnoreEntries(text, fingerprints, name))
      return expired
    })
    const expired = yield* edit(ignoreFile, removeExpired)
    yield* say(`${expired.length} expired ${expired.length === 1 ? "entry" : "entries"} removed.`)
  })
).pipe(
  Command.withDescription("Remove expired entries, and nothing else"),
  Command.withExamples([{ command: "threat-exposure ignore prune", description: "Before a commit" }])
)

export const ignore = Command.make("ignore").pipe(
  Command.withDescription("Manage the ignore file: resolved leaks, each with a reason and an expiry date"),
  Command.withSubcommands([add, list, prune])
)

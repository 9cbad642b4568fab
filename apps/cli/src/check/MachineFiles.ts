/** Scans files of the home folder that often contain secrets and that infostealers look for. */
import { readBounded } from "@threat-exposure/detect/files/BoundedBytes"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { scanText } from "@threat-exposure/detect/Text"
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { counted } from "@threat-exposure/leak-check/Counted"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { readTextFile } from "../request/FileText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { type MachineName, machineNames } from "./MachineNames.ts"

/** Names relative to the home folder, separated by spaces. */
const knownFiles = {
  loginShells:
    ".profile .bash_profile .bash_login .bashrc .zshenv .zprofile .zshrc .zlogin .env .config/fish/config.fish",
  histories:
    ".bash_history .zsh_history .sh_history .local/share/fish/fish_history .python_history .node_repl_history .psql_history .mysql_history .sqlite_history .rediscli_history",
  credentials:
    ".netrc _netrc .git-credentials .config/git/credentials .gitconfig .pgpass .my.cnf .s3cfg .boto .vault-token",
  clouds:
    ".aws/credentials .aws/config .azure/accessTokens.json .oci/config .kube/config .docker/config.json .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub .config/doctl/config.yaml .terraform.d/credentials.tfrc.json .terraformrc .config/rclone/rclone.conf .databrickscfg",
  packageManagers:
    ".npmrc .yarnrc .yarnrc.yml .pypirc .config/pip/pip.conf .pip/pip.conf .gem/credentials .bundle/config .cargo/credentials.toml .cargo/credentials .m2/settings.xml .gradle/gradle.properties .composer/auth.json .config/composer/auth.json .nuget/NuGet/NuGet.Config",
  agents:
    ".claude.json .claude/settings.json .codex/auth.json .codex/config.toml .codex/history.jsonl .gemini/settings.json .copilot/config.json .config/opencode/opencode.json"
}

/** Folders relative to the home folder, and the names of the files to read in them; recursive if the folder is hidden. */
const knownFolders: ReadonlyArray<readonly [folder: string, names: RegExp]> = [
  [".ssh", /^(?!known_hosts|authorized_keys|.*\.pub$)/u],
  [".config/gcloud", /^adc\.json$|credentials.*\.json$/u],
  // Transcripts of coding agents.
  [".claude/projects", /\.jsonl$/u],
  [".codex/sessions", /\.jsonl$/u],
  [".gemini/tmp", /\.jsonl?$/u],
  [".copilot/session-state", /\.jsonl?$/u],
  // Passwords that were exported from a browser.
  ...["Desktop", "Documents", "Downloads"].map((folder) => [folder, /(?:password|login|credential).*\.csv$/iu] as const)
]

const maxFiles = 5_000
const maxFileSize = 20_000_000
/** Startup files may print text without end. */
const maxEnvironmentSize = 1_000_000

/** Milliseconds for one file. */
const maxReadingTime = 60_000

export interface MachineScan {
  readonly candidates: ReadonlyArray<Candidate>
  /** Names of the machine and its user, to search stealer logs for. */
  readonly names: ReadonlyArray<MachineName>
  /** One sentence for each file that exists and could not be read completely. */
  readonly gaps: ReadonlyArray<string>
}

/** Prints the names of all files before it reads any of them. */
export const scanMachine = Effect.gen(function* () {
  const paths = yield* Path.Path
  const clock = yield* Clock.Clock
  const home = (yield* environmentVariable("HOME")) ?? (yield* environmentVariable("USERPROFILE"))
  if (home === undefined || home === "") {
    return yield* new UsageInvalid({ message: "--machine: neither HOME nor USERPROFILE names a home folder" })
  }
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    files.readDirectory(home),
    ({ reason }) =>
      new UsageInvalid({ message: `--machine: the home folder ${home} cannot be read (${fileFailure(reason)})` })
  )
  const { found, gaps } = yield* findFiles(home)
  yield* say(`Reading ${counted(found.length, "file")} of ${home}:`)
  for (const name of found) yield* say(`- ~/${name}`)
  const shell = yield* environmentVariable("SHELL")
  if (shell !== undefined) yield* say(`- what ${shell} sets as a login shell`)
  const candidates: Array<Candidate> = []
  for (const name of found) {
    const text = yield* Effect.result(readTextFile(paths.join(home, name), `~/${name}`))
    if (text._tag === "Failure") {
      gaps.push(text.failure.message)
      continue
    }
    const end = clock.currentTimeMillisUnsafe() + maxReadingTime
    const isLate = () => clock.currentTimeMillisUnsafe() > end
    const { candidates: found, skipped } = scanText(text.success, `~/${name}`, { isLate })
    if (skipped === "not-in-time") gaps.push(`~/${name} was not read to its end in time`)
    else if (skipped !== undefined) yield* say(`~/${name} was left out: ${skipped}`)
    for (const candidate of firstOfEachValue(found)) candidates.push(candidate)
  }
  if (shell !== undefined) {
    const variables = yield* Effect.option(loginEnvironment(shell))
    if (Option.isNone(variables)) gaps.push(`${shell} did not give its environment as a login shell`)
    else candidates.push(...candidatesInVariables(variables.value))
  }
  const scan: MachineScan = { candidates, names: yield* machineNames(home), gaps }
  return scan
}).pipe(Effect.withSpan("scanMachine"))

/** A login shell reveals secrets from unknown files and from programs that its startup files run. */
const loginEnvironment = Effect.fnUntraced(
  function* (shell: string) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const child = ChildProcess.make(shell, ["-l", "-c", "env"], { stdin: "ignore", stderr: "ignore" })
    const { stdout } = yield* spawner.spawn(child)
    const bytes = yield* readBounded(stdout, maxEnvironmentSize)
    return bytes.length > maxEnvironmentSize ? yield* Effect.fail("too large") : decode(bytes)
  },
  Effect.scoped,
  Effect.timeout("10 seconds")
)

const candidatesInVariables = (text: string): ReadonlyArray<Candidate> => {
  // The program's own token must not be searched.
  const others = text.replaceAll(/^THREAT_EXPOSURE_.*\n?/gmu, "")
  const path = "the environment of the login shell"
  return scanText(others, ".env", { isFile: false }).candidates.map((candidate): Candidate =>
    Object.assign({}, candidate, { location: Object.assign({}, candidate.location, { path }) })
  )
}

/** Removes duplicates: a shell history or a transcript can repeat a value thousands of times. */
const firstOfEachValue = (candidates: ReadonlyArray<Candidate>): Iterable<Candidate> => {
  const first = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const value = Redacted.value(candidate.value)
    if (!first.has(value)) first.set(value, candidate)
  }
  return first.values()
}

/** `found` are names relative to the home folder, with slashes; `gaps` says why other files are not read. */
const findFiles = Effect.fnUntraced(function* (home: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const found: Array<string> = []
  const gaps: Array<string> = []

  /** Undefined if the path does not exist. */
  const unlessMissing = <A>(name: string, access: Effect.Effect<A, PlatformError>) =>
    access.pipe(
      Effect.catch(({ reason }) => {
        const isBelowFile = Predicate.hasProperty(reason.cause, "code") && reason.cause.code === "ENOTDIR"
        if (reason._tag !== "NotFound" && !isBelowFile) gaps.push(`~/${name} cannot be read (${fileFailure(reason)})`)
        return Effect.undefined
      })
    )

  const add = Effect.fnUntraced(function* (name: string) {
    const info = yield* unlessMissing(name, files.stat(paths.join(home, name)))
    if (info === undefined || info.type === "Directory" || (info.type === "File" && info.size === 0n)) return
    // Reading a pipe would block.
    if (info.type !== "File") gaps.push(`~/${name} was not read: it is a pipe, a socket or a device`)
    else if (info.size > maxFileSize) gaps.push(`~/${name} was not read: it has more than ${maxFileSize / 1e6} MB`)
    else if (found.length >= maxFiles) gaps.push(`~/${name} was not read: there are more than ${maxFiles} files`)
    else found.push(name)
  })

  /** Does not follow links to folders, which may form cycles or lead to the whole disk. */
  const addBelow = (folder: string, names: RegExp, isRecursive: boolean): Effect.Effect<void> =>
    Effect.gen(function* () {
      const below = yield* unlessMissing(folder, files.readDirectory(paths.join(home, folder)))
      for (const name of below ?? []) {
        const path = `${folder}/${name}`
        if (names.test(name)) yield* add(path)
        if (!isRecursive) continue
        const isFolder = Effect.map(files.stat(paths.join(home, path)), ({ type }) => type === "Directory")
        if (!(yield* Effect.orElseSucceed(isFolder, () => false))) continue
        const link = yield* Effect.option(files.readLink(paths.join(home, path)))
        if (Option.isNone(link)) yield* addBelow(path, names, isRecursive)
        else gaps.push(`~/${path} was not read: it is a link to a folder`)
      }
    })

  for (const name of Object.values(knownFiles).flatMap((names) => names.split(" "))) yield* add(name)
  for (const [folder, names] of knownFolders) {
    yield* addBelow(folder, names, folder.startsWith("."))
  }
  return { found, gaps }
})

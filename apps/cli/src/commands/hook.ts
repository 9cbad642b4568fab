import { createServer } from "node:http"
import { Git } from "@threat-exposure/detect/git/Git"
import { linkIn } from "@threat-exposure/leak-check/config/RepositoryFiles"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import { callerTopFolder } from "../check/Worktree.ts"
import {
  type Agent,
  type AgentCommand,
  agentHooks,
  agents,
  commandOf,
  defaultDeadline,
  isEmpty,
  probeVariable,
  scanShare,
  takesHook,
  withHook
} from "../hook/AgentHooks.ts"
import { exitCodes } from "../ExitCode.ts"
import { hookNames, hookScript, keptName, marker } from "../hook/HookScript.ts"
import { durableFiles, ordinaryFile } from "../output/DurableFiles.ts"
import { fileFailure } from "../output/FileFailure.ts"
import { say } from "../output/Output.ts"
import { countFlag } from "../request/Flags.ts"
import { standardInput } from "../request/StandardInput.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

/** The folder where git looks for hooks; `isOwn` is false if other repositories may share it (`core.hooksPath`). */
const hooksFolder = Effect.gen(function* () {
  const git = yield* Git
  const path = yield* Path.Path
  const top = yield* callerTopFolder
  const common = yield* git
    .text(top, ["rev-parse", "--git-common-dir"])
    .pipe(Effect.mapError(({ message }) => new UsageInvalid({ message })))
  const configured = yield* Effect.option(git.text(top, ["config", "--type=path", "--get", "core.hooksPath"]))
  const folder = path.resolve(
    top,
    Option.getOrElse(configured, () => path.join(common, "hooks"))
  )
  return { folder, isOwn: folder.startsWith(`${path.resolve(top, common)}${path.sep}`) }
})

/** Whether the hooks would find the program on the PATH. */
const isOnPath = Effect.gen(function* () {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const program = ChildProcess.make("threat-exposure", ["--version"])
  return yield* spawner.exitCode(program).pipe(
    Effect.map((code) => code === ChildProcessSpawner.ExitCode(0)),
    Effect.orElseSucceed(() => false)
  )
})

/**
 * Whether the file exists. Includes a dangling symbolic link: its target may be on another branch, and writing would
 * follow it.
 */
const isThere = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* files.exists(file)) || Option.isSome(yield* Effect.option(files.readLink(file)))
})

const isInstalled = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return (yield* Effect.orElseSucceed(files.readFileString(file), () => "")).includes(marker)
})

const unwritable = (folder: string) =>
  Effect.mapError((error: PlatformError.PlatformError | UsageInvalid) =>
    error._tag === "UsageInvalid"
      ? error
      : new UsageInvalid({ message: `The hooks in ${folder} cannot be changed (${fileFailure(error.reason)})` })
  )

const agentFlag = Flag.Literals("agent", agents).pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("A coding agent, instead of git")
)

const onIncompleteFlag = Flag.Literals("on-incomplete", ["fail", "warn"]).pipe(
  Flag.withMetavar("CHOICE"),
  Flag.withDefault("fail"),
  Flag.withDescription(
    "With --agent: whether to refuse (fail, the default) or to allow (warn) what holds a possible secret that cannot be checked in time"
  )
)

/** Reads the settings of an agent in this repository. */
const openAgentSettings = Effect.fnUntraced(function* (agent: Agent) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const top = yield* callerTopFolder
  const file = path.join(top, agentHooks[agent].file)
  const link = yield* linkIn(top, agentHooks[agent].file)
  if (link !== undefined) {
    return yield* new UsageInvalid({
      message: `${file} is not read or written, because ${link} is a symbolic link: add the hook to the file that it points to`
    })
  }
  const text = yield* files
    .readFileString(file)
    .pipe(
      Effect.catch(({ reason }) =>
        reason._tag === "NotFound"
          ? Effect.undefined
          : Effect.fail(new UsageInvalid({ message: `${file} cannot be read (${fileFailure(reason)})` }))
      )
    )
  const settings = text === undefined ? {} : Option.getOrUndefined(decodeSettings(text))
  return settings === undefined || !takesHook(settings, agent)
    ? yield* new UsageInvalid({
        message: `${file} is not plain JSON, or its hooks have another form, and it is not changed: add the command ${commandOf(agent, "fail")} to its hooks`
      })
    : { file, settings, top }
})

const decodeSettings = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const installForAgent = Effect.fnUntraced(function* (agent: Agent, onIncomplete: "fail" | "warn") {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { replace } = yield* durableFiles
  const { file, settings, top } = yield* openAgentSettings(agent)
  const { dryRun, isOutputWithheld, trust } = agentHooks[agent]
  const written = withHook(settings, agent, commandOf(agent, onIncomplete))
  yield* Effect.andThen(
    files.makeDirectory(path.dirname(file), { recursive: true }),
    replace(file, `${JSON.stringify(written, null, 2)}\n`, ordinaryFile)
  ).pipe(unwritable(path.dirname(file)))
  yield* say(`The hook is in ${file}. It refuses prompts and tools with a secret that is known to have leaked.`)
  yield* say(
    onIncomplete === "fail"
      ? "What holds a possible secret that cannot be checked within two seconds is refused (--on-incomplete fail)."
      : "What holds a possible secret that cannot be checked within two seconds is allowed (--on-incomplete warn)."
  )
  yield* say(
    isOutputWithheld
      ? "Such output of a tool is withheld from the model."
      : "The agent shows the output of a tool to its model all the same, with a warning."
  )
  yield* say(trust)
  if (!(yield* isOnPath)) return yield* say(notOnPath("nothing is checked"))
  if (dryRun === undefined) return
  const command = dryRun(yield* refusingModel)
  const { program } = command
  const isCalled = yield* callsHook(command, top)
  if (isCalled === undefined) return yield* say(`${program} is not on the PATH: the hook was not tried.`)
  yield* isCalled
    ? say(`Tried: ${program} calls the hook.`)
    : Effect.fail(
        new HookNotCalled({
          message: `${program} did not call the hook when it was tried: nothing is checked yet. ${trust}`
        })
      )
}, Effect.scoped)

/** The address of a server that refuses every request. Without an answer, agents try again for a minute or longer. */
const refusingModel = Effect.gen(function* () {
  const server = createServer((_, response) => response.writeHead(400, { connection: "close" }).end())
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close().closeAllConnections()))
  return yield* Effect.callback<string>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`))
    })
  })
})

/** The hook is installed, but the agent does not run it. */
class HookNotCalled extends Schema.TaggedError<HookNotCalled>()("HookNotCalled", { message: Schema.String }) {
  readonly exitCode = exitCodes.incomplete
}

/**
 * Whether the agent calls the hook before it sends a prompt; undefined if the agent is not installed. No prompt is
 * sent.
 */
const callsHook = Effect.fnUntraced(function* ({ args, environment, program }: AgentCommand, top: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "threat-exposure-hook-" })
  const probe = path.join(folder, "called")
  const child = ChildProcess.make(program, args, {
    cwd: top,
    env: { ...environment, [probeVariable]: probe },
    extendEnv: true,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    forceKillAfter: "2 seconds"
  })
  const isThere = Effect.orElseSucceed(files.exists(probe), () => false)
  const called = isThere.pipe(
    Effect.filterOrFail((exists) => exists),
    Effect.retry(Schedule.spaced("200 millis"))
  )
  return yield* Effect.raceFirst(spawner.exitCode(child), called).pipe(
    Effect.andThen(isThere),
    Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => isThere }),
    Effect.orElseSucceed(() => undefined)
  )
}, Effect.scoped)

const notOnPath = (consequence: string) =>
  `threat-exposure is not on the PATH: until it is (npm install --global @threat-exposure/cli), ${consequence}.`

const install = Command.make(
  "install",
  { agent: Flag.optional(agentFlag), onIncomplete: onIncompleteFlag },
  Effect.fnUntraced(function* ({ agent, onIncomplete }) {
    if (Option.isSome(agent)) return yield* installForAgent(agent.value, onIncomplete)
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { replace } = yield* durableFiles
    const { folder, isOwn } = yield* hooksFolder
    if (!isOwn) {
      return yield* new UsageInvalid({
        message: `The hooks of this repository are in ${folder} (core.hooksPath), which other clones or repositories may share: add threat-exposure check --staged to their pre-commit and threat-exposure check --push to their pre-push, as docs/ci.md shows for husky and others`
      })
    }
    yield* Effect.gen(function* () {
      yield* files.makeDirectory(folder, { recursive: true })
      for (const name of hookNames) {
        const file = path.join(folder, name)
        const kept = path.join(folder, keptName(name))
        const isOthers = (yield* isThere(file)) && !(yield* isInstalled(file))
        if (isOthers) {
          if (yield* isThere(kept)) {
            return yield* new UsageInvalid({
              message: `${file} is not the hook that threat-exposure installed, and ${kept} is an earlier hook: merge the two into one of these files, and delete the other`
            })
          }
          yield* files.rename(file, kept)
        }
        yield* replace(file, hookScript(name), { mode: 0o755 }).pipe(
          Effect.onError(() => (isOthers ? Effect.ignore(files.rename(kept, file)) : Effect.void))
        )
      }
    }).pipe(unwritable(folder))
    yield* say(`Commits and pushes are now checked, by ${hookNames.join(" and ")} in ${folder}.`)
    if (!(yield* isOnPath)) {
      yield* say(notOnPath("every commit and push is stopped"))
    }
  })
).pipe(
  Command.withDescription(
    "Add hooks that check every commit and push in this repository, or what a coding agent does in it; existing hooks are kept and run first"
  ),
  Command.withExamples([
    { command: "threat-exposure hook install", description: "Once in each clone" },
    { command: "threat-exposure hook install --agent codex", description: "For a coding agent" }
  ])
)

const uninstallForAgent = Effect.fnUntraced(function* (agent: Agent) {
  const files = yield* FileSystem.FileSystem
  const { replace } = yield* durableFiles
  const { file, settings } = yield* openAgentSettings(agent)
  const rest = withHook(settings, agent, undefined)
  if (JSON.stringify(rest) === JSON.stringify(settings)) return yield* say(`No threat-exposure hook is in ${file}.`)
  const change = isEmpty(rest, agent)
    ? files.remove(file)
    : replace(file, `${JSON.stringify(rest, null, 2)}\n`, ordinaryFile)
  yield* change.pipe(unwritable(file))
  yield* say(`The hook is removed from ${file}.`)
})

const runForAgent = Command.make(
  "run",
  {
    agent: agentFlag,
    onIncomplete: onIncompleteFlag,
    deadline: countFlag(
      "deadline",
      defaultDeadline,
      "Milliseconds that a check may take, start included; agents wait five seconds"
    )
  },
  Effect.fnUntraced(function* ({ agent, deadline, onIncomplete }) {
    const { answerProbe, checkAgentEvent } = yield* Effect.promise(() => import("../check/AgentCheck.ts"))
    yield* answerProbe(agent)
    const { candidatesOfEvent, messageWithoutEnd, unreadable } = yield* Effect.promise(
      () => import("../hook/AgentEvent.ts")
    )
    const clock = yield* Clock.Clock
    const end = clock.currentTimeMillisUnsafe() + deadline * scanShare
    const candidates = yield* Effect.map(standardInput, (text) =>
      candidatesOfEvent(text, () => clock.currentTimeMillisUnsafe() > end)
    ).pipe(
      Effect.timeoutOrElse({
        duration: Duration.millis(deadline * scanShare),
        orElse: () => Effect.succeed(messageWithoutEnd)
      }),
      Effect.orElseSucceed(() => unreadable)
    )
    yield* checkAgentEvent({ agent, candidates, deadline, onIncomplete })
  })
).pipe(
  Command.withDescription(
    "Check an event that a coding agent writes to standard input. Exit code 2 refuses it, with the reason on standard error"
  ),
  Command.withExamples([
    { command: "threat-exposure hook run --agent codex < event.json", description: "As the agent calls it" }
  ])
)

const uninstall = Command.make(
  "uninstall",
  { agent: Flag.optional(agentFlag) },
  Effect.fnUntraced(function* ({ agent }) {
    if (Option.isSome(agent)) return yield* uninstallForAgent(agent.value)
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { folder } = yield* hooksFolder
    let removed = 0
    yield* Effect.gen(function* () {
      for (const name of hookNames) {
        const file = path.join(folder, name)
        if (!(yield* isInstalled(file))) continue
        yield* files.remove(file)
        removed += 1
        const kept = path.join(folder, keptName(name))
        if (yield* isThere(kept)) yield* files.rename(kept, file)
      }
    }).pipe(unwritable(folder))
    yield* say(
      removed === 0
        ? "No threat-exposure hook is installed here."
        : "The hooks are removed, and earlier hooks are restored."
    )
  })
).pipe(
  Command.withDescription("Remove the hooks, and restore earlier ones"),
  Command.withExamples([{ command: "threat-exposure hook uninstall", description: "In this clone" }])
)

export const hook = Command.make("hook").pipe(
  Command.withDescription("Add or remove hooks that check every commit and push, or what a coding agent does"),
  Command.withSubcommands([install, uninstall, runForAgent])
)

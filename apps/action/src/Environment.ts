/** The variables that the runner sets for a step. */
import { createHash } from "node:crypto"
import { repositoryNameOf } from "@threat-exposure/leak-check/range/RepositoryName"
import { SettingsRefused } from "@threat-exposure/leak-check/config/ConfigFile"
import { formatValue, leadsOut } from "@threat-exposure/leak-check/config/SettingValue"
import { Effect, FileSystem, Path } from "effect"
import { inputHelp, type InputName, inputNames } from "./Inputs.ts"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import { githubEvent } from "@threat-exposure/leak-check/range/CiEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"

export interface Environment {
  /** Root of the checkout: the job's workspace, or the folder in it that an input names. */
  readonly workspace: string
  /** The repository's name, which salts fingerprints; undefined outside a workflow. */
  readonly repositoryName: string | undefined
  /** URL of the GitHub server, such as `https://github.com`. */
  readonly serverUrl: string
  /** URL of the repository, such as `https://github.com/owner/name`. */
  readonly repositoryUrl: string
  /** The checked-out commit. */
  readonly commit: string | undefined
  /** Path of the workflow file, relative to the repository's root. */
  readonly workflowFile: string | undefined
  /** A folder that the runner empties between jobs. */
  readonly temporary: string | undefined
  /** Unique per attempt, job and run. */
  readonly runId: string
  /** The user or bot that triggered the event. */
  readonly actor: string | undefined
  readonly event: WorkflowEvent
  /** The part of the repository and its domains that the inputs select; undefined if they select all. */
  readonly part: Part | undefined
  /** The inputs that are not empty, as written. */
  readonly given: Readonly<Partial<Record<InputName, string>>>
}

/**
 * A part of the repository. Several jobs for one pull request, such as those of a matrix, may each check one, with its
 * own comment and cache.
 */
export interface Part {
  /** Identifies the part: twelve hexadecimal digits. */
  readonly key: string
  /** Describes the part to people. */
  readonly name: string
}

const partOf = (given: Environment["given"]): Part | undefined => {
  const chosen = (["working-directory", "paths", "config-file", "domains", "login-domains"] as const).flatMap(
    (name) => {
      const text = given[name]
      return text === undefined ? [] : [[name, text] as const]
    }
  )
  if (chosen.length === 0) return undefined
  return {
    key: createHash("sha256").update(JSON.stringify(chosen)).digest("hex").slice(0, 12),
    name: chosen.map(([, text]) => text.trim().replaceAll(/\s*\n\s*/gu, ", ")).join(", ")
  }
}

export const readEnvironment = Effect.gen(function* () {
  const path = yield* Path.Path
  const workspace = yield* checkout
  const repository = yield* environmentVariable("GITHUB_REPOSITORY")
  const serverUrl = (yield* environmentVariable("GITHUB_SERVER_URL")) ?? "https://github.com"
  const workflow = (yield* environmentVariable("GITHUB_WORKFLOW_REF")) ?? ""
  const run = [
    yield* environmentVariable("GITHUB_RUN_ID"),
    yield* environmentVariable("GITHUB_RUN_ATTEMPT"),
    yield* environmentVariable("GITHUB_JOB")
  ]

  const given: Partial<Record<InputName, string>> = {}
  for (const name of inputNames) {
    const text = (yield* environmentVariable(`INPUT_${name.toUpperCase()}`)) ?? (yield* readFallback(name))
    if (text !== undefined) given[name] = text
  }

  return {
    workspace,
    repositoryName: repository === undefined ? undefined : repositoryNameOf(`${serverUrl}/${repository}`),
    serverUrl,
    repositoryUrl: `${serverUrl}/${repository ?? path.basename(workspace)}`,
    commit: yield* environmentVariable("GITHUB_SHA"),
    workflowFile: /^[^/]+\/[^/]+\/(\.github\/workflows\/[^@]+)@/u.exec(workflow)?.[1],
    temporary: yield* environmentVariable("RUNNER_TEMP"),
    runId: run.map((part) => part ?? "0").join("-"),
    actor: yield* environmentVariable("GITHUB_ACTOR"),
    event: yield* githubEvent((yield* environmentVariable("GITHUB_EVENT_NAME")) ?? "none"),
    part: partOf(given),
    given
  } satisfies Environment
})

/** The workspace, or the folder of it that an input names. */
const checkout = Effect.gen(function* () {
  const path = yield* Path.Path
  const workspace = path.resolve((yield* environmentVariable("GITHUB_WORKSPACE")) ?? ".")
  const why = yield* whyNoFolder(workspace)
  if (why !== undefined) {
    return yield* refuse(
      `GITHUB_WORKSPACE is ${formatValue(workspace)}: ${why}; it must be the folder of the job into which actions/checkout has written the repository`
    )
  }
  const folder = yield* environmentVariable("INPUT_WORKING-DIRECTORY")
  if (folder === undefined) return workspace
  const below = path.resolve(workspace, folder)
  const whyNot = (yield* whyNoFolder(below)) ?? (yield* whyOutside(workspace, below))
  return whyNot === undefined
    ? below
    : yield* refuse(
        `Input \`working-directory\` is ${formatValue(folder)}: ${whyNot}; it must be ${inputHelp["working-directory"].mustBe}`
      )
})

const refuse = (message: string) => new SettingsRefused({ faults: [{ message }] })

const whyNoFolder = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.stat(path)).pipe(
    Effect.map(({ type }) => (type === "Directory" ? undefined : "it is not a folder")),
    Effect.orElseSucceed(() => "there is no such folder")
  )

/** A change under review may replace the folder by a link, which must not lead out of the workspace. */
const whyOutside = Effect.fnUntraced(
  function* (workspace: string, folder: string) {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const inside = path.relative(yield* files.realPath(workspace), yield* files.realPath(folder))
    return leadsOut(inside) ? "it leads out of the workspace" : undefined
  },
  Effect.orElseSucceed(() => "there is no such folder")
)

const readFallback = (name: InputName) => {
  const variable = inputHelp[name].variable
  return variable === undefined ? Effect.undefined : environmentVariable(variable)
}

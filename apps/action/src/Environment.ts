/** The variables that the runner sets for a step. */
import { repositoryNameOf } from "@threat-exposure/leak-check/range/RepositoryName"
import { Effect, Path } from "effect"
import { inputHelp, type InputName, inputNames } from "./Inputs.ts"
import { environmentVariable } from "@threat-exposure/leak-check/EnvironmentVariable"
import { githubEvent } from "@threat-exposure/leak-check/range/CiEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"

export interface Environment {
  /** The root of the checkout: the workspace of the job, or the folder of it that an input names. */
  readonly workspace: string
  /** The name that salts fingerprints; undefined outside of a workflow. */
  readonly repositoryName: string | undefined
  /** Such as `https://github.com`. */
  readonly serverUrl: string
  /** Such as `https://github.com/owner/name`. */
  readonly repositoryUrl: string
  /** The commit that is checked out. */
  readonly commit: string | undefined
  /** The file of the workflow, relative to the repository's root. */
  readonly workflowFile: string | undefined
  /** A folder that is emptied between jobs. */
  readonly temporary: string | undefined
  /** Different for every attempt of every job of every run. */
  readonly runId: string
  /** The user or bot who caused the event. */
  readonly actor: string | undefined
  readonly event: WorkflowEvent
  /** The inputs that are not empty, as they were written. */
  readonly given: Readonly<Partial<Record<InputName, string>>>
}

export const readEnvironment = Effect.gen(function* () {
  const path = yield* Path.Path
  const folder = (yield* environmentVariable("INPUT_WORKING-DIRECTORY")) ?? "."
  const workspace = path.resolve((yield* environmentVariable("GITHUB_WORKSPACE")) ?? ".", folder)
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
    const text = (yield* environmentVariable(`INPUT_${name.toUpperCase()}`)) ?? (yield* fallback(name))
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
    given
  } satisfies Environment
})

const fallback = (name: InputName) => {
  const variable = inputHelp[name].variable
  return variable === undefined ? Effect.undefined : environmentVariable(variable)
}

/** Detects the event that started a CI run, from the variables of the CI system. */
import { Effect, FileSystem, Option, Schema } from "effect"
import { Clone } from "./Clone.ts"
import { atCurrentBase, currentBase } from "./Range.ts"
import { environmentVariable } from "../EnvironmentVariable.ts"
import { PayloadUnreadable, type WorkflowEvent, workflowEventOf } from "./WorkflowEvent.ts"

export type CiSystem = "github" | "gitlab" | "azure" | "bitbucket" | "jenkins" | "circleci" | "buildkite"

export type EventKind = "change-request" | "merge-queue" | "push" | "tag" | "schedule" | "manual"

export interface CiEvent {
  readonly source: CiSystem
  /** Null if the system does not report it. */
  readonly kind: EventKind | null
  readonly event: WorkflowEvent
}

/** Undefined outside the known CI systems. */
export const ciEvent = Effect.gen(function* (): Effect.fn.Return<
  CiEvent | undefined,
  never,
  Clone | FileSystem.FileSystem
> {
  for (const [source, variable, read] of systems) {
    if ((yield* environmentVariable(variable)) !== undefined) return { source, ...(yield* read) }
  }
  return undefined
})

/**
 * Why uncommitted changes are not checked in a build of an unknown CI system: the commits of the build are not known.
 * Undefined outside such a build.
 */
export const whyUnknownSystem = Effect.map(environmentVariable("CI"), (ci) =>
  ci === undefined || /^(?:false|no|0)$/iu.test(ci)
    ? undefined
    : "The variable CI is set, but this CI system is not known, and neither are the commits of the build: give --range A..B, or --tree for all files"
)

type Read = Effect.Effect<Omit<CiEvent, "source">, never, Clone | FileSystem.FileSystem>

/** The event for a change, compared with the merge base of the current target. */
const change = Effect.fnUntraced(function* (
  target: {
    readonly commit?: string | undefined
    readonly branch?: string | undefined
    /** True if the branch is not in the clone's remote. */
    readonly isElsewhere?: boolean
  },
  head: string,
  { built, kind = "change-request" }: { readonly built?: string; readonly kind?: "change-request" | "merge-queue" } = {}
) {
  const { branch, commit, isElsewhere = false } = target
  const base = yield* currentBase({
    head,
    built,
    earlier: commit,
    target: branch === undefined || isElsewhere ? undefined : { branch, repository: undefined }
  })
  const event: WorkflowEvent = Option.match(base, {
    onNone: () => ({
      _tag: "Unknown",
      head,
      reason:
        branch === undefined
          ? "the CI system does not name the target branch. Give --range A..B"
          : `the target branch ${branch} is not in this clone and could not be fetched. Fetch it (git fetch origin ${branch}), or give --range A..B`
    }),
    onSome: (base) =>
      kind === "merge-queue"
        ? { _tag: "MergeGroup", base, head }
        : { _tag: "PullRequest", number: undefined, base, head, isFork: false }
  })
  return { kind, event }
})

interface Branch {
  readonly branch: string | undefined
  readonly head: string
  readonly before?: string | undefined
  readonly defaultBranch?: string | undefined
  readonly kind: EventKind | null
}

/** The event for a push, or for a branch build without a known cause. */
const branchBuild = Effect.fnUntraced(function* ({ before, branch, defaultBranch: given, head, kind }: Branch) {
  const queued = queueBase.exec(branch ?? "")?.[1]
  if (queued !== undefined) return yield* change({ commit: queued }, head, { kind: "merge-queue" })
  const clone = yield* Clone
  // A new build of an already built commit does not show what is new, because the earlier build may have failed.
  const isKnown = before !== undefined && !/^0+$/u.test(before) && before !== head
  const defaultBranch =
    given ?? Option.getOrUndefined(yield* Effect.orElseSucceed(clone.defaultBranch, () => Option.none<string>()))
  const isDefaultBranch = branch !== undefined && branch === defaultBranch
  const event: WorkflowEvent =
    !isKnown && (isDefaultBranch || branch === undefined || defaultBranch === undefined)
      ? {
          _tag: "Unknown",
          head,
          reason: `${before === head ? "this commit was built before" : "no previous build is known"}. Give --range A..B, or --tree for all files`
        }
      : {
          _tag: "Push",
          before: isKnown ? before : undefined,
          after: head,
          isForced: false,
          isDefaultBranch,
          defaultBranch: branch === undefined ? undefined : defaultBranch
        }
  return { kind: before === head ? null : kind, event }
})

/** GitHub's branch for a merge queue entry ends with the commit that the entry is merged into. */
const queueBase = /^gh-readonly-queue\/.+\/pr-\d+-([0-9a-f]{40,64})$/u

const tag = (head: string) => ({ kind: "tag" as const, event: { _tag: "Tag" as const, head } })

const whole = (kind: "schedule" | "manual") => ({ kind, event: { _tag: "Other" as const, name: kind } })

/** The commit of the build: the variable's value, or HEAD if that is not a commit id. */
const readBuiltCommit = Effect.fnUntraced(function* (variable: string) {
  const commit = yield* environmentVariable(variable)
  return commit === undefined || !/^[0-9a-f]{40,64}$/u.test(commit) ? "HEAD" : commit
})

const github: Read = Effect.gen(function* () {
  const name = (yield* environmentVariable("GITHUB_EVENT_NAME")) ?? "none"
  const head = yield* readBuiltCommit("GITHUB_SHA")
  const payloadEvent = yield* Effect.catchTag(githubEvent(name), "PayloadUnreadable", ({ reason }) =>
    Effect.succeed<WorkflowEvent>({
      _tag: "Unknown",
      head,
      reason: `the payload of the event ${name} cannot be read (${reason}). Give --range A..B, or --tree for all files`
    })
  )
  const event = yield* atCurrentBase(payloadEvent, head)
  switch (event._tag) {
    case "PullRequest":
      return { kind: "change-request", event }
    case "MergeGroup":
      return { kind: "merge-queue", event }
    case "Push":
      return { kind: "push", event }
    case "Tag":
      return { kind: "tag", event }
    case "Other":
      return { kind: name === "schedule" ? "schedule" : name === "workflow_dispatch" ? "manual" : null, event }
    case "Unknown":
      return { kind: null, event }
  }
})

/** The event of a run of GitHub Actions. */
export const githubEvent = Effect.fn("githubEvent")(function* (name: string) {
  const files = yield* FileSystem.FileSystem
  const file = yield* environmentVariable("GITHUB_EVENT_PATH")
  const payload =
    file === undefined
      ? {}
      : yield* files.readFileString(file).pipe(
          Effect.flatMap(Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))),
          Effect.mapError(
            () => new PayloadUnreadable({ event: name, reason: "GITHUB_EVENT_PATH does not name a JSON file" })
          )
        )
  return yield* workflowEventOf(name, payload)
})

/** https://docs.gitlab.com/ci/variables/predefined_variables/ */
const gitlab: Read = Effect.gen(function* () {
  const source = yield* environmentVariable("CI_PIPELINE_SOURCE")
  const head = yield* readBuiltCommit("CI_COMMIT_SHA")
  // The child pipeline of a merge request has another source.
  if (source === "merge_request_event" || (yield* environmentVariable("CI_MERGE_REQUEST_IID")) !== undefined) {
    const target = yield* environmentVariable("CI_MERGE_REQUEST_PROJECT_PATH")
    const isTrain = (yield* environmentVariable("CI_MERGE_REQUEST_EVENT_TYPE")) === "merge_train"
    // The built commit is a merge, so the head of the source branch is used.
    const own = (yield* environmentVariable("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")) ?? head
    const merged = yield* environmentVariable("CI_MERGE_REQUEST_TARGET_BRANCH_SHA")
    return yield* change(
      merged === undefined
        ? {
            commit: yield* environmentVariable("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
            branch: yield* environmentVariable("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
            isElsewhere: target !== undefined && target !== (yield* environmentVariable("CI_PROJECT_PATH"))
          }
        : { commit: merged },
      own,
      { kind: isTrain ? "merge-queue" : "change-request" }
    )
  }
  if (source === "external_pull_request_event") {
    const commit = yield* environmentVariable("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_SHA")
    const branch = yield* environmentVariable("CI_EXTERNAL_PULL_REQUEST_TARGET_BRANCH_NAME")
    const own = yield* environmentVariable("CI_EXTERNAL_PULL_REQUEST_SOURCE_BRANCH_SHA")
    return yield* change({ commit, branch }, own ?? head)
  }
  if (source === "schedule") return whole("schedule")
  if (source !== "push" && source !== undefined) return whole("manual")
  if ((yield* environmentVariable("CI_COMMIT_TAG")) !== undefined) return tag(head)
  return yield* branchBuild({
    branch: yield* environmentVariable("CI_COMMIT_BRANCH"),
    before: yield* environmentVariable("CI_COMMIT_BEFORE_SHA"),
    head,
    defaultBranch: yield* environmentVariable("CI_DEFAULT_BRANCH"),
    kind: source === undefined ? null : "push"
  })
})

/** https://learn.microsoft.com/azure/devops/pipelines/build/variables */
const azure: Read = Effect.gen(function* () {
  const reason = yield* environmentVariable("BUILD_REASON")
  const head = yield* readBuiltCommit("BUILD_SOURCEVERSION")
  const ref = yield* environmentVariable("BUILD_SOURCEBRANCH")
  if (reason === "PullRequest") {
    const branch = withoutRef(yield* environmentVariable("SYSTEM_PULLREQUEST_TARGETBRANCH"))
    return yield* change({ branch }, (yield* environmentVariable("SYSTEM_PULLREQUEST_SOURCECOMMITID")) ?? head, {
      built: head
    })
  }
  if (reason === "Schedule") return whole("schedule")
  if (reason !== "IndividualCI" && reason !== "BatchedCI") return whole("manual")
  if (ref?.startsWith("refs/tags/") === true) return tag(head)
  return yield* branchBuild({ branch: withoutRef(ref), head, kind: "push" })
})

/** https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/ */
const bitbucket: Read = Effect.gen(function* () {
  const head = yield* readBuiltCommit("BITBUCKET_COMMIT")
  if ((yield* environmentVariable("BITBUCKET_PR_ID")) !== undefined) {
    // The destination's commit is not used, because Bitbucket may abbreviate it.
    return yield* change({ branch: yield* environmentVariable("BITBUCKET_PR_DESTINATION_BRANCH") }, head)
  }
  if ((yield* environmentVariable("BITBUCKET_TAG")) !== undefined) return tag(head)
  return yield* branchBuild({ branch: yield* environmentVariable("BITBUCKET_BRANCH"), head, kind: null })
})

/** https://plugins.jenkins.io/git/ and https://www.jenkins.io/doc/book/pipeline/multibranch/ */
const jenkins: Read = Effect.gen(function* () {
  const head = yield* readBuiltCommit("GIT_COMMIT")
  if ((yield* environmentVariable("CHANGE_ID")) !== undefined)
    return yield* change({ branch: yield* environmentVariable("CHANGE_TARGET") }, head)
  if ((yield* environmentVariable("TAG_NAME")) !== undefined) return tag(head)
  // An earlier build may have failed before its check; only a successful one has certainly checked its commits.
  const before =
    (yield* environmentVariable("GIT_PREVIOUS_SUCCESSFUL_COMMIT")) ??
    (yield* environmentVariable("GIT_PREVIOUS_COMMIT"))
  const named =
    (yield* environmentVariable("BRANCH_NAME")) ?? (yield* environmentVariable("GIT_BRANCH"))?.replace(/^origin\//u, "")
  // The plugin's name for a commit that was checked out by its hash.
  const branch = named === "detached" ? undefined : named
  return yield* branchBuild({ branch, before, head, kind: before === undefined ? null : "push" })
})

/**
 * CircleCI has no variable for the target branch (https://circleci.com/docs/reference/variables/), so the default
 * branch is used.
 */
const circleci: Read = Effect.gen(function* () {
  const clone = yield* Clone
  const head = yield* readBuiltCommit("CIRCLE_SHA1")
  if ((yield* environmentVariable("CIRCLE_PULL_REQUEST")) !== undefined) {
    const branch = yield* Effect.orElseSucceed(clone.defaultBranch, () => Option.none<string>())
    return yield* change({ branch: Option.getOrUndefined(branch) }, head)
  }
  if ((yield* environmentVariable("CIRCLE_TAG")) !== undefined) return tag(head)
  return yield* branchBuild({ branch: yield* environmentVariable("CIRCLE_BRANCH"), head, kind: null })
})

/** https://buildkite.com/docs/pipelines/configure/environment-variables */
const buildkite: Read = Effect.gen(function* () {
  const head = yield* readBuiltCommit("BUILDKITE_COMMIT")
  const queue = yield* environmentVariable("BUILDKITE_MERGE_QUEUE_BASE_COMMIT")
  if (queue !== undefined) return yield* change({ commit: queue }, head, { kind: "merge-queue" })
  if (((yield* environmentVariable("BUILDKITE_PULL_REQUEST")) ?? "false") !== "false") {
    return yield* change({ branch: yield* environmentVariable("BUILDKITE_PULL_REQUEST_BASE_BRANCH") }, head)
  }
  const source = yield* environmentVariable("BUILDKITE_SOURCE")
  if (source === "schedule") return whole("schedule")
  if (source !== "webhook" && source !== undefined) return whole("manual")
  if ((yield* environmentVariable("BUILDKITE_TAG")) !== undefined) return tag(head)
  return yield* branchBuild({
    branch: yield* environmentVariable("BUILDKITE_BRANCH"),
    head,
    defaultBranch: yield* environmentVariable("BUILDKITE_PIPELINE_DEFAULT_BRANCH"),
    kind: source === undefined ? null : "push"
  })
})

const withoutRef = (ref: string | undefined) => ref?.replace(/^refs\/heads\//u, "")

/** Each system is recognized by a variable that it always sets. */
const systems: ReadonlyArray<readonly [CiSystem, variable: string, Read]> = [
  ["github", "GITHUB_ACTIONS", github],
  ["gitlab", "GITLAB_CI", gitlab],
  ["azure", "TF_BUILD", azure],
  ["bitbucket", "BITBUCKET_BUILD_NUMBER", bitbucket],
  // JENKINS_URL is only set if an administrator has configured it.
  ["jenkins", "JENKINS_HOME", jenkins],
  ["circleci", "CIRCLECI", circleci],
  ["buildkite", "BUILDKITE", buildkite]
]

import { assert, describe, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import type { Range } from "@threat-exposure/detect/git/Repository"
import { Scanner } from "@threat-exposure/detect/Scanner"
import { ciEvent } from "@threat-exposure/leak-check/range/CiEvent"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { openRange } from "@threat-exposure/leak-check/range/Range"
import { cloneOf, testRepository, type TestRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { ConfigProvider, Effect, FileSystem, Layer } from "effect"

/** `fork` on main, then `ahead` of a branch, while main goes on; tags on both sides. */
const made = Effect.map(testRepository, (origin) => {
  const first = origin.commits(2)
  origin.git("tag", "v1")
  const fork = origin.commits(2)
  origin.git("checkout", "--quiet", "-b", "feature")
  const before = origin.commits(1)
  const head = origin.commits(2)
  origin.git("checkout", "--quiet", "main")
  const main = origin.commits(3)
  origin.git("tag", "-a", "-m", "two", "v2")
  return { origin, first, fork, before, head, main }
})

type Made = Effect.Success<typeof made>
type Variables = Readonly<Record<string, string>>

const eventIn = (clone: TestRepository, variables: Variables) =>
  Effect.gen(function* () {
    const ci = yield* ciEvent
    if (ci === undefined) return { ci, range: undefined }
    const scanner = yield* Scanner
    const opened = yield* openRange(ci.event, (range) => scanner.range({ root: clone.path, ...range }))
    return { ci, range: opened?.range }
  }).pipe(
    Effect.provide([
      NodeScanner.layer,
      cloneLayer({ root: clone.path }).pipe(Layer.provide(NodeScanner.gitLayer)),
      FileSystem.layerNoop({}),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))
    ])
  )

const commitsOf = (clone: TestRepository, range: Range | undefined) =>
  range === undefined
    ? []
    : clone.git("rev-list", range.head, ...(range.base === undefined ? [] : [`^${range.base}`])).split("\n")

interface Case {
  readonly name: string
  readonly branch: "feature" | "main"
  readonly variables: (made: Made) => Variables
  readonly source: string
  readonly kind: string | null
  /** What git itself has to list in the origin. */
  readonly commits: (made: Made) => ReadonlyArray<string>
}

const ofChange = ({ fork, head }: Made) => ["feature", `^${fork}`, head]
const ofPush = ({ before, head }: Made) => [head, `^${before}`]
const ofFirstPush = ({ head }: Made) => [head, "^main"]
const ofTag = () => ["v2", "^v1"]

const cases: ReadonlyArray<Case> = [
  ...[
    {
      source: "gitlab",
      change: ({ head }: Made) => ({
        GITLAB_CI: "true",
        CI_PIPELINE_SOURCE: "merge_request_event",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
        CI_COMMIT_SHA: head
      }),
      first: ({ head }: Made) => ({
        GITLAB_CI: "true",
        CI_PIPELINE_SOURCE: "push",
        CI_COMMIT_BRANCH: "feature",
        CI_COMMIT_BEFORE_SHA: "0".repeat(40),
        CI_COMMIT_SHA: head,
        CI_DEFAULT_BRANCH: "main"
      }),
      firstKind: "push",
      tag: ({ main }: Made) => ({
        GITLAB_CI: "true",
        CI_PIPELINE_SOURCE: "push",
        CI_COMMIT_TAG: "v2",
        CI_COMMIT_SHA: main
      })
    },
    {
      source: "azure",
      change: ({ head }: Made) => ({
        TF_BUILD: "True",
        BUILD_REASON: "PullRequest",
        SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
        SYSTEM_PULLREQUEST_SOURCECOMMITID: head
      }),
      first: ({ head }: Made) => ({
        TF_BUILD: "True",
        BUILD_REASON: "IndividualCI",
        BUILD_SOURCEBRANCH: "refs/heads/feature",
        BUILD_SOURCEVERSION: head
      }),
      firstKind: "push",
      tag: ({ main }: Made) => ({
        TF_BUILD: "True",
        BUILD_REASON: "IndividualCI",
        BUILD_SOURCEBRANCH: "refs/tags/v2",
        BUILD_SOURCEVERSION: main
      })
    },
    {
      source: "bitbucket",
      change: ({ head }: Made) => ({
        BITBUCKET_BUILD_NUMBER: "7",
        BITBUCKET_PR_ID: "1",
        BITBUCKET_PR_DESTINATION_BRANCH: "main",
        BITBUCKET_COMMIT: head
      }),
      first: ({ head }: Made) => ({ BITBUCKET_BUILD_NUMBER: "7", BITBUCKET_BRANCH: "feature", BITBUCKET_COMMIT: head }),
      firstKind: null,
      tag: ({ main }: Made) => ({ BITBUCKET_BUILD_NUMBER: "7", BITBUCKET_TAG: "v2", BITBUCKET_COMMIT: main })
    },
    {
      source: "jenkins",
      change: ({ head }: Made) => ({
        JENKINS_URL: "https://ci.example.com",
        CHANGE_ID: "1",
        CHANGE_TARGET: "main",
        GIT_COMMIT: head
      }),
      first: ({ head }: Made) => ({
        JENKINS_URL: "https://ci.example.com",
        BRANCH_NAME: "feature",
        GIT_COMMIT: head
      }),
      firstKind: null,
      tag: ({ main }: Made) => ({ JENKINS_URL: "https://ci.example.com", TAG_NAME: "v2", GIT_COMMIT: main })
    },
    {
      source: "circleci",
      change: ({ head }: Made) => ({
        CIRCLECI: "true",
        CIRCLE_PULL_REQUEST: "https://git.example.com/a/b/pull/1",
        CIRCLE_SHA1: head
      }),
      first: ({ head }: Made) => ({ CIRCLECI: "true", CIRCLE_BRANCH: "feature", CIRCLE_SHA1: head }),
      firstKind: null,
      tag: ({ main }: Made) => ({ CIRCLECI: "true", CIRCLE_TAG: "v2", CIRCLE_SHA1: main })
    },
    {
      source: "buildkite",
      change: ({ head }: Made) => ({
        BUILDKITE: "true",
        BUILDKITE_PULL_REQUEST: "1",
        BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main",
        BUILDKITE_COMMIT: head
      }),
      first: ({ head }: Made) => ({
        BUILDKITE: "true",
        BUILDKITE_PULL_REQUEST: "false",
        BUILDKITE_SOURCE: "webhook",
        BUILDKITE_BRANCH: "feature",
        BUILDKITE_COMMIT: head
      }),
      firstKind: "push",
      tag: ({ main }: Made) => ({
        BUILDKITE: "true",
        BUILDKITE_SOURCE: "webhook",
        BUILDKITE_TAG: "v2",
        BUILDKITE_COMMIT: main
      })
    }
  ].flatMap(({ change, first, firstKind, source, tag }): ReadonlyArray<Case> => [
    {
      name: `${source}, a change request`,
      branch: "feature",
      variables: change,
      source,
      kind: "change-request",
      commits: ofChange
    },
    {
      name: `${source}, a first push`,
      branch: "feature",
      variables: first,
      source,
      kind: firstKind,
      commits: ofFirstPush
    },
    { name: `${source}, a tag`, branch: "main", variables: tag, source, kind: "tag", commits: ofTag }
  ]),
  {
    name: "gitlab, a push",
    branch: "feature",
    variables: ({ before, head }) => ({
      GITLAB_CI: "true",
      CI_PIPELINE_SOURCE: "push",
      CI_COMMIT_BRANCH: "feature",
      CI_COMMIT_BEFORE_SHA: before,
      CI_COMMIT_SHA: head,
      CI_DEFAULT_BRANCH: "main"
    }),
    source: "gitlab",
    kind: "push",
    commits: ofPush
  },
  {
    name: "gitlab, a merge train",
    branch: "feature",
    variables: ({ head, main }) => ({
      GITLAB_CI: "true",
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_EVENT_TYPE: "merge_train",
      CI_MERGE_REQUEST_TARGET_BRANCH_SHA: main,
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head,
      CI_COMMIT_SHA: main
    }),
    source: "gitlab",
    kind: "merge-queue",
    commits: ofChange
  },
  {
    name: "jenkins, a build after an earlier one",
    branch: "feature",
    variables: ({ before, head }) => ({
      JENKINS_URL: "https://ci.example.com",
      BRANCH_NAME: "feature",
      GIT_PREVIOUS_COMMIT: before,
      GIT_COMMIT: head
    }),
    source: "jenkins",
    kind: "push",
    commits: ofPush
  },
  {
    name: "buildkite, a merge queue",
    branch: "feature",
    variables: ({ fork, head }) => ({
      BUILDKITE: "true",
      BUILDKITE_MERGE_QUEUE_BASE_COMMIT: fork,
      BUILDKITE_COMMIT: head
    }),
    source: "buildkite",
    kind: "merge-queue",
    commits: ofChange
  }
]

describe("the commits of", { timeout: 60_000 }, () => {
  it.effect.each(cases)("$name", ({ branch, commits, kind, source, variables }) =>
    Effect.gen(function* () {
      const all = yield* made
      for (const depth of [undefined, 1]) {
        const clone = yield* cloneOf(all.origin, branch, depth)
        const { ci, range } = yield* eventIn(clone, variables(all))
        assert.deepStrictEqual([ci?.source, ci?.kind], [source, kind])
        const expected = all.origin.git("rev-list", ...commits(all)).split("\n")
        assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted(), `depth ${depth}`)
      }
    })
  )

  it.effect("the first tag and a schedule are the whole tree", () =>
    Effect.gen(function* () {
      const { first, origin } = yield* made
      const tagged = yield* eventIn(origin, { CIRCLECI: "true", CIRCLE_TAG: "v1", CIRCLE_SHA1: first })
      assert.isUndefined(tagged.range)
      const scheduled = yield* eventIn(origin, { GITLAB_CI: "true", CI_PIPELINE_SOURCE: "schedule" })
      assert.deepStrictEqual(scheduled.ci, {
        source: "gitlab",
        kind: "schedule",
        event: { _tag: "Other", name: "schedule" }
      })
    })
  )

  it.effect("a default branch of which nothing tells what is new are not known, never none", () =>
    Effect.gen(function* () {
      const { main, origin } = yield* made
      const clone = yield* cloneOf(origin, "main")
      const error = yield* Effect.flip(eventIn(clone, { CIRCLECI: "true", CIRCLE_BRANCH: "main", CIRCLE_SHA1: main }))
      assert.strictEqual(error._tag, "RangeUnknown")
      assert.match(error.message, /--range .*--tree/u)
    })
  )

  it.effect("no system are none", () =>
    Effect.gen(function* () {
      const { origin } = yield* made
      assert.isUndefined((yield* eventIn(origin, {})).ci)
    })
  )
})

import { assert, layer } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import type { Range } from "@threat-exposure/detect/git/Repository"
import { Scanner } from "@threat-exposure/detect/Scanner"
import { ciEvent, type CiSystem, type EventKind } from "@threat-exposure/leak-check/range/CiEvent"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { openRange } from "@threat-exposure/leak-check/range/Range"
import {
  cloneOf,
  copyOf,
  testRepository,
  type TestRepository
} from "@threat-exposure/leak-check/testing/TestRepository"
import { ConfigProvider, Context, Effect, FileSystem, Layer, Record, Result, type Scope } from "effect"

/**
 * `fork` on main, `head` on a branch, and further commits on main; tags on both; a commit that a force push removed.
 */
const made = Effect.map(testRepository, (origin) => {
  const first = origin.commits(2)
  origin.git("tag", "v1")
  const fork = origin.commits(2)
  origin.git("checkout", "--quiet", "-b", "feature")
  const before = origin.commits(1)
  origin.git("checkout", "--quiet", "--detach")
  const dropped = origin.commits(1)
  origin.git("checkout", "--quiet", "feature")
  const head = origin.commits(2)
  origin.git("checkout", "--quiet", "main")
  const main = origin.commits(3)
  origin.git("tag", "-a", "-m", "two", "v2")
  return { origin, first, fork, before, dropped, head, main }
})

type Made = Effect.Success<typeof made>

/** After the clone, the target gets new commits and is merged into the branch, which also gets new commits. */
const mergedInBetween = Effect.gen(function* () {
  const all = yield* made
  const { origin } = all
  const persistent = yield* cloneOf(origin, "feature")
  const main = origin.commits(2)
  origin.git("checkout", "--quiet", "feature")
  origin.git("merge", "--quiet", "--no-edit", "main")
  const head = origin.commits(2)
  const expected = origin.git("rev-list", head, "^main").split("\n")
  origin.git("checkout", "--quiet", "--detach", "main")
  origin.git("merge", "--quiet", "--no-ff", "--no-edit", "feature")
  origin.git("branch", "test-merge")
  origin.git("checkout", "--quiet", "main")
  // The clone's remote-tracking branch of the target stays as in the last build.
  persistent.git("fetch", "--quiet", "origin", "feature")
  return {
    expected,
    clones: { persistent, whole: yield* cloneOf(origin, "feature"), shallow: yield* cloneOf(origin, "feature", 1) },
    all: { ...all, head, main, merge: origin.git("rev-parse", "test-merge") }
  }
})

/** Created once: a hundred separate repositories would take minutes. */
class Fixture extends Context.Service<
  Fixture,
  Made & {
    readonly clone: (branch: "feature" | "main", depth?: 1) => Effect.Effect<TestRepository, never, Scope.Scope>
    readonly merged: Effect.Success<typeof mergedInBetween>
  }
>()("@threat-exposure/leak-check/test/range/CiEvent.test/Fixture") {
  static readonly layer = Layer.effect(
    Fixture,
    Effect.gen(function* () {
      const all = yield* made
      const [feature, main] = [yield* cloneOf(all.origin, "feature"), yield* cloneOf(all.origin, "main")]
      const shallow = { feature: yield* cloneOf(all.origin, "feature", 1), main: yield* cloneOf(all.origin, "main", 1) }
      return {
        ...all,
        merged: yield* mergedInBetween,
        // A check deepens a shallow clone, so each test gets a copy.
        clone: (branch, depth) =>
          depth === undefined ? Effect.succeed({ feature, main }[branch]) : copyOf(shallow[branch])
      }
    })
  )
}
type Variables = Readonly<Record<string, string>>

/** `payload` is the content of the file at GITHUB_EVENT_PATH. */
const eventIn = (clone: TestRepository, variables: Variables, payload: unknown = undefined) =>
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
      FileSystem.layerNoop({ readFileString: () => Effect.sync(() => JSON.stringify(payload)) }),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: variables }))
    ])
  )

const commitsOf = (clone: TestRepository, { base, head }: Range) =>
  clone.git("rev-list", head, ...(base === undefined ? [] : [`^${base}`])).split("\n")

interface Build {
  readonly variables: Variables
  readonly payload?: unknown
}

/** The builds of a CI system; undefined for events that it does not have. */
interface System {
  readonly changeRequest: (made: Made) => Build
  readonly mergeQueue?: (made: Made) => Build
  readonly push: (made: Made) => Build
  readonly firstPush: (made: Made) => Build
  readonly forcePush: (made: Made) => Build
  readonly tag: (made: Made) => Build
  readonly schedule: (made: Made) => Build
  readonly manual: (made: Made) => Build
  /** Facts that the system does not report. */
  readonly silentAbout?: ReadonlyArray<"previous commit" | "push" | "first push" | "schedule">
}

const zero = "0".repeat(40)
const branchOf = (name: "feature" | "main", { head, main }: Made) => (name === "feature" ? head : main)
const queueBranch = ({ main }: Made) => `gh-readonly-queue/main/pr-7-${main}`

const github = (name: string, payload: unknown): Build => ({
  variables: { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: "/event.json" },
  payload
})
const githubPush = (after: string, before: string, forced = false) =>
  github("push", {
    ref: "refs/heads/feature",
    before,
    after,
    forced,
    repository: { default_branch: "main" }
  })

const gitlab = (source: string, head: string, more: Variables): Build => ({
  variables: {
    GITLAB_CI: "true",
    CI_PIPELINE_SOURCE: source,
    CI_COMMIT_SHA: head,
    CI_DEFAULT_BRANCH: "main",
    ...more
  }
})
const gitlabPush = (head: string, before: string) =>
  gitlab("push", head, { CI_COMMIT_BRANCH: "feature", CI_COMMIT_BEFORE_SHA: before })

const azure = (reason: string, ref: string, head: string, more: Variables = {}): Build => ({
  variables: {
    TF_BUILD: "True",
    BUILD_REASON: reason,
    BUILD_SOURCEBRANCH: ref,
    BUILD_SOURCEVERSION: head,
    ...more
  }
})
const azureBranch = (made: Made) => azure("IndividualCI", "refs/heads/feature", made.head)

const bitbucket = (head: string, more: Variables): Build => ({
  variables: { BITBUCKET_BUILD_NUMBER: "7", BITBUCKET_COMMIT: head, ...more }
})
const bitbucketBranch = (name: "feature" | "main") => (made: Made) =>
  bitbucket(branchOf(name, made), { BITBUCKET_BRANCH: name })

const jenkins = (head: string, more: Variables): Build => ({
  variables: { JENKINS_HOME: "/var/jenkins_home", GIT_COMMIT: head, ...more }
})
const jenkinsBranch = (made: Made, previous?: string) =>
  jenkins(made.head, {
    BRANCH_NAME: "feature",
    ...(previous === undefined ? {} : { GIT_PREVIOUS_COMMIT: previous })
  })
/** A rebuild: the commit was already built, so nothing is new. */
const jenkinsAgain = ({ main }: Made) => jenkins(main, { BRANCH_NAME: "main", GIT_PREVIOUS_COMMIT: main })

const circleci = (head: string, more: Variables): Build => ({
  variables: { CIRCLECI: "true", CIRCLE_SHA1: head, ...more }
})
const circleciBranch = (name: "feature" | "main") => (made: Made) =>
  circleci(branchOf(name, made), { CIRCLE_BRANCH: name })

const buildkite = (source: string, head: string, more: Variables): Build => ({
  variables: {
    BUILDKITE: "true",
    BUILDKITE_SOURCE: source,
    BUILDKITE_COMMIT: head,
    BUILDKITE_PULL_REQUEST: "false",
    BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main",
    ...more
  }
})
const buildkiteBranch = (made: Made) => buildkite("webhook", made.head, { BUILDKITE_BRANCH: "feature" })

const systems: Readonly<Record<CiSystem, System>> = {
  github: {
    changeRequest: ({ head, main }) =>
      github("pull_request", { number: 1, pull_request: { base: { sha: main, ref: "main" }, head: { sha: head } } }),
    mergeQueue: ({ head, main }) => github("merge_group", { merge_group: { base_sha: main, head_sha: head } }),
    push: ({ before, head }) => githubPush(head, before),
    firstPush: ({ head }) => githubPush(head, zero),
    forcePush: ({ dropped, head }) => githubPush(head, dropped, true),
    tag: ({ main }) => github("push", { ref: "refs/tags/v2", before: zero, after: main }),
    schedule: () => github("schedule", {}),
    manual: () => github("workflow_dispatch", {})
  },
  gitlab: {
    changeRequest: ({ head }) => gitlab("merge_request_event", head, { CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" }),
    mergeQueue: ({ head, main }) =>
      gitlab("merge_request_event", main, {
        CI_MERGE_REQUEST_EVENT_TYPE: "merge_train",
        CI_MERGE_REQUEST_TARGET_BRANCH_SHA: main,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: head
      }),
    push: ({ before, head }) => gitlabPush(head, before),
    firstPush: ({ head }) => gitlabPush(head, zero),
    forcePush: ({ dropped, head }) => gitlabPush(head, dropped),
    tag: ({ main }) => gitlab("push", main, { CI_COMMIT_TAG: "v2" }),
    schedule: ({ main }) => gitlab("schedule", main, { CI_COMMIT_BRANCH: "main" }),
    manual: ({ main }) => gitlab("web", main, { CI_COMMIT_BRANCH: "main" })
  },
  azure: {
    changeRequest: ({ head, main }) =>
      azure("PullRequest", "refs/pull/1/merge", main, {
        SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
        SYSTEM_PULLREQUEST_SOURCECOMMITID: head
      }),
    mergeQueue: (made) => azure("IndividualCI", `refs/heads/${queueBranch(made)}`, made.head),
    push: azureBranch,
    firstPush: azureBranch,
    forcePush: azureBranch,
    tag: ({ main }) => azure("IndividualCI", "refs/tags/v2", main),
    schedule: ({ main }) => azure("Schedule", "refs/heads/main", main),
    manual: ({ main }) => azure("Manual", "refs/heads/main", main),
    silentAbout: ["previous commit"]
  },
  bitbucket: {
    changeRequest: ({ head }) =>
      bitbucket(head, {
        BITBUCKET_PR_ID: "1",
        BITBUCKET_PR_DESTINATION_BRANCH: "main",
        BITBUCKET_BRANCH: "feature"
      }),
    push: bitbucketBranch("feature"),
    firstPush: bitbucketBranch("feature"),
    forcePush: bitbucketBranch("feature"),
    tag: ({ main }) => bitbucket(main, { BITBUCKET_TAG: "v2" }),
    schedule: bitbucketBranch("main"),
    manual: bitbucketBranch("main"),
    silentAbout: ["previous commit", "push", "schedule"]
  },
  jenkins: {
    changeRequest: ({ head }) => jenkins(head, { CHANGE_ID: "1", CHANGE_TARGET: "main", BRANCH_NAME: "PR-1" }),
    mergeQueue: (made) => jenkins(made.head, { BRANCH_NAME: queueBranch(made) }),
    push: (made) => jenkinsBranch(made, made.before),
    firstPush: (made) => jenkinsBranch(made),
    forcePush: (made) => jenkinsBranch(made, made.dropped),
    tag: ({ main }) => jenkins(main, { TAG_NAME: "v2", BRANCH_NAME: "v2" }),
    schedule: jenkinsAgain,
    manual: jenkinsAgain,
    silentAbout: ["first push", "schedule"]
  },
  circleci: {
    changeRequest: ({ head }) =>
      circleci(head, {
        CIRCLE_PULL_REQUEST: "https://git.example.com/a/b/pull/1",
        CIRCLE_BRANCH: "feature"
      }),
    mergeQueue: (made) => circleci(made.head, { CIRCLE_BRANCH: queueBranch(made) }),
    push: circleciBranch("feature"),
    firstPush: circleciBranch("feature"),
    forcePush: circleciBranch("feature"),
    tag: ({ main }) => circleci(main, { CIRCLE_TAG: "v2" }),
    schedule: circleciBranch("main"),
    manual: circleciBranch("main"),
    silentAbout: ["previous commit", "push", "schedule"]
  },
  buildkite: {
    changeRequest: ({ head }) =>
      buildkite("webhook", head, { BUILDKITE_PULL_REQUEST: "1", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main" }),
    mergeQueue: ({ head, main }) => buildkite("webhook", head, { BUILDKITE_MERGE_QUEUE_BASE_COMMIT: main }),
    push: buildkiteBranch,
    firstPush: buildkiteBranch,
    forcePush: buildkiteBranch,
    tag: ({ main }) => buildkite("webhook", main, { BUILDKITE_TAG: "v2", BUILDKITE_BRANCH: "v2" }),
    schedule: ({ main }) => buildkite("schedule", main, { BUILDKITE_BRANCH: "main" }),
    manual: ({ main }) => buildkite("ui", main, { BUILDKITE_BRANCH: "main" }),
    silentAbout: ["previous commit"]
  }
}

type EventName = Exclude<keyof System, "silentAbout">

interface Expected {
  readonly kind: EventKind | null
  /** Arguments of `git rev-list` in the origin, all files, or unknown. */
  readonly commits: ((made: Made) => ReadonlyArray<string>) | "tree" | "unknown"
}

const notOnMain = ({ head }: Made) => [head, "^main"]

/** The expectations of the table in docs/ci.md, for each event. */
const expectedOf = (event: EventName, { silentAbout = [] }: System): Expected => {
  const pushKind = silentAbout.includes("push") ? null : "push"
  switch (event) {
    case "changeRequest":
      return { kind: "change-request", commits: ({ fork, head }) => [head, `^${fork}`] }
    case "mergeQueue":
      return { kind: "merge-queue", commits: ({ fork, head }) => [head, `^${fork}`] }
    case "push":
      return silentAbout.includes("previous commit")
        ? { kind: pushKind, commits: notOnMain }
        : { kind: "push", commits: ({ before, head }) => [head, `^${before}`] }
    case "firstPush":
      return { kind: silentAbout.includes("first push") ? null : pushKind, commits: notOnMain }
    case "forcePush":
      return { kind: pushKind, commits: notOnMain }
    case "tag":
      return { kind: "tag", commits: () => ["v2", "^v1"] }
    case "schedule":
    case "manual":
      return silentAbout.includes("schedule") ? { kind: null, commits: "unknown" } : { kind: event, commits: "tree" }
  }
}

const events = [
  "changeRequest",
  "mergeQueue",
  "push",
  "firstPush",
  "forcePush",
  "tag",
  "schedule",
  "manual"
] as const satisfies ReadonlyArray<EventName>

const cases = Record.toEntries(systems).flatMap(([source, system]) =>
  events.flatMap((event) => {
    const build = system[event]
    return build === undefined ? [] : [{ source, event, build, ...expectedOf(event, system) }]
  })
)

layer(Fixture.layer)("the commits of", (it) => {
  it.effect.each(cases)("$source, $event", ({ build, commits, event, kind, source }) =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const { payload, variables } = build(all)
      const branch = event === "tag" || event === "schedule" || event === "manual" ? "main" : "feature"
      const expected = typeof commits === "string" ? [] : all.origin.git("rev-list", ...commits(all)).split("\n")
      for (const depth of [undefined, 1] as const) {
        const clone = yield* all.clone(branch, depth)
        const told = yield* Effect.result(eventIn(clone, variables, payload))
        if (commits === "unknown") {
          assert(Result.isFailure(told))
          assert.strictEqual(told.failure._tag, "RangeUnknown")
          assert.match(told.failure.message, /--range .*--tree/u)
          continue
        }
        assert(Result.isSuccess(told))
        const { ci, range } = told.success
        assert.deepStrictEqual([ci?.source, ci?.kind], [source, kind])
        if (commits === "tree") {
          assert.isUndefined(range)
          continue
        }
        assert(range !== undefined)
        assert.isNotEmpty(expected)
        assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted(), `depth ${depth}`)
      }
    })
  )

  it.effect.each(Record.toEntries(systems))(
    "a change that its target was merged into are those of the change: %0",
    ([source, system]) =>
      Effect.gen(function* () {
        const { all, clones, expected } = (yield* Fixture).merged
        const copies = yield* Effect.all(Record.map(clones, copyOf))
        for (const build of [system.changeRequest, system.mergeQueue]) {
          // A pull request's payload has the target at the time of the proposal; a merge queue's has the current one.
          const built = build?.(build === system.changeRequest ? { ...all, main: all.fork } : all)
          if (built === undefined) continue
          for (const [name, clone] of Record.toEntries(copies)) {
            const { ci, range } = yield* eventIn(clone, built.variables, built.payload)
            assert.strictEqual(ci?.source, source)
            assert(range !== undefined)
            assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted(), name)
          }
        }
      })
  )

  it.effect("a test merge are those since its first parent, which the clone need not have", () =>
    Effect.gen(function* () {
      const { all, expected } = (yield* Fixture).merged
      for (const depth of [undefined, 1] as const) {
        const clone = yield* cloneOf(all.origin, "test-merge", depth)
        // Without the remote's branch, only the merge commit reveals the target.
        const { head, merge } = all
        for (const { payload, variables } of [
          github("pull_request", { pull_request: { base: { sha: all.fork }, head: { sha: head } } }),
          azure("PullRequest", "refs/pull/1/merge", merge, {
            SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/no-longer-there",
            SYSTEM_PULLREQUEST_SOURCECOMMITID: head
          })
        ]) {
          const { range } = yield* eventIn(clone, { ...variables, GITHUB_SHA: merge }, payload)
          assert(range !== undefined)
          assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted())
        }
      }
    })
  )

  it.effect("a change from a fork are not decided by a branch of the fork", () =>
    Effect.gen(function* () {
      const { all, clones } = (yield* Fixture).merged
      const clone = yield* copyOf(clones.persistent)
      clone.git("update-ref", "refs/remotes/origin/main", all.head)
      clone.git("remote", "set-url", "origin", "https://127.0.0.1:1/somebody/shop")
      const { payload, variables } = github("pull_request_target", {
        pull_request: {
          base: { sha: all.fork, ref: "main", repo: { full_name: "example/shop" } },
          head: { sha: all.head, repo: { full_name: "somebody/shop", fork: true } }
        }
      })
      const { range } = yield* eventIn(clone, variables, payload)
      assert.strictEqual(range?.base, all.fork)
    })
  )

  it.effect("a change that was merged since are those of the change", () =>
    Effect.gen(function* () {
      const { all, clones } = (yield* Fixture).merged
      const clone = yield* copyOf(clones.whole)
      const { payload, variables } = github("pull_request_target", {
        pull_request: { base: { sha: all.fork, ref: "test-merge" }, head: { sha: all.head } }
      })
      const { range } = yield* eventIn(clone, variables, payload)
      assert.strictEqual(range?.base, all.fork)
    })
  )

  it.effect("a first tag are not known by commits: it is the whole tree", () =>
    Effect.gen(function* () {
      const { first, origin } = yield* Fixture
      const tagged = yield* eventIn(origin, { CIRCLECI: "true", CIRCLE_TAG: "v1", CIRCLE_SHA1: first })
      assert.strictEqual(tagged.ci?.kind, "tag")
      assert.isUndefined(tagged.range)
    })
  )

  it.effect("a child pipeline of a merge request are those of the request", () =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const clone = yield* all.clone("feature")
      const request = { CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" }
      const { ci, range } = yield* eventIn(clone, gitlab("parent_pipeline", all.head, request).variables)
      assert.strictEqual(ci?.kind, "change-request")
      assert(range !== undefined)
      const expected = all.origin.git("rev-list", all.head, `^${all.fork}`).split("\n")
      assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted())
    })
  )

  it.effect("a change request without a target are not known", () =>
    Effect.gen(function* () {
      const { origin } = yield* Fixture
      const error = yield* Effect.flip(eventIn(origin, { TF_BUILD: "True", BUILD_REASON: "PullRequest" }))
      assert.match(error.message, /the CI system does not name the target branch\. Give --range/u)
    })
  )

  it.effect("a tag are known in a shallow clone that has another object for it, as for an annotated one", () =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const clone = yield* all.clone("main", 1)
      // git refuses to replace the tag, but still fetches the history.
      clone.git("update-ref", "refs/tags/v2", all.main)
      const { range } = yield* eventIn(clone, { CIRCLECI: "true", CIRCLE_TAG: "v2", CIRCLE_SHA1: all.main })
      assert(range !== undefined)
      const expected = all.origin.git("rev-list", "v2", "^v1").split("\n")
      assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted())
    })
  )

  it.effect("a commit that was built before are not an empty range: its branch is compared with the default one", () =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const clone = yield* all.clone("feature")
      const { ci, range } = yield* eventIn(clone, jenkinsBranch(all, all.head).variables)
      assert.isNull(ci?.kind ?? null)
      assert(range !== undefined)
      const expected = all.origin.git("rev-list", ...notOnMain(all)).split("\n")
      assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted())
    })
  )

  it.effect("a build on Jenkins are those since the last build that succeeded", () =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const clone = yield* all.clone("feature")
      // Another build failed in between, or this build is a rerun.
      for (const previous of [all.before, all.head]) {
        const { variables } = jenkinsBranch(all, previous)
        const { range } = yield* eventIn(clone, { ...variables, GIT_PREVIOUS_SUCCESSFUL_COMMIT: all.fork })
        assert(range !== undefined)
        const expected = all.origin.git("rev-list", all.head, `^${all.fork}`).split("\n")
        assert.deepStrictEqual(commitsOf(clone, range).toSorted(), expected.toSorted())
      }
    })
  )

  it.effect("a build of an unnamed branch whose previous commit is gone are all of them", () =>
    Effect.gen(function* () {
      const all = yield* Fixture
      const clone = yield* all.clone("main")
      // The branch may be the default branch, which cannot be compared with itself.
      for (const named of [{}, { GIT_BRANCH: "detached" }]) {
        const build = jenkins(all.main, { ...named, GIT_PREVIOUS_COMMIT: "a".repeat(40) })
        const { range } = yield* eventIn(clone, build.variables)
        assert(range !== undefined)
        assert.deepStrictEqual(commitsOf(clone, range), all.origin.git("rev-list", "main").split("\n"))
      }
    })
  )

  it.effect("a run of GitHub Actions without its payload are not known", () =>
    Effect.gen(function* () {
      const { origin } = yield* Fixture
      const error = yield* Effect.flip(eventIn(origin, { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "push" }))
      assert.strictEqual(error._tag, "RangeUnknown")
      assert.match(error.message, /payload .*--range/u)
    })
  )

  it.effect("no system are none", () =>
    Effect.gen(function* () {
      const { origin } = yield* Fixture
      assert.isUndefined((yield* eventIn(origin, {})).ci)
    })
  )
})

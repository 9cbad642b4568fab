/** The lines that each event reads, in full and in shallow clones, whatever the names of the files. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { cloneOf, testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect } from "effect"
import { run } from "./action/Runner.ts"
import {
  annotationsIn,
  assertNothingSlipped,
  calm,
  configWith,
  connected,
  planted,
  pullRequest,
  pullRequestWith,
  searchedValues,
  Service
} from "./action/Scene.ts"

const zero = "0".repeat(40)

const push = (over: object) => ({
  ref: "refs/heads/feature",
  forced: false,
  repository: { full_name: "example/checkout", default_branch: "main" },
  ...over
})

/**
 * main has the sold value from the start; a branch adds the leaked one, then the clean one; main goes on with the
 * named one.
 */
const history = Effect.gen(function* () {
  const origin = yield* testRepository
  const start = origin.commit({ "old.env": configWith(planted.sold) })
  origin.git("checkout", "--quiet", "-b", "feature")
  const first = origin.commit({ "first.env": configWith(planted.leaked) })
  const head = origin.commit({ "second.env": configWith(planted.clean) })
  origin.git("checkout", "--quiet", "main")
  const base = origin.commit({ "main.env": configWith(planted.named) })
  return { origin, start, first, head, base }
})

layer(Service.layer, { excludeTestServices: true })("events", (it) => {
  for (const depth of [1, undefined]) {
    const clone = depth === undefined ? "a full clone" : "a clone of depth 1"

    it.effect(`pull_request in ${clone}: what the branch added, and nothing from its base`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const { base, head, origin } = yield* history
        const { path } = yield* cloneOf(origin, "main", depth)
        const done = yield* run({
          workspace: path,
          event: "pull_request",
          payload: pullRequest(base, head),
          inputs: connected(service)
        })
        assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", searches: "4" })
        assert.sameMembers(searchedValues(service), [planted.leaked, planted.clean])
        assertNothingSlipped(done, service)
      })
    )

    it.effect(`push in ${clone}: what was pushed, a first push and a forced one against the default branch`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const { first, head, origin } = yield* history
        const { path } = yield* cloneOf(origin, "feature", depth)
        const searched = Effect.fnUntraced(function* (payload: object) {
          service.searches.length = 0
          yield* run({ workspace: path, event: "push", payload, inputs: { ...connected(service), cache: "false" } })
          return searchedValues(service)
        })
        assert.sameMembers(yield* searched(push({ before: first, after: head })), [planted.clean])
        assert.sameMembers(yield* searched(push({ before: zero, after: head })), [planted.leaked, planted.clean])
        assert.sameMembers(yield* searched(push({ before: head, after: first, forced: true })), [planted.leaked])
        assert.isEmpty(yield* searched(push({ before: head, after: zero, deleted: true })))
      })
    )

    it.effect(`merge_group in ${clone}: from its base to its head`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const { first, head, origin } = yield* history
        const { path } = yield* cloneOf(origin, "main", depth)
        const done = yield* run({
          workspace: path,
          event: "merge_group",
          payload: { action: "checks_requested", merge_group: { base_sha: first, head_sha: head, head_ref: "x" } },
          inputs: connected(service)
        })
        assert.deepInclude(done.outputs, { verdict: "clean" })
        assert.sameMembers(searchedValues(service), [planted.clean])
      })
    )

    it.effect(`schedule and workflow_dispatch in ${clone}: the tree`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const { origin } = yield* history
        const { path } = yield* cloneOf(origin, "main", depth)
        for (const event of ["schedule", "workflow_dispatch"]) {
          service.searches.length = 0
          const done = yield* run({ workspace: path, event, payload: {}, inputs: connected(service) })
          assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "2" }, event)
          assert.sameMembers(searchedValues(service), [planted.sold, planted.named], event)
        }
      })
    )

    it.effect(`scan: tree, history and none in ${clone}, whatever the event`, () =>
      Effect.gen(function* () {
        const service = yield* calm
        const { base, head, origin } = yield* history
        origin.git("checkout", "--quiet", "main")
        origin.git("rm", "--quiet", "old.env")
        origin.commit({})
        const { path } = yield* cloneOf(origin, "main", depth)
        const searched = Effect.fnUntraced(function* (scan: string) {
          service.searches.length = 0
          const inputs = { ...connected(service), cache: "false", scan }
          yield* run({ workspace: path, event: "pull_request", payload: pullRequest(base, head), inputs })
          return searchedValues(service)
        })
        assert.sameMembers(yield* searched("tree"), [planted.named, planted.leaked, planted.clean])
        assert.includeMembers(yield* searched("history"), [planted.named, planted.sold])
        assert.isEmpty(yield* searched("none"))
      })
    )
  }

  it.effect("a line that a later commit of the branch removed still counts", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const origin = yield* testRepository
      const base = origin.commit({ "README.md": "# Checkout\n" })
      origin.git("checkout", "--quiet", "-b", "feature")
      origin.commit({ "a.env": configWith(planted.leaked) })
      const head = origin.commit({ "a.env": "\n" })
      const done = yield* run({
        workspace: origin.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: connected(service)
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1" })
      assertNothingSlipped(done, service)
    })
  )

  it.effect("a renamed file adds nothing", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const origin = yield* testRepository
      const base = origin.commit({ "a.env": `# settings of the shop\n${configWith(planted.leaked)}` })
      origin.git("checkout", "--quiet", "-b", "feature")
      origin.git("mv", "a.env", "b.env")
      const head = origin.commit({})
      const done = yield* run({
        workspace: origin.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: connected(service)
      })
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "0" })
    })
  )

  it.effect("files of any name are read, and reported with their name", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const origin = yield* testRepository
      const base = origin.commit({ "README.md": "# Checkout\n" })
      origin.git("checkout", "--quiet", "-b", "feature")
      const names = [
        "with space.env",
        "-dash.env",
        "ünï/çødé 日本.env",
        "quote\"and'back`tick.env",
        "percent%41,comma:colon.env",
        "new\nline.env",
        "::error::x.env",
        "<b>bold</b>|pipe|.env"
      ]
      const head = origin.commit(Object.fromEntries(names.map((name) => [name, configWith(planted.leaked)])))
      const done = yield* run({
        workspace: origin.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: { ...connected(service), "report-file": "../report.json" }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", searches: "2" })
      const errors = annotationsIn(done, "error")
      assert.strictEqual(errors.length, 1)
      assert.include(names, errors[0]?.properties["file"])
      // Inside a code span, HTML is plain text.
      assert.notInclude(done.summary.replaceAll(/(`+)[^`].*?\1/gu, ""), "<b>")
      for (const line of done.log.split("\n")) {
        if (line.startsWith("::")) assert.match(line, /^::(?:error|warning|notice|group|endgroup)[ :]/u)
      }
      assertNothingSlipped(done, service)
    })
  )

  it.effect("paths and exclude narrow what is read", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const origin = yield* testRepository
      const base = origin.commit({ "README.md": "# Checkout\n" })
      origin.git("checkout", "--quiet", "-b", "feature")
      const head = origin.commit({
        "src/a.env": configWith(planted.leaked),
        "src/test/b.env": configWith(planted.sold),
        "docs/c.env": configWith(planted.clean)
      })
      yield* run({
        workspace: origin.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: { ...connected(service), paths: "src/**", exclude: "**/test/**" }
      })
      assert.sameMembers(searchedValues(service), [planted.leaked])
    })
  )

  it.effect("incomplete if no file matches paths, or one of several globs", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "src/a.env": configWith(planted.clean) })
      for (const event of ["pull_request", "workflow_dispatch"]) {
        const none = yield* run({ ...job, event, inputs: { ...connected(service), paths: "scr/**" } })
        assert.strictEqual(none.exitCode, 1)
        assert.deepInclude(none.outputs, { verdict: "incomplete" })
        assert.include(none.summary, "Path patterns that match no file: 1 (scr/**)")
        const some = yield* run({ ...job, event, inputs: { ...connected(service), paths: "src/**, scr/**" } })
        assert.deepInclude(some.outputs, { verdict: "incomplete", searches: "2" })
        assert.include(some.summary, "Path patterns that match no file: 1 (scr/**)")
      }
    })
  )

  it.effect("incomplete if a shallow clone cannot be deepened, with advice", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const { base, head, origin } = yield* history
      const clone = yield* cloneOf(origin, "main", 1)
      clone.git("remote", "set-url", "origin", "file:///nowhere/at/all")
      const done = yield* run({
        workspace: clone.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: connected(service)
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "incomplete", searches: "0" })
      assert.include(done.summary, "fetch-depth: 0")
    })
  )

  it.effect("incomplete if nothing was checked out", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const { path } = yield* testRepository
      rmSync(join(path, ".git"), { recursive: true })
      for (const event of ["pull_request", "schedule", "workflow_dispatch"]) {
        const done = yield* run({
          workspace: path,
          event,
          payload: event === "pull_request" ? pullRequest("a".repeat(40), "b".repeat(40)) : {},
          inputs: connected(service)
        })
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "incomplete" })
        assert.include(done.summary, "check out the repository first")
      }
    })
  )

  it.effect("an event whose payload is missing or broken is an error that names it", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const origin = yield* testRepository
      origin.commit({ "README.md": "# Checkout\n" })
      for (const payload of [{}, { pull_request: { number: 1 } }]) {
        const done = yield* run({
          workspace: origin.path,
          event: "pull_request",
          payload,
          inputs: connected(service)
        })
        assert.strictEqual(done.exitCode, 1)
        assert.include(annotationsIn(done, "error")[0]?.message, "pull_request")
      }
    })
  )

  it.effect("two repositories in one workspace, which belong to another user, are each read where they are", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const workspace = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "workspace-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      )
      const own = yield* testRepository
      const job = pullRequestWith(own, { "a.env": configWith(planted.leaked) })
      own.git("remote", "add", "origin", "https://github.com/example/checkout")
      const other = yield* testRepository
      other.commit({ "b.env": configWith(planted.sold) })
      other.git("remote", "add", "origin", "https://github.com/example/other")
      for (const [name, { path }] of [
        ["own", own],
        ["other", other]
      ] as const) {
        const folder = join(workspace, name)
        cpSync(path, folder, { recursive: true })
        // The user of a job's container is not the runner's. Only the superuser can change the owner of files.
        if (process.getuid?.() === 0) execFileSync("chown", ["-R", "65534", folder])
      }
      for (const [folder, value] of [
        ["own", planted.leaked],
        ["other", planted.sold]
      ] as const) {
        const inputs = { ...connected(service), "working-directory": folder, "sarif-file": "leaks.sarif" }
        const ran = yield* run({ ...job, workspace, inputs })
        assert.strictEqual(ran.outputs["verdict"], "leaked", ran.log)
        assert.include(searchedValues(service), value)
        assert.strictEqual(ran.outputs["leaks"], "1")
        assert.isTrue(existsSync(join(workspace, folder, "leaks.sarif")))
        yield* calm
      }
    })
  )
})

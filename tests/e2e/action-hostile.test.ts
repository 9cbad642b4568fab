/** Text of a leak or of a repository is hostile, and there can be more of it than GitHub takes. */
import { symlinkSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { cloneOf, testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { credential, event } from "@threat-exposure/core/testing/Samples"
import { DateTime, Effect } from "effect"
import { run, runBundle } from "./action/Runner.ts"
import {
  annotationsIn,
  assertNothingSlipped,
  calm,
  configWith,
  connected,
  planted,
  pullRequest,
  pullRequestWith,
  Service
} from "./action/Scene.ts"

const page = (items: ReadonlyArray<unknown>) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ items, next: null })
})

const now = DateTime.formatIso(DateTime.nowUnsafe())

/** Texts of a source or a title that try to be taken for something else. */
const nasty = [
  "::error::pwned",
  "x\n::add-mask::verdict",
  "##[error]pwned",
  "</td></table><img src=https://tracker.example/x>",
  "[click](javascript:alert(1))",
  "@everybody #1",
  "\u001b[31mred\u202egnp",
  "| a | b |",
  "`code`` --> <!-- threat-exposure:leak-check -->"
].join(" ")

layer(Service.layer, { excludeTestServices: true })("hostile", (it) => {
  it.effect("a pull request cannot silence the check, and its attempts are reported", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, {
        ".threat-exposure.yml": 'fail-on: none\nexclude: "**"\nscan: none\n',
        ".gitleaks.toml": "[allowlist]\npaths = ['''.*''']\n",
        ".gitattributes": "* linguist-generated\n",
        "a.env": `DB_PASSWORD="${planted.leaked}" # threat-exposure: allow\n`,
        "b.env": configWith(planted.sold)
      })
      for (const workspace of [repository.path, (yield* cloneOf(repository, "feature", 1)).path]) {
        const done = yield* runBundle({ ...job, workspace, inputs: connected(service) })
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "2" })
        for (const name of [".threat-exposure.yml", ".gitleaks.toml", ".gitattributes", "a.env:1"]) {
          assert.include(done.summary, name)
        }
      }
    })
  )

  it.effect("no file of the repository leads the check to one outside of it", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const outside = yield* testRepository
      outside.commit({ "credentials.env": configWith(planted.leaked), "ignore.yml": `${planted.clean}: 1\n` })
      const repository = yield* testRepository
      repository.commit({ "README.md": "# Checkout\n" })
      symlinkSync(`${outside.path}/credentials.env`, `${repository.path}/x.env`)
      const job = { workspace: repository.path, event: "schedule", payload: {} }
      const done = yield* run({ ...job, inputs: connected(service) })
      assert.deepInclude(done.outputs, { verdict: "clean" })
      assert.isEmpty(service.searches)
      symlinkSync(`${outside.path}/ignore.yml`, `${repository.path}/.threat-exposure-ignore.yml`)
      const refused = yield* run({ ...job, inputs: connected(service) })
      assert.strictEqual(refused.exitCode, 1)
      assert.include(
        annotationsIn(refused, "error")[0]?.message,
        "`.threat-exposure-ignore.yml`, and .threat-exposure-ignore.yml is a symbolic link, which is not followed"
      )
      assertNothingSlipped(refused, service)
    })
  )

  it.effect("names and titles of a leak are plain text in the log, the summary and the annotations", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const base = credential()
      service.misbehave(({ path }) =>
        page(
          path.includes("credentials")
            ? [
                credential({
                  imported_at: now,
                  identity_name: `${nasty}@example.com`,
                  source: { ...base.source, id: "s", name: nasty, description_en: nasty, url: `javascript:${nasty}` },
                  auth_domains: [nasty]
                })
              ]
            : [
                {
                  ...event({ estimated_created_at: now, uid: nasty, severity: "high" }),
                  highlights: { [nasty]: [`<mark>${nasty}</mark> ${planted.leaked} <em>${planted.clean}</em>`] }
                }
              ]
        )
      )
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked, planted.clean) }),
        inputs: { ...connected(service), "report-file": "report.json", "sarif-file": "results.sarif" }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "2" })
      assert.sameMembers(
        [...new Set(done.commands.map(({ name }) => name))],
        ["add-mask", "group", "endgroup", "error"]
      )
      assert.deepStrictEqual(done.masks, [service.token])
      assert.notInclude(done.log, "##[")
      assert.notInclude(done.log, "\u001b")
      const outsideCode = done.summary.replaceAll(/(`+)[^`][\s\S]*?\1/gu, "")
      for (const live of ["<img", "](javascript:", "@everybody", "<!--"]) assert.notInclude(outsideCode, live)
      assertNothingSlipped(done, service)
    })
  )

  it.effect("a file with the same name as the value in it is not named", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* run({
        ...pullRequestWith(repository, {
          [`keys/${planted.leaked}.env`]: configWith(planted.leaked),
          [`keys/${planted.named}.env`]: configWith(planted.named)
        }),
        inputs: { ...connected(service), secrets: `DEPLOY=${planted.named}`, "report-file": "report.json" }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "2" })
      assertNothingSlipped(done, service)
    })
  )

  it.effect("more leaks than GitHub accepts: ten errors, and a summary and a comment of an allowed size", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      service.misbehave(({ path }) =>
        page(
          path.includes("credentials")
            ? Array.from({ length: 100 }, (_, id) =>
                credential({
                  id,
                  imported_at: now,
                  identity_name: `person${id}@${"long-".repeat(40)}${id}.example.com`
                })
              )
            : []
        )
      )
      const values = Array.from({ length: 90 }, (_, n) => `${planted.clean}${n}${(n * 7_919_337).toString(36)}`)
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(...values) }),
        inputs: { ...connected(service), "report-file": "report.json" }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "90", searches: "180" })
      assert.isAtMost(annotationsIn(done, "error").length, 10)
      assert.isAtMost(annotationsIn(done, "warning").length, 10)
      assert.isBelow(Buffer.byteLength(done.summary), 1024 * 1024)
      assertNothingSlipped(done, service)
    })
  )

  it.effect("submodules are not read, and are named", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const base = repository.commit({ "README.md": "# Checkout\n" })
      repository.git("checkout", "--quiet", "-b", "feature")
      repository.git("update-index", "--add", "--cacheinfo", `160000,${base},vendor/library`)
      repository.git("commit", "--quiet", "--message", "submodule")
      const head = repository.git("rev-parse", "HEAD")
      const done = yield* run({
        workspace: repository.path,
        event: "pull_request",
        payload: pullRequest(base, head),
        inputs: connected(service)
      })
      assert.deepInclude(done.outputs, { verdict: "clean" })
      assert.include(done.summary, "vendor/library")
    })
  )
})

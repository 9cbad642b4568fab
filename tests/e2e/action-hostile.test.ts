/** What comes from a leak, or stands in a repository, is hostile; and there can be more of it than GitHub takes. */
import { assert, layer } from "@effect/vitest"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { credential, event } from "@threat-exposure/core/testing/Samples"
import { DateTime, Effect } from "effect"
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
  Service
} from "./action/Scene.ts"

const page = (items: ReadonlyArray<unknown>) => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ items, next: null })
})

const now = DateTime.formatIso(DateTime.nowUnsafe())

/** What a source or a title may hold to be taken for something else. */
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

layer(Service.layer, { timeout: 120_000 })("hostile", (it) => {
  it.effect("names and titles of a leak stay text in the log, the summary and the annotations", () =>
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

  it.effect("a file that is called like the value it holds is not named", () =>
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

  it.effect("more leaks than GitHub takes: ten errors, a summary and a comment of a size it shows", () =>
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

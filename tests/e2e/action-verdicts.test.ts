/** Verdicts of runs, and their exit codes. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Effect } from "effect"
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
  searchedValues,
  Service
} from "./action/Scene.ts"

layer(Service.layer, { excludeTestServices: true })("verdicts", (it) => {
  it.effect("leaked: a value that a pull request adds was seen in a credential", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "src/config.env": `\n${configWith(planted.leaked, planted.clean)}` })
      const done = yield* runBundle({ ...job, inputs: connected(service) })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", searches: "4", unsearched: "0" })
      const [error, ...others] = annotationsIn(done, "error")
      // The range begins at the first character of the value and ends after its last.
      const [col, endColumn] = [16, 16 + planted.leaked.length].map(String)
      assert.deepInclude(error?.properties, { file: "src/config.env", line: "2", endLine: "2", col, endColumn })
      assert.isEmpty(others)
      assert.include(done.summary, "src/config.env:2")
      assert.include(done.log, "verdict: leaked (1 leak, 4 searches)")
      assert.sameMembers(searchedValues(service), [planted.leaked, planted.clean])
      assertNothingSlipped(done, service)
    })
  )

  it.effect("clean: everything was searched and nothing found", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* runBundle({
        ...pullRequestWith(repository, { "src/config.env": configWith(planted.clean) }),
        inputs: connected(service)
      })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "clean", leaks: "0", searches: "2", unsearched: "0" })
      assert.isEmpty(annotationsIn(done, "error"))
      assertNothingSlipped(done, service)
    })
  )

  it.effect("says how far it is: about twenty times, and once that all is searched", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const values = Array.from({ length: 22 }, (_, n) => `${planted.clean}${n}`)
      const done = yield* run({
        ...pullRequestWith(repository, { "src/config.env": configWith(...values) }),
        inputs: connected(service)
      })
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "44" })
      const progress = Array.from(done.log.matchAll(/^(\d+) of 44 searches, 0 leaked so far$/gmu), ([, n]) => Number(n))
      assert.isAtMost(progress.length, 20)
      assert.strictEqual(progress.at(-1), 44)
      assert.deepStrictEqual(
        progress.toSorted((a, b) => a - b),
        [...new Set(progress)]
      )
    })
  )

  it.effect("clean: nothing had to be searched", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* run({
        ...pullRequestWith(repository, { "src/hello.ts": "export const greeting = 'hello'\n" }),
        inputs: connected(service)
      })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "0" })
      assert.notInclude(done.log, "Searching")
      assert.isEmpty(service.searches)
    })
  )

  it.effect("leaked: fail-on decides only the exit code", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.sold) })
      for (const [failOn, exitCode] of [
        ["any", 1],
        ["events", 1],
        ["credentials", 0],
        ["none", 0]
      ] as const) {
        const done = yield* run({ ...job, inputs: { ...connected(service), "fail-on": failOn } })
        assert.strictEqual(done.exitCode, exitCode, failOn)
        assert.strictEqual(done.outputs["verdict"], "leaked", failOn)
        assertNothingSlipped(done, service)
      }
    })
  )

  it.effect("leaked and incomplete: a leak that fail-on lets pass does not hide what was left unsearched", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      for (const [onIncomplete, exitCode] of [
        ["fail", 1],
        ["warn", 0]
      ] as const) {
        const done = yield* run({
          ...job,
          inputs: {
            ...connected(service),
            secrets: `DEPLOY_PASSWORD=${planted.sold}`,
            "fail-on": "none",
            "max-searches": "2",
            "on-incomplete": onIncomplete
          }
        })
        assert.deepInclude(done.outputs, { verdict: "leaked", unsearched: "1" })
        assert.strictEqual(done.exitCode, exitCode, onIncomplete)
      }
    })
  )

  it.effect("min-severity: an event below it does not count", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.sold) })
      const done = yield* run({ ...job, inputs: { ...connected(service), "min-severity": "critical" } })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "clean", leaks: "0" })
    })
  )

  it.effect("secrets: by name; GitHub's own, the service's own and short ones are never sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const secrets = JSON.stringify({
        DEPLOY_PASSWORD: planted.named,
        github_token: ["ghs_", "q".repeat(36)].join(""),
        EXPOSURE_TOKEN: service.token,
        PIN: "48213",
        MULTI_LINE: `first line of it\n${planted.clean}\nok`
      })
      const done = yield* run({
        ...pullRequestWith(repository, { "a.txt": "nothing here\n" }),
        inputs: { ...connected(service), secrets, scan: "none" }
      })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1" })
      assert.include(searchedValues(service), planted.named)
      const sent = service.searches.join("\n")
      for (const never of [service.token, "48213", "qqqqqq"]) assert.notInclude(sent, never)
      assert.include(done.summary, "DEPLOY_PASSWORD")
      assertNothingSlipped(done, service)
      assert.include(done.masks, planted.named)
      assert.include(done.masks, planted.clean)
      assert.notInclude(done.masks, "ok")
      assert.notInclude(done.masks, "48213")
    })
  )

  it.effect(
    "secrets: the password in a connection string and the key in a document are searched, too, and hidden",
    () =>
      Effect.gen(function* () {
        const service = yield* calm
        const repository = yield* testRepository
        const url = `postgres://app:${encodeURIComponent(planted.named)}@db.example.com/app`
        const done = yield* run({
          ...pullRequestWith(repository, { "a.txt": "nothing here\n" }),
          inputs: {
            ...connected(service),
            secrets: JSON.stringify({ DATABASE_URL: url, ACCOUNT: JSON.stringify({ clientSecret: planted.clean }) }),
            scan: "none"
          }
        })
        // The whole of a document is nobody's password: it costs no search.
        assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", searches: "6" })
        assert.sameMembers(searchedValues(service), [url, planted.named, planted.clean])
        assert.includeMembers([...done.masks], [planted.named, planted.clean])
        assert.include(done.summary, "DATABASE_URL")
        assertNothingSlipped(done, service)
      })
  )

  it.effect("secrets: base64 is decoded, and each part is searched under its own name", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const base64 = (text: string) => Buffer.from(text).toString("base64")
      const done = yield* run({
        ...pullRequestWith(repository, { "a.txt": "nothing here\n" }),
        inputs: {
          ...connected(service),
          secrets: JSON.stringify({
            ENCODED: base64(planted.named),
            DOTENV: `DEBUG=true\nDB_PASSWORD=${planted.leaked}\nAPI_TOKEN="${planted.clean}"\n`,
            DOCKER: base64(
              JSON.stringify({ auths: { "registry.example.com": { auth: base64(`ops:${planted.sold}`) } } })
            )
          }),
          scan: "none",
          "report-file": "report.json"
        }
      })
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "3" })
      const { leaked, named, clean, sold } = planted
      assert.sameMembers(searchedValues(service), [base64(named), named, leaked, clean, sold])
      for (const name of ["ENCODED", "DOTENV → DB_PASSWORD", "DOCKER → auth"]) assert.include(done.summary, name)
      assertNothingSlipped(done, service, readFileSync(join(repository.path, "report.json"), "utf8"))
    })
  )

  it.effect("secrets: addresses are not secrets, and cost no search", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const hook = `https://hooks.example.com/${planted.clean.replaceAll(/\W/gu, "")}`
      const secrets = JSON.stringify({ MAIL: "ops@example.com", HOST: "https://api.example.com:8443/", HOOK: hook })
      const job = pullRequestWith(repository, { "a.txt": "nothing here\n" })
      yield* run({ ...job, inputs: { ...connected(service), secrets, scan: "none" } })
      assert.deepStrictEqual(searchedValues(service), [hook])
    })
  )

  it.effect("secrets: a value that is not worth a search is named with the reason, and not sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const job = pullRequestWith(yield* testRepository, { "a.txt": "nothing here\n" })
      const secrets = "API_KEY=your-api-key-here\nWEAK=sunshine\nSHORT=abc\nREGION=eu-west-1"
      const done = yield* run({ ...job, inputs: { ...connected(service), secrets, scan: "none" } })
      assert.deepInclude(done.outputs, { verdict: "clean", searches: "0" })
      assert.isEmpty(service.searches)
      for (const written of [done.summary.replaceAll("`", ""), done.log]) {
        assert.match(written, /API_KEY: a placeholder/u)
        assert.match(written, /WEAK: a well-known password/u)
        assert.match(written, /SHORT: shorter than 6 characters/u)
        assert.match(written, /REGION: an everyday word/u)
      }
      for (const value of ["your-api-key-here", "sunshine", "eu-west-1"]) assert.notInclude(done.everything, value)
    })
  )

  it.effect("domains: they warn in a pull request and fail on a schedule", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.txt": "nothing here\n" })
      const inputs = { ...connected(service), domains: "leaky.example" }
      const change = yield* run({ ...job, inputs })
      assert.strictEqual(change.exitCode, 0)
      assert.deepInclude(change.outputs, { verdict: "clean", leaks: "0", searches: "2" })
      assert.isNotEmpty(annotationsIn(change, "warning"))
      assert.include(change.summary, "leaky.example")
      const scheduled = yield* run({ ...job, event: "schedule", payload: { schedule: "0 4 * * *" }, inputs })
      assert.strictEqual(scheduled.exitCode, 1)
      assert.deepInclude(scheduled.outputs, { verdict: "leaked", leaks: "1" })
      const off = yield* run({
        ...job,
        event: "schedule",
        payload: {},
        inputs: { ...inputs, "domain-leaks": "off" }
      })
      assert.deepInclude(off.outputs, { verdict: "clean", searches: "0" })
      const old = yield* run({ ...job, event: "schedule", payload: {}, inputs: { ...inputs, since: "1s" } })
      assert.deepInclude(old.outputs, { verdict: "clean", searches: "2" })
      assert.notInclude(change.everything, "kim@leaky.example")
    })
  )

  it.effect("login-domains: accounts that were used to log in at the domain, whatever their address is", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = {
        ...pullRequestWith(repository, { ".github/threat-exposure.yml": "login-domains: product.example\n" }),
        event: "schedule",
        payload: {}
      }
      const inputs = { ...connected(service), "report-file": "report.json", "sarif-file": "results.sarif" }
      const done = yield* run({ ...job, inputs })
      assert.strictEqual(done.exitCode, 1)
      assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1", searches: "1", unsearched: "0" })
      assert.include(done.log, "Plan: 1 domain: 1 search")
      assert.include(done.summary, "`product.example` (login domain)")
      assert.include(done.summary, "used at `sso.product.example`")
      assert.include(annotationsIn(done, "error")[0]?.properties["title"], "login domain product.example")
      const [report, log] = ["report.json", "results.sarif"].map((file) =>
        JSON.parse(readFileSync(join(repository.path, file), "utf8"))
      )
      assert.deepStrictEqual(report.leaks[0].subject, {
        type: "domain",
        domain: "product.example",
        searchedBy: "login"
      })
      assert.strictEqual(log.runs[0].results[0].ruleId, "leaked-login-domain")
      assert.notInclude(done.everything, "lou@mail.example")

      const address = yield* run({
        ...job,
        inputs: { ...connected(service), domains: "product.example", "login-domains": "elsewhere.example" }
      })
      assert.deepInclude(address.outputs, { verdict: "clean", searches: "3" })
      const change = yield* run({
        ...pullRequestWith(yield* testRepository, { "a.txt": "" }),
        inputs: { ...connected(service), "login-domains": "product.example" }
      })
      assert.strictEqual(change.exitCode, 0)
      assert.deepInclude(change.outputs, { verdict: "clean", leaks: "0", searches: "1" })
      assert.isNotEmpty(annotationsIn(change, "warning"))
    })
  )

  it.effect("incomplete: max-searches leaves targets unsearched, and says which", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean, planted.leaked) })
      const inputs = { ...connected(service), "max-searches": "0" }
      const failed = yield* run({ ...job, inputs })
      assert.strictEqual(failed.exitCode, 1)
      assert.deepInclude(failed.outputs, { verdict: "incomplete", leaks: "0", searches: "0", unsearched: "2" })
      assert.include(failed.summary, "a.env:1")
      const warned = yield* run({ ...job, inputs: { ...inputs, "on-incomplete": "warn" } })
      assert.strictEqual(warned.exitCode, 0)
      assert.isNotEmpty(annotationsIn(warned, "warning"))
      assert.isEmpty(annotationsIn(warned, "error"))
      assertNothingSlipped(warned, service)
    })
  )

  it.effect("skipped: a pull request from a fork has no token; what it adds is named, not searched", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) }, "stranger/checkout")
      const done = yield* run({ ...job, inputs: { "base-url": service.baseUrl, "report-file": "report.json" } })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "skipped", leaks: "0", searches: "0", unsearched: "1" })
      const [notice, place] = annotationsIn(done, "notice")
      assert.include(notice?.message, "fork")
      assert.include(notice?.message, "Candidates found in the change: 1.")
      assert.include(place?.message, "DB_PASSWORD_0 (password)")
      assert.deepInclude(place?.properties, { file: "a.env", line: "1" })
      assert.isEmpty([...annotationsIn(done, "error"), ...annotationsIn(done, "warning")])
      assert.include(done.summary, "a.env:1")
      assert.notInclude(done.everything, "pull_request_target")
      assert.isEmpty(service.searches)
      assertNothingSlipped(done, service)
      // A value that a later commit removes again is a candidate as well.
      repository.commit({ "b.env": configWith(planted.sold) })
      const head = repository.commit({ "b.env": "\n" })
      const payload = pullRequest(job.payload.pull_request.base.sha, head, "stranger/checkout")
      const without = yield* run({ ...job, payload, inputs: {} })
      assert.strictEqual(without.exitCode, 0)
      assert.include(annotationsIn(without, "notice")[0]?.message, "Candidates found in the change: 2.")
      const withToken = yield* run({ ...job, inputs: connected(service) })
      assert.deepInclude(withToken.outputs, { verdict: "leaked" })
    })
  )

  it.effect("skipped: Dependabot's pull requests have no token either", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      const done = yield* run({
        ...job,
        env: { GITHUB_ACTOR: "dependabot[bot]" },
        inputs: { "base-url": service.baseUrl }
      })
      assert.strictEqual(done.exitCode, 0)
      assert.deepInclude(done.outputs, { verdict: "skipped" })
      assert.include(annotationsIn(done, "notice")[0]?.message, "Dependabot secrets")
    })
  )

  it.effect("a missing token or address is an error anywhere else, and the environment may give both", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      const none = yield* run({ ...job, inputs: {} })
      assert.strictEqual(none.exitCode, 1)
      assert.deepStrictEqual(
        annotationsIn(none, "error").map(({ message }) => /`(.+?)` is missing/u.exec(message)?.[1]),
        ["base-url", "token"]
      )
      const given = yield* run({
        ...job,
        inputs: {},
        env: { THREAT_EXPOSURE_BASE_URL: service.baseUrl, THREAT_EXPOSURE_TOKEN: service.token }
      })
      assert.strictEqual(given.exitCode, 0)
      assert.deepInclude(given.outputs, { verdict: "clean", searches: "2" })
    })
  )
})

/** The results of a run: files, outputs, the comment. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { gitHubStandIn } from "./action/GitHubStandIn.ts"
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

const marker = "<!-- threat-exposure:leak-check -->"

layer(Service.layer, { excludeTestServices: true })("reports", (it) => {
  it.effect("report.json conforms to its schema, and SARIF has locations; both are written when clean too", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const schema = JSON.parse(
        readFileSync(new URL("../../packages/leak-check/schemas/report.schema.json", import.meta.url), "utf8")
      )
      const validate = new Ajv2020({ strict: false }).compile(schema)
      for (const [value, verdict] of [
        [planted.leaked, "leaked"],
        [planted.clean, "clean"]
      ] as const) {
        const repository = yield* testRepository
        const secrets = verdict === "leaked" ? `DEPLOY=${planted.named}` : ""
        const done = yield* run({
          ...pullRequestWith(repository, { "a.env": configWith(value) }),
          inputs: {
            ...connected(service),
            secrets,
            "report-file": "out/deep/report.json",
            "sarif-file": "out/results.sarif"
          }
        })
        assert.deepInclude(done.outputs, {
          verdict,
          "report-file": "out/deep/report.json",
          "sarif-file": "out/results.sarif"
        })
        const [reportText, sarifText] = ["out/deep/report.json", "out/results.sarif"].map((file) =>
          readFileSync(join(repository.path, file), "utf8")
        )
        const report = JSON.parse(reportText ?? "")
        assert.isTrue(validate(report), JSON.stringify(validate.errors))
        assert.strictEqual(report.verdict, verdict)
        const [{ results }] = JSON.parse(sarifText ?? "").runs
        assert.sameMembers(
          results.map(
            (result: { locations: ReadonlyArray<{ physicalLocation: { artifactLocation: { uri: string } } }> }) =>
              result.locations[0]?.physicalLocation.artifactLocation.uri
          ),
          verdict === "leaked" ? [".github/workflows/leaks.yml", "a.env"] : []
        )
        for (const { locations } of results) {
          assert.hasAllKeys(locations[0].physicalLocation.region, ["startLine", "startColumn", "endLine", "endColumn"])
        }
        assertNothingSlipped(done, service, reportText ?? "", sarifText ?? "")
      }
    })
  )

  it.effect("annotations and the summary can be turned off", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked) }),
        inputs: { ...connected(service), annotations: "false", summary: "false" }
      })
      assert.strictEqual(done.exitCode, 1)
      assert.strictEqual(done.summary, "")
      assert.isEmpty(done.commands.filter(({ name }) => ["error", "warning", "notice"].includes(name)))
      assert.include(done.log, "verdict: leaked")
      assert.include(done.log, "in the log of this step")
      assert.notInclude(done.log, "summary")
    })
  )

  it.effect("a file that cannot be written is an error that names its input", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      // No folder can be created below /proc.
      for (const file of ["a.env/results.sarif", "/proc/reports/deep/results.sarif"]) {
        const done = yield* run({ ...job, inputs: { ...connected(service), "sarif-file": file } })
        assert.strictEqual(done.exitCode, 1)
        assert.include(annotationsIn(done, "error")[0]?.message, `\`sarif-file\` is \`${file}\``)
        assert.deepInclude(done.outputs, { verdict: "clean" })
        assert.include(done.summary, "No leak found")
      }
    })
  )

  it.effect("outputs that cannot be set are one error that names the file, after all else is written", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      for (const file of [repository.path, join(repository.path, "a.env", "output"), "/no/such/folder/output"]) {
        const inputs = { ...connected(service), "report-file": "report.json" }
        const done = yield* run({ ...job, env: { GITHUB_OUTPUT: file }, inputs })
        assert.strictEqual(done.exitCode, 1)
        const [error, ...others] = annotationsIn(done, "error")
        assert.include(error?.message, `GITHUB_OUTPUT is \`${file}\``)
        assert.isEmpty(others)
        assert.isEmpty(annotationsIn(done, "warning"))
        assert.include(done.summary, "No leak found")
        assert.include(readFileSync(join(repository.path, "report.json"), "utf8"), "clean")
      }
    })
  )

  it.effect("a summary that cannot be written is one warning, and nothing else is lost", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      for (const file of [repository.path, "/no/such/folder/summary.md"]) {
        const done = yield* run({ ...job, env: { GITHUB_STEP_SUMMARY: file }, inputs: connected(service) })
        assert.deepInclude(done.outputs, { verdict: "leaked", leaks: "1" })
        assert.lengthOf(annotationsIn(done, "error"), 1)
        const [warning, ...others] = annotationsIn(done, "warning")
        assert.include(warning?.message, "GITHUB_STEP_SUMMARY")
        assert.isEmpty(others)
      }
    })
  )

  it.effect("one comment: none while clean, created for a leak, updated in place, turned to resolved", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      github.comments.push(
        ...Array.from({ length: 130 }, (_, n) => ({ id: 1000 + n, body: `talk ${n}`, author: "User" as const })),
        { id: 2000, body: `${marker}\nnot ours`, author: "User" }
      )
      const repository = yield* testRepository
      const base = repository.commit({ "README.md": "# Checkout\n" })
      repository.git("checkout", "--quiet", "-b", "feature")
      const runWith = Effect.fnUntraced(function* (...values: ReadonlyArray<string>) {
        const head = repository.commit({ "a.env": configWith(...values) })
        // Each commit is checked as if it were the only one of the branch.
        const done = yield* run({
          workspace: repository.path,
          event: "pull_request",
          payload: pullRequest(repository.git("rev-parse", "HEAD~1") || base, head),
          env: { GITHUB_API_URL: github.apiUrl },
          inputs: { ...connected(service), comment: "true", "github-token": "ghs_thejob" }
        })
        assertNothingSlipped(done, service, github.comments.map(({ body }) => body).join("\n"))
        assert.deepStrictEqual(
          annotationsIn(done, "warning").map(({ message }) => message),
          [],
          github.answered.join("\n")
        )
        return github.comments.filter(({ author }) => author === "Bot").map(({ body }) => body)
      })

      assert.isEmpty(yield* runWith(planted.clean))
      const [created = "", ...others] = yield* runWith(planted.leaked)
      assert.isEmpty(others)
      assert.isTrue(created.startsWith(marker))
      assert.include(created, "a.env:1")
      const updated = yield* runWith("", planted.leaked, planted.sold)
      assert.strictEqual(updated.length, 1)
      assert.notStrictEqual(updated[0], created)
      const resolved = yield* runWith("")
      assert.strictEqual(resolved.length, 1)
      assert.match(resolved[0] ?? "", /resolved/iu)
      const again = yield* runWith("nothing-new")
      assert.strictEqual(again.length, 1)
      assert.strictEqual(github.comments.find(({ id }) => id === 2000)?.body, `${marker}\nnot ours`)
      assert.isEmpty(github.answered.filter((line) => !/^(?:GET 200|POST 20[01]|PATCH 200)$/u.test(line)))
      assert.strictEqual(github.answered.filter((line) => line === "POST 201").length, 1)
    })
  )

  it.effect("two jobs that check different paths of one pull request have a comment each", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      const repository = yield* testRepository
      const job = pullRequestWith(repository, {
        "a/a.env": configWith(planted.leaked),
        "b/b.env": configWith(planted.sold)
      })
      const commentsAfter = (paths?: string) =>
        Effect.map(
          run({
            ...job,
            env: { GITHUB_API_URL: github.apiUrl },
            inputs: {
              ...connected(service),
              comment: "true",
              "github-token": "ghs_thejob",
              ...(paths === undefined ? {} : { paths })
            }
          }),
          () => github.comments.map(({ body }) => body)
        )
      yield* commentsAfter("a/**")
      const [ofA = "", ofB = "", ...others] = yield* commentsAfter("b/**")
      assert.isEmpty(others)
      assert.include(ofA, "Checked: `a/**`")
      assert.include(ofA, "a/a.env:1")
      assert.include(ofB, "Checked: `b/**`")
      assert.include(ofB, "b/b.env:1")
      assert.deepStrictEqual(yield* commentsAfter("a/**"), [ofA, ofB])
      const [, , ofAll = ""] = yield* commentsAfter()
      assert.isTrue(ofAll.startsWith(marker))
      assert.notInclude(ofAll, "Checked:")
    })
  )

  it.effect("a comment of another is left alone, whatever token is given", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      const authors = ["Bot", "OtherBot", "User"] as const
      for (const [token, own] of [
        ["ghs_thejob", "Bot"],
        ["ghs_theapp", "OtherBot"],
        ["ghp_theperson", "User"]
      ] as const) {
        const github = yield* gitHubStandIn
        const others = authors.filter((author) => author !== own)
        github.comments.push(...others.map((author, n) => ({ id: 2000 + n, body: `${marker}\nof another`, author })))
        const inputs = { ...connected(service), comment: "true", "github-token": token }
        for (let n = 0; n < 2; n++) yield* run({ ...job, env: { GITHUB_API_URL: github.apiUrl }, inputs })
        const written = github.comments.filter(({ body }) => !body.endsWith("of another"))
        assert.deepStrictEqual(
          written.map(({ author }) => author),
          [own],
          github.answered.join("\n")
        )
        yield* calm
      }
    })
  )

  it.effect("each of two comments that jobs at once have written says what holds now", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.clean) })
      const talk = Array.from({ length: 120 }, (_, n) => ({ id: 3000 + n, body: "talk", author: "User" as const }))
      const own = [1000, 1001].map((id) => ({ id, body: `${marker}\nA leak was found`, author: "Bot" as const }))
      github.comments.push(...own.slice(0, 1), ...talk, ...own.slice(1))
      const inputs = { ...connected(service), comment: "true", "github-token": "ghs_thejob" }
      const done = yield* run({ ...job, env: { GITHUB_API_URL: github.apiUrl }, inputs })
      assert.deepInclude(done.outputs, { verdict: "clean" })
      for (const { body } of own) assert.include(body, "no leak is found any more")
    })
  )

  it.effect("a comment that was deleted after it was listed is written again", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      github.comments.push({ id: 2000, body: `${marker}\nof an earlier run`, author: "Bot" })
      github.misbehave((method) => {
        if (method === "PATCH") github.comments.length = 0
        return undefined
      })
      const done = yield* run({
        ...pullRequestWith(yield* testRepository, { "a.env": configWith(planted.leaked) }),
        env: { GITHUB_API_URL: github.apiUrl },
        inputs: { ...connected(service), comment: "true", "github-token": "ghs_thejob" }
      })
      assert.isEmpty(annotationsIn(done, "warning"))
      assert.match(github.comments.map(({ body }) => body).join("\n"), /a\.env:1/u)
    })
  )

  it.effect("a runner behind a proxy writes the comment through it", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      const done = yield* run({
        ...pullRequestWith(yield* testRepository, { "a.env": configWith(planted.leaked) }),
        // The stand-in takes what a proxy is sent: the whole address in place of the path.
        env: { GITHUB_API_URL: "http://api.github.invalid", http_proxy: github.apiUrl, no_proxy: "127.0.0.1" },
        inputs: { ...connected(service), comment: "true", "github-token": "ghs_thejob" }
      })
      assert.isEmpty(annotationsIn(done, "warning"))
      assert.strictEqual(github.comments.length, 1)
    })
  )

  it.effect("a refusal or failure of GitHub is a warning, and changes neither the verdict nor the exit code", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const github = yield* gitHubStandIn
      const repository = yield* testRepository
      const job = {
        ...pullRequestWith(repository, { "a.env": configWith(planted.leaked) }),
        env: { GITHUB_API_URL: github.apiUrl },
        inputs: { ...connected(service), comment: "true", "github-token": "ghs_thejob" }
      }
      for (const [status, method] of [
        [403, "GET"],
        [403, "POST"],
        [500, "POST"],
        [502, "GET"]
      ] as const) {
        github.misbehave((asked) => (asked === method ? status : undefined))
        const done = yield* run(job)
        assert.strictEqual(done.exitCode, 1)
        assert.deepInclude(done.outputs, { verdict: "leaked" })
        const [warning] = annotationsIn(done, "warning")
        assert.include(warning?.message, String(status))
        if (status === 403) assert.include(warning?.message, "pull-requests: write")
        assertNothingSlipped(done, service)
      }
      assert.isEmpty(github.comments)
      const nobody = yield* run({ ...job, env: { GITHUB_API_URL: "http://127.0.0.1:9" } })
      assert.strictEqual(nobody.exitCode, 1)
      assert.include(annotationsIn(nobody, "warning")[0]?.message, ": there is no connection to GitHub")
    })
  )
})

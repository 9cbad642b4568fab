/** The inputs, the config file and the ignore file, as a workflow meets them. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { cloneOf, testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
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

const day = (ahead: number) => DateTime.formatIsoDateUtc(DateTime.add(DateTime.nowUnsafe(), { days: ahead }))

const entry = (fingerprint: string, expires = day(30)) =>
  `  - fingerprint: ${fingerprint}\n    reason: rotated, see the incident report\n    expires: ${expires}\n`

layer(Service.layer, { excludeTestServices: true })("settings", (it) => {
  it.effect("every wrong input is one error that names it, before anything is sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      const wrong = {
        "base-url": "http://example.com",
        "path-prefix": "a b",
        "link-field": "a b",
        secrets: `not a pair ${planted.named}`,
        domains: "https://example.com",
        paths: "src/**, !src/test/**",
        exclude: "../elsewhere/**",
        scan: "all",
        "fail-on": "some",
        "min-severity": "worst",
        since: "tomorrow",
        "domain-leaks": "maybe",
        "max-searches": "many",
        "quota-reserve": "-1",
        deadline: "soon",
        "on-incomplete": "stop",
        annotations: "yes",
        summary: "yes",
        comment: "yes",
        cache: "yes",
        "ignore-file": "no-such-file.yml",
        "report-file": "one.json\ntwo.json",
        "sarif-file": "one.sarif\r\ntwo.sarif",
        "config-file": "one.yml\ntwo.yml"
      }
      for (const [name, value] of Object.entries(wrong)) {
        const done = yield* run({ ...job, inputs: { ...connected(service), [name]: value } })
        assert.strictEqual(done.exitCode, 1, name)
        const errors = annotationsIn(done, "error")
        assert.strictEqual(errors.length, 1, name)
        assert.isTrue(errors[0]?.message.startsWith(`Input \`${name}\``), `${name}: ${errors[0]?.message}`)
        assert.include(errors[0]?.message, "must be", name)
        assertNothingSlipped(done, service)
      }
      const config = yield* run({ ...job, inputs: { ...connected(service), "config-file": "no-such-file.yml" } })
      assert.include(annotationsIn(config, "error")[0]?.message, "`config-file` is `no-such-file.yml`")
      assert.isEmpty(service.searches)
    })
  )

  it.effect("a workspace that is no folder is one error that names it, before anything is sent", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      for (const [name, why] of [
        ["a.env", "not a folder"],
        ["a.env/below", "no such folder"],
        ["no/such", "no such folder"]
      ] as const) {
        const workspace = join(repository.path, name)
        for (const event of ["pull_request", "workflow_dispatch"]) {
          const done = yield* run({ ...job, event, env: { GITHUB_WORKSPACE: workspace }, inputs: connected(service) })
          assert.strictEqual(done.exitCode, 1, name)
          const [error, ...others] = annotationsIn(done, "error")
          assert.include(error?.message, `GITHUB_WORKSPACE is \`${workspace}\``)
          assert.include(error?.message, why)
          assert.isEmpty([...others, ...annotationsIn(done, "warning")])
        }
      }
      assert.isEmpty(service.searches)
    })
  )

  it.effect("a working directory is a folder of the workspace, also behind a link", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { "a.env": configWith(planted.leaked) })
      symlinkSync("..", join(repository.path, "out"))
      for (const [folder, why] of [
        ["..", "leads out of the workspace"],
        ["out", "leads out of the workspace"],
        ["a.env", "not a folder"],
        ["no/such", "no such folder"]
      ] as const) {
        const done = yield* run({ ...job, inputs: { ...connected(service), "working-directory": folder } })
        assert.strictEqual(done.exitCode, 1, folder)
        const [error, ...others] = annotationsIn(done, "error")
        assert.include(error?.message, `Input \`working-directory\` is \`${folder}\``)
        assert.include(error?.message, why)
        assert.isEmpty(others)
      }
      assert.isEmpty(service.searches)
    })
  )

  it.effect("the two reports are not one file", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const job = pullRequestWith(yield* testRepository, { "a.env": configWith(planted.leaked) })
      const inputs = { ...connected(service), "report-file": "out/leaks.json", "sarif-file": "./out/../out/leaks.json" }
      const done = yield* run({ ...job, inputs })
      assert.strictEqual(done.exitCode, 1)
      assert.include(annotationsIn(done, "error")[0]?.message, "name the same file")
      assert.isEmpty(service.searches)
    })
  )

  it.effect("an input overrides the config file, which overrides the default", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const files = { "attic/a.env": configWith(planted.sold), "b.env": configWith(planted.leaked) }
      repository.commit({
        ".github/threat-exposure.yml": "fail-on: none\nannotations: false\nexclude:\n  - attic/**\n"
      })
      const job = pullRequestWith(repository, files)
      const byFile = yield* run({ ...job, inputs: connected(service) })
      assert.strictEqual(byFile.exitCode, 0)
      assert.deepInclude(byFile.outputs, { verdict: "leaked", leaks: "1" })
      assert.isEmpty(annotationsIn(byFile, "error"))
      const byInput = yield* run({ ...job, inputs: { ...connected(service), "fail-on": "any" } })
      assert.strictEqual(byInput.exitCode, 1)
      repository.git("checkout", "--quiet", "main")
      const base = repository.commit({ ".threat-exposure.yml": "fail-on: any\nscan: tree\n" })
      const head = repository.commit(files)
      const byFirst = yield* run({ ...job, payload: pullRequest(base, head), inputs: connected(service) })
      assert.strictEqual(byFirst.exitCode, 1)
      assert.deepInclude(byFirst.outputs, { verdict: "leaked", leaks: "2" })
    })
  )

  it.effect("a mistake in the config file is reported with its line", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, {
        "config.yml": "# what we want\nscan: tree\nfail_on: any\n",
        "values.yml": "scan: tree\nmax-searches: a lot\n"
      })
      for (const [file, line, word] of [
        ["config.yml", "3", "fail_on"],
        ["values.yml", "2", "max-searches"]
      ] as const) {
        const done = yield* run({ ...job, inputs: { ...connected(service), "config-file": file } })
        assert.strictEqual(done.exitCode, 1)
        const [error] = annotationsIn(done, "error")
        assert.deepInclude(error?.properties, { file, line })
        assert.include(error?.message, word)
      }
    })
  )

  it.effect("an entry of the ignore file applies until it expires; the change's own entries are reported", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const first = pullRequestWith(repository, { "a.env": configWith(planted.leaked, planted.sold) })
      const found = yield* run({ ...first, inputs: connected(service) })
      const fingerprints = [...new Set(found.summary.match(/\b[0-9a-f]{16}\b/gu))]
      assert.strictEqual(fingerprints.length, 2)
      const [one = "", two = ""] = fingerprints

      const base = first.payload.pull_request.base.sha
      const withIgnore = Effect.fnUntraced(function* (text: string) {
        const head = repository.commit({ ".threat-exposure-ignore.yml": text })
        const job = { ...first, payload: pullRequest(base, head) }
        return yield* run({ ...job, inputs: connected(service) })
      })
      const both = yield* withIgnore(`ignore:\n${entry(one)}${entry(two)}`)
      assert.strictEqual(both.exitCode, 0)
      assert.deepInclude(both.outputs, { verdict: "clean", leaks: "0" })
      assert.include(both.log, "[added by this\n    change]")
      const half = yield* withIgnore(`ignore:\n${entry(one)}${entry(two, day(-1))}`)
      assert.strictEqual(half.exitCode, 1)
      assert.deepInclude(half.outputs, { verdict: "leaked", leaks: "1" })
      assert.match(half.summary, /expired/u)
      const wrong = yield* withIgnore(`ignore:\n  - fingerprint: ${one}\n    expires: ${day(30)}\n`)
      assert.strictEqual(wrong.exitCode, 1)
      const [error] = annotationsIn(wrong, "error")
      assert.strictEqual(error?.properties["file"], ".threat-exposure-ignore.yml")
      assert.include(error?.message, "reason")
      assertNothingSlipped(wrong, service)
    })
  )

  it.effect("the change's own entries are also reported if nothing is scanned, and in a shallow clone", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const file = ".threat-exposure-ignore.yml"
      const [old, gone, fresh] = ["1", "2", "3"].map((digit) => entry(digit.repeat(16)))
      repository.commit({ [file]: `ignore:\n${old}${gone}` })
      repository.git("checkout", "--quiet", "-b", "feature")
      const head = repository.commit({ [file]: `ignore:\n${old}${gone}${fresh}` })
      repository.git("checkout", "--quiet", "main")
      const base = repository.commit({ [file]: `ignore:\n${old}` })
      for (const depth of [undefined, 1]) {
        for (const scan of ["none", "changes"]) {
          const { path } = yield* cloneOf(repository, "feature", depth)
          const done = yield* run({
            workspace: path,
            event: "pull_request",
            payload: pullRequest(base, head),
            inputs: { ...connected(service), scan, "report-file": "report.json" }
          })
          assert.strictEqual(done.exitCode, 0)
          const { ignore } = JSON.parse(readFileSync(join(path, "report.json"), "utf8"))
          assert.deepStrictEqual(
            ignore.map(({ isAdded }: { readonly isAdded: boolean }) => isAdded),
            [false, false, true],
            `${scan}, depth ${depth}`
          )
        }
      }
    })
  )

  it.effect("a rule file that the change edits is named, also beside a config file outside of the repository", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const job = pullRequestWith(repository, { ".gitleaks.toml": 'title = "ours"\n' })
      const temporary = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "action-config-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const file = join(temporary, "shared.yml")
      writeFileSync(file, "fail-on: any\n")
      const done = yield* run({ ...job, inputs: { ...connected(service), "config-file": file } })
      assert.strictEqual(done.exitCode, 0, done.log)
      assert.include(done.summary, "Rule files that this change edits")
      assert.include(done.summary, ".gitleaks.toml")
    })
  )

  it.effect("requests go to the path of the address and the path prefix", () =>
    Effect.gen(function* () {
      const service = yield* calm
      const repository = yield* testRepository
      const paths: Array<string> = []
      service.misbehave(({ path }) => {
        paths.push(path)
        return { status: 200, headers: { "content-type": "application/json" }, body: '{"items":[],"next":null}' }
      })
      const done = yield* run({
        ...pullRequestWith(repository, { "a.env": configWith(planted.clean) }),
        inputs: { ...connected(service), "base-url": `${service.baseUrl}/at/a/path/`, "path-prefix": "intel" }
      })
      assert.deepInclude(done.outputs, { verdict: "clean" })
      assert.sameMembers(paths, [
        "/at/a/path/intel/v4/credentials/global/_search",
        "/at/a/path/intel/v4/events/global/_search"
      ])
    })
  )
})

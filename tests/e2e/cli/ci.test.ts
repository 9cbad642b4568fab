/** Runs each example of docs/ci.md as its CI system does: the script, with the system's variables, in a real clone. */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { TestRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { Schema } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { parse } from "yaml"
import { runScript } from "../Script.ts"
import { mainFile } from "./Program.ts"

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../../apps/cli/package.json", import.meta.url), "utf8")
)

const fileOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8")
const guide = fileOf("docs/ci.md")

/** Examples by file name, which is the comment in the first line. */
const examples = new Map(
  Array.from(
    guide.matchAll(/^```\w+\n(?:#|\/\/) ([\w./-]+)[^\n]*\n([\s\S]*?)^```$/gmu),
    ([, name = "", text = ""]) => [name, text] as const
  )
)
const used = new Set<string>()
const exampleOf = (name: string) => {
  used.add(name)
  return examples.get(name) ?? ""
}
const yamlOf = (name: string): unknown => parse(exampleOf(name))

const Run = Schema.Struct({ run: Schema.optional(Schema.String) })
const scripts = {
  github: () =>
    Schema.decodeUnknownSync(
      Schema.Struct({ jobs: Schema.Struct({ leaks: Schema.Struct({ steps: Schema.Array(Run) }) }) })
    )(yamlOf(".github/workflows/leaks.yml"))
      .jobs.leaks.steps.flatMap(({ run }) => run ?? [])
      .join("\n"),
  gitlab: () =>
    Schema.decodeUnknownSync(Schema.Struct({ leaks: Schema.Struct({ script: Schema.Array(Schema.String) }) }))(
      yamlOf(".gitlab-ci.yml")
    ).leaks.script.join("\n"),
  azure: () =>
    Schema.decodeUnknownSync(
      Schema.Struct({ steps: Schema.Array(Schema.Struct({ script: Schema.optional(Schema.String) })) })
    )(yamlOf("azure-pipelines.yml"))
      .steps.flatMap(({ script }) => script ?? [])
      .join("\n"),
  bitbucket: () =>
    Schema.decodeUnknownSync(
      Schema.Struct({
        pipelines: Schema.Struct({
          default: Schema.Tuple([Schema.Struct({ step: Schema.Struct({ script: Schema.Array(Schema.String) }) })])
        })
      })
    )(yamlOf("bitbucket-pipelines.yml")).pipelines.default[0].step.script.join("\n"),
  jenkins: () => /^\s*sh '''\n(.*?)'''$/msu.exec(exampleOf("Jenkinsfile"))?.[1] ?? "",
  circleci: () =>
    Schema.decodeUnknownSync(
      Schema.Struct({
        jobs: Schema.Struct({ leaks: Schema.Struct({ steps: Schema.Array(Run) }) })
      })
    )(yamlOf(".circleci/config.yml"))
      .jobs.leaks.steps.flatMap(({ run }) => run ?? [])
      .join("\n"),
  buildkite: () =>
    Schema.decodeUnknownSync(Schema.Struct({ steps: Schema.Tuple([Schema.Struct({ command: Schema.String })]) }))(
      yamlOf(".buildkite/pipeline.yml")
    )
      // The agent's way to leave a variable to the shell.
      .steps[0].command.replaceAll("$$", "$")
} as const

type System = keyof typeof scripts

describe("docs/ci.md", () => {
  let service: RunningService
  const folder = mkdtempSync(join(tmpdir(), "threat-exposure-ci-"))
  const origin = new TestRepository(join(folder, "origin"))
  let clone: TestRepository
  let base = ""
  let head = ""
  let main = ""
  const leaked = leakedSecrets.databasePassword.value

  beforeAll(async () => {
    service = await startService({ sample: true })
    mkdirSync(origin.path)
    origin.git("init", "--quiet", "--initial-branch=main")
    base = origin.commit({ "README.md": "# Shop\n" })
    origin.git("checkout", "--quiet", "-b", "feature")
    origin.commit({ "app.env": "DB_HOST=db.example.com\n" })
    head = origin.commit({ "prod.env": `DB_PASSWORD=${leaked}\n` })
    origin.git("checkout", "--quiet", "main")
    main = origin.commit({ "README.md": "# Shop, and more\n" })
    clone = origin.clone("feature")
    mkdirSync(join(folder, "bin"))
    // The registry has no package yet: npx runs the local build, if its version is the requested one.
    writeFileSync(
      join(folder, "bin", "npx"),
      `#!/bin/sh\n[ "$1 $2" = "--yes @threat-exposure/cli@${manifest.version}" ] || exit 99\nshift 2\nexec "${process.execPath}" "${mainFile}" "$@"\n`,
      { mode: 0o755 }
    )
  })
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
    if (clone !== undefined) rmSync(clone.path, { recursive: true, force: true })
  })

  const run = (script: string, env: Readonly<Record<string, string>>, input = "") =>
    runScript(script, {
      cwd: clone.path,
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HOME: folder,
        THREAT_EXPOSURE_BASE_URL: service.url,
        THREAT_EXPOSURE_TOKEN: service.token,
        ...env
      },
      input
    })

  const changeRequests: Readonly<Record<System, () => Readonly<Record<string, string>>>> = {
    github: () => {
      const file = join(folder, "event.json")
      writeFileSync(file, JSON.stringify({ number: 1, pull_request: { base: { sha: main }, head: { sha: head } } }))
      return { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request", GITHUB_EVENT_PATH: file }
    },
    gitlab: () => ({
      GITLAB_CI: "true",
      CI_PIPELINE_SOURCE: "merge_request_event",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_COMMIT_SHA: head
    }),
    azure: () => ({
      TF_BUILD: "True",
      BUILD_REASON: "PullRequest",
      BUILD_SOURCEBRANCH: "refs/pull/1/merge",
      SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main",
      SYSTEM_PULLREQUEST_SOURCECOMMITID: head
    }),
    bitbucket: () => ({
      BITBUCKET_BUILD_NUMBER: "7",
      BITBUCKET_PR_ID: "1",
      BITBUCKET_PR_DESTINATION_BRANCH: "main",
      BITBUCKET_BRANCH: "feature",
      BITBUCKET_COMMIT: head
    }),
    jenkins: () => ({
      JENKINS_HOME: "/var/jenkins_home",
      CHANGE_ID: "1",
      CHANGE_TARGET: "main",
      BRANCH_NAME: "PR-1",
      GIT_COMMIT: head
    }),
    circleci: () => ({
      CIRCLECI: "true",
      CIRCLE_PULL_REQUEST: "https://git.example.com/a/b/pull/1",
      CIRCLE_BRANCH: "feature",
      CIRCLE_SHA1: head
    }),
    buildkite: () => ({
      BUILDKITE: "true",
      BUILDKITE_PULL_REQUEST: "1",
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main",
      BUILDKITE_BRANCH: "feature",
      BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main",
      BUILDKITE_COMMIT: head
    })
  }

  // A check waits for the rate limit most of its time.
  it.concurrent.each(["github", "gitlab", "azure", "bitbucket", "jenkins", "circleci", "buildkite"] as const)(
    "fails a change request that leaks, on %s",
    async (system) => {
      const { code, stderr, stdout } = await run(scripts[system](), changeRequests[system]())
      assert.strictEqual(code, 1, stderr)
      assert.include(stderr, `2 commits (${base.slice(0, 12)}..${head.slice(0, 12)}) for a change request (${system})`)
      assert.include(stdout, "prod.env:1")
      assert.notInclude(stdout + stderr, leaked)
    }
  )

  it.concurrent.each([
    ["azure", { TF_BUILD: "True", BUILD_REASON: "IndividualCI", BUILD_SOURCEBRANCH: "refs/heads/main" }],
    ["bitbucket", { BITBUCKET_BUILD_NUMBER: "7", BITBUCKET_BRANCH: "main" }],
    ["circleci", { CIRCLECI: "true", CIRCLE_BRANCH: "main" }],
    ["jenkins", { JENKINS_HOME: "/var/jenkins_home", BRANCH_NAME: "main", GIT_COMMIT: "1".repeat(40) }],
    [
      "jenkins",
      {
        JENKINS_HOME: "/var/jenkins_home",
        BRANCH_NAME: "main",
        GIT_COMMIT: "1".repeat(40),
        GIT_PREVIOUS_COMMIT: "1".repeat(40)
      }
    ],
    [
      "buildkite",
      {
        BUILDKITE: "true",
        BUILDKITE_SOURCE: "webhook",
        BUILDKITE_PULL_REQUEST: "false",
        BUILDKITE_BRANCH: "main",
        BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main"
      }
    ]
  ] as const)(
    "checks all files of the default branch on %s where it does not tell what is new",
    async (system, env) => {
      const { code, stderr } = await run(scripts[system](), env)
      assert.strictEqual(code, 1, stderr)
      assert.match(stderr, /Checking \d+ files/u)
    }
  )

  const PreCommitHook = Schema.Struct({
    id: Schema.String,
    name: Schema.String,
    entry: Schema.String,
    language: Schema.Literal("system"),
    pass_filenames: Schema.Literal(false),
    always_run: Schema.Literal(true),
    require_serial: Schema.Literal(true),
    stages: Schema.Tuple([Schema.Literals(["pre-commit", "pre-push"])])
  })

  const Lefthook = Schema.Struct({
    commands: Schema.Struct({
      leaks: Schema.Struct({ run: Schema.String, use_stdin: Schema.optional(Schema.Boolean) })
    })
  })

  it("stops a commit and a push that leak, by every hook manager", async () => {
    const hooks = Schema.decodeUnknownSync(Schema.Array(PreCommitHook))(parse(fileOf(".pre-commit-hooks.yaml")), {
      onExcessProperty: "error"
    })
    const config = exampleOf(".pre-commit-config.yaml")
    for (const { id, stages } of hooks) {
      assert.include(config, `- id: ${id}\n`)
      assert.match(config, new RegExp(`default_install_hook_types:.*${stages[0]}`, "u"))
    }
    const [commit, push] = hooks
    const lefthook = Schema.decodeUnknownSync(Schema.Struct({ "pre-commit": Lefthook, "pre-push": Lefthook }))(
      yamlOf("lefthook.yml")
    )
    const line = `refs/heads/feature ${head} refs/heads/feature ${"0".repeat(40)}\n`
    appendFileSync(join(clone.path, "more.env"), `DB_PASSWORD=${leaked}\n`)
    clone.git("add", "more.env")

    const commits = await Promise.all(
      [commit?.entry ?? "", exampleOf(".husky/pre-commit"), lefthook["pre-commit"].commands.leaks.run].map((script) =>
        run(script, {})
      )
    )
    for (const { code, stderr } of commits) {
      assert.strictEqual(code, 1, stderr)
      assert.include(stderr, "Checking what is staged: 1 file")
    }
    assert.isTrue(lefthook["pre-push"].commands.leaks.use_stdin)
    const pushes = await Promise.all([
      run(`set -- origin\n${exampleOf(".husky/pre-push")}`, {}, line),
      // lefthook puts the arguments of git in.
      run(lefthook["pre-push"].commands.leaks.run.replace("{1}", "origin"), {}, line),
      // pre-commit reads the lines itself, and gives variables.
      run(push?.entry ?? "", { PRE_COMMIT_FROM_REF: base, PRE_COMMIT_TO_REF: head })
    ])
    for (const { code, stderr } of pushes) {
      assert.strictEqual(code, 1, stderr)
      assert.include(stderr, "Checking what the push sends: 2 commits")
    }
  })

  it("has no example that was not run", () => {
    assert.strictEqual(guide.split("\n```").length / 2, examples.size + 0.5)
    assert.deepStrictEqual([...examples.keys()].toSorted(), [...used].toSorted())
  })
})

import { assert, describe, it } from "@effect/vitest"
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { ConfigProvider, Effect, Layer, Redacted, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Git } from "../../src/git/Git.ts"
import { layerNoDeps as scannerLayer } from "../../src/node/NodeScanner.ts"
import { Scanner } from "../../src/Scanner.ts"

const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]

const repository = Effect.acquireRelease(
  Effect.sync(() => {
    const root = mkdtempSync(join(tmpdir(), "git-"))
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-C", root, ...identity, ...args], { encoding: "utf8" }).trim()
    git("init", "-q", "-b", "main")
    const commit = (files: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
      git("add", "-A")
      git("commit", "-q", "--allow-empty", "-m", "change")
      return git("rev-parse", "HEAD")
    }
    return { root, git, commit }
  }),
  ({ root }) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
)

type Variables = Readonly<Record<string, string>>

const platform = NodeChildProcessSpawner.layer.pipe(
  Layer.provideMerge(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)

/** git with the environment of a caller in a folder. */
const gitOf = (variables: Variables, folder = "/") =>
  Git.layerOfCaller(folder).pipe(
    Layer.provide(platform),
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: { PATH: process.env["PATH"] ?? "", ...variables } }))
    )
  )

const secret = (name: string) => `DB_PASSWORD=k7Vq${name}Zr9tXw2Lp\n`

const found = (git: Layer.Layer<Git>, scan: (scanner: Scanner["Service"]) => ReturnType<Scanner["Service"]["range"]>) =>
  Effect.gen(function* () {
    const { candidates } = yield* Effect.flatMap(Scanner, scan)
    return (yield* Stream.runCollect(candidates)).map(
      ({ location, value }) => `${location.path} ${Redacted.value(value)}`
    )
  }).pipe(Effect.provide(scannerLayer.pipe(Layer.provide(git))))

describe("the environment of git", () => {
  it.effect("has none of this program's secrets", () =>
    Effect.gen(function* () {
      const { git, root } = yield* repository
      // An alias is the user's own command; here, it prints the environment that git receives.
      git("config", "alias.environment", "!env")
      const secrets = {
        THREAT_EXPOSURE_TOKEN: "t0ken",
        GITHUB_TOKEN: "t0ken",
        INPUT_TOKEN: "t0ken",
        DB_PASSWORD: "t0ken"
      }
      const answer = yield* Effect.flatMap(Git, (git) => git.text(root, ["environment"])).pipe(
        Effect.provide(gitOf({ ...secrets, HOME: root, https_proxy: "http://t0ken@proxy.example" }))
      )
      assert.include(answer, `HOME=${root}`)
      assert.notInclude(answer, "t0ken")
    })
  )

  it.effect("keeps the settings that the caller gives with the environment", () =>
    Effect.gen(function* () {
      const { root } = yield* repository
      const text = (options: Parameters<Git["Service"]["text"]>[2]) =>
        Effect.flatMap(Git, (git) =>
          git.text(root, ["config", "--get-all", "http.https://a.example/.extraheader"], options)
        )
      const given = gitOf({
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "http.https://a.example/.extraheader",
        GIT_CONFIG_VALUE_0: "one"
      })
      assert.strictEqual(yield* Effect.provide(text({}), given), "one")
      const settings = [["http.https://a.example/.extraheader", Redacted.make("two")]] as const
      assert.strictEqual(yield* Effect.provide(text({ settings }), given), "one\ntwo")
    })
  )

  it.effect("names the repository and its index as the caller does", () =>
    Effect.gen(function* () {
      const { commit, git, root } = yield* repository
      commit({ "a.env": "A=1\n" })
      const elsewhere = yield* repository
      elsewhere.commit({ "a.env": "A=1\n" })
      const index = join(root, ".git", "another-index")
      copyFileSync(join(root, ".git", "index"), index)
      writeFileSync(join(root, "a.env"), secret("A"))
      execFileSync("git", ["-C", root, "add", "-A"], { env: { ...process.env, GIT_INDEX_FILE: index } })

      const staged = (variables: Variables, from = root) =>
        found(gitOf(variables, from), (scanner) => scanner.changes({ root, staged: true }))
      assert.deepStrictEqual(yield* staged({}), [])
      assert.deepStrictEqual(yield* staged({ GIT_INDEX_FILE: index }), ["a.env k7VqAZr9tXw2Lp"])
      assert.deepStrictEqual(yield* staged({ GIT_INDEX_FILE: ".git/another-index" }), ["a.env k7VqAZr9tXw2Lp"])

      git("add", "-A")
      assert.deepStrictEqual(yield* staged({ GIT_DIR: join(elsewhere.root, ".git") }), [])
      assert.deepStrictEqual(
        yield* found(gitOf({ GIT_DIR: join(root, ".git"), GIT_WORK_TREE: root }), (scanner) =>
          scanner.changes({ root, staged: true })
        ),
        ["a.env k7VqAZr9tXw2Lp"]
      )
    })
  )
})

describe("what a clone would receive is read", () => {
  it.effect("where commits are replaced, or grafts leave them out", () =>
    Effect.gen(function* () {
      const { commit, git, root } = yield* repository
      const base = commit({ "a.env": "A=1\n" })
      const leaking = commit({ "a.env": secret("A") })
      const head = commit({ "a.env": "A=2\n" })
      const clean = git("commit-tree", "-p", base, "-m", "clean", git("rev-parse", `${base}^{tree}`))
      const all = [`a.env k7VqAZr9tXw2Lp`]
      const range = found(gitOf({}), (scanner) => scanner.range({ root, base, head }))
      const history = found(gitOf({}), (scanner) => scanner.history({ root }))

      git("replace", leaking, clean)
      assert.notInclude(git("log", "-p"), "DB_PASSWORD")
      assert.deepStrictEqual(yield* range, all)
      assert.deepStrictEqual(yield* history, all)

      git("replace", "-d", leaking)
      writeFileSync(join(root, ".git", "info", "grafts"), `${head} ${base}\n`)
      assert.notInclude(git("log", "-p"), "DB_PASSWORD")
      assert.deepStrictEqual(yield* range, all)
      assert.deepStrictEqual(yield* history, all)
    })
  )
})

it.effect("a bare repository is read if GIT_DIR names it, and not because a folder looks like one", () =>
  Effect.gen(function* () {
    const { commit, git, root } = yield* repository
    commit({ "a.env": secret("A") })
    git("clone", "-q", "--bare", root, join(root, "bare"))
    const bare = join(root, "bare")
    const history = (variables: Variables) => found(gitOf(variables), (scanner) => scanner.history({ root: bare }))
    assert.deepStrictEqual(yield* history({ GIT_DIR: bare }), ["a.env k7VqAZr9tXw2Lp"])
    for (const inside of [bare, join(bare, "refs")]) {
      mkdirSync(inside, { recursive: true })
      const failure = yield* Effect.flip(found(gitOf({}), (scanner) => scanner.history({ root: inside })))
      assert.include(failure.message, "bare repository")
    }
  })
)

it.effect("a failure in the folder .git names the folder above it", () =>
  Effect.gen(function* () {
    const { commit, root } = yield* repository
    commit({ "a.env": secret("A") })
    for (const inside of [join(root, ".git"), join(root, ".git", "refs")]) {
      const failure = yield* Effect.flip(found(gitOf({}), (scanner) => scanner.history({ root: inside })))
      assert.match(failure.message, /is where git keeps the data of .*: change to the folder above it$/)
    }
  })
)

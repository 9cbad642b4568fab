import { execFileSync } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import {
  asUserOf,
  namesByReason,
  repositoryKinds,
  repositoryOf
} from "@threat-exposure/leak-check/testing/RepositoryKinds"
import { Effect, Result } from "effect"
import { folderScans } from "../../src/node/FolderScans.ts"

const secret = 'password = "tidal-Wren-4471-harbour!"\n'

const git = (root: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: root })

const repository = (branch: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const root = await mkdtemp(join(tmpdir(), "folder-scans-"))
      git(root, "init", "-q", "-b", branch)
      return root
    }),
    (root) => Effect.promise(() => rm(root, { recursive: true }))
  )

const put = (root: string, name: string, text: string) => Effect.promise(() => writeFile(join(root, name), text))

const changes = Effect.fnUntraced(function* (root: string, base = "") {
  const { candidates, gaps } = yield* Effect.flatMap(folderScans, (scans) => scans.changes(root, base))
  return { paths: candidates.map(({ location }) => location.path), gaps }
})

describe("the changes of a folder", () => {
  it.effect("are everything if nothing is committed", () =>
    Effect.gen(function* () {
      const root = yield* repository("main")
      yield* put(root, "a.ini", secret)
      assert.deepStrictEqual(yield* changes(root), { paths: ["a.ini"], gaps: [] })
    })
  )

  it.effect("report that there was no branch to compare with, and which setting names one", () =>
    Effect.gen(function* () {
      const root = yield* repository("trunk")
      yield* put(root, "a.ini", secret)
      git(root, "add", ".")
      git(root, "commit", "-qm", "first")
      yield* put(root, "b.ini", secret)
      const { gaps, paths } = yield* changes(root)
      assert.deepStrictEqual(paths, ["b.ini"])
      assert.match(gaps.join(), /no branch to compare with .* leakCheck\.baseBranch/u)
      const failure = yield* Effect.flip(changes(root, "develop"))
      assert.match(failure.message, /no branch develop .* leakCheck\.baseBranch/u)
    })
  )

  it.effect("are read from a detached head", () =>
    Effect.gen(function* () {
      const root = yield* repository("main")
      git(root, "commit", "-qm", "first", "--allow-empty")
      git(root, "checkout", "-q", "--detach")
      yield* put(root, "a.ini", secret)
      git(root, "add", ".")
      git(root, "commit", "-qm", "second")
      assert.deepStrictEqual(yield* changes(root), { paths: ["a.ini"], gaps: [] })
    })
  )
})

it.effect("a folder of a workspace is read by itself, whatever its name", () =>
  Effect.gen(function* () {
    const root = yield* repository("main")
    yield* Effect.promise(() => mkdir(join(root, "shop [old]", "src"), { recursive: true }))
    yield* put(root, "a.ini", secret)
    yield* put(root, "shop [old]/src/b.ini", secret)
    const { candidates } = yield* Effect.flatMap(folderScans, (scans) => scans.workspace(root, "shop [old]"))
    assert.deepStrictEqual(
      candidates.map(({ location }) => location.path),
      ["shop [old]/src/b.ini"]
    )
    // The open folder may be below the root of its repository.
    const below = join(root, "shop [old]")
    const opened = yield* Effect.flatMap(folderScans, (scans) => scans.workspace(below, ""))
    assert.deepStrictEqual(
      opened.candidates.map(({ location }) => location.path),
      ["src/b.ini"]
    )
    assert.deepStrictEqual((yield* changes(below)).paths, ["src/b.ini"])
  })
)

it.effect("values in tests are found where the setting includes them", () =>
  Effect.gen(function* () {
    const root = yield* repository("main")
    yield* Effect.promise(() => mkdir(join(root, "tests")))
    yield* put(root, "tests/shop.ini", secret)
    const scans = yield* folderScans
    const found = Effect.fnUntraced(function* (include: ReadonlyArray<"docs" | "tests">) {
      const both = yield* Effect.all([scans.workspace(root, "", include), scans.changes(root, "", include)])
      return both.map(({ candidates }) => candidates.length)
    })
    assert.deepStrictEqual(yield* found([]), [0, 0])
    assert.deepStrictEqual(yield* found(["tests"]), [1, 1])
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "checkout", "-qb", "topic")
    yield* put(root, "tests/till.ini", secret)
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    assert.deepStrictEqual(yield* found(["tests"]), [2, 1])
  })
)

describe("a workspace that is", () => {
  it.effect.each(repositoryKinds)("$name", (kind) =>
    Effect.gen(function* () {
      const root = yield* repositoryOf(kind)
      const scanned = yield* Effect.result(
        asUserOf(
          kind,
          Effect.flatMap(folderScans, (scans) => scans.workspace(root, ""))
        )
      )
      assert.strictEqual(Result.isFailure(scanned), kind.fails === true)
      if (Result.isFailure(scanned)) return
      assert.deepStrictEqual(scanned.success.candidates.map(({ location }) => location.path).toSorted(), kind.found)
      assert.deepStrictEqual(namesByReason(scanned.success.skipped), kind.skipped)
    })
  )
})

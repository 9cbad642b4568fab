import { assert, describe, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner } from "@threat-exposure/detect/Scanner"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { scanEvent, scanUncommitted } from "@threat-exposure/leak-check/range/ScanEvent"
import type { WorkflowEvent } from "@threat-exposure/leak-check/range/WorkflowEvent"
import { hostilePartialClone, hostileRepository } from "@threat-exposure/leak-check/testing/HostileRepository"
import { execFileSync } from "node:child_process"
import { Effect, Layer, Redacted, Stream } from "effect"

const codeOf = (root: string) =>
  Layer.merge(
    NodeScanner.layer,
    cloneLayer({
      root,
      authorization: { server: "https://127.0.0.1", header: Redacted.make("AUTHORIZATION: basic eDp5") }
    }).pipe(Layer.provide(NodeScanner.gitLayer))
  )

const narrowing = (root: string) => ({ root, paths: [], exclude: [] })

/** Runs git without this program, for comparison. */
const plainGit = (root: string, ...args: ReadonlyArray<string>) => {
  try {
    execFileSync("git", ["-C", root, ...args], { stdio: "ignore" })
  } catch {
    // Most of the programs fail.
  }
}

describe("no program of a hostile repository runs", () => {
  it.effect("when it is read in any way, and more of it is fetched", () =>
    Effect.gen(function* () {
      const { base, embedded, forgetMarks, head, marksLeft, repository } = yield* hostileRepository
      const root = repository.path
      plainGit(root, "diff", "HEAD")
      plainGit(root, "diff", "HEAD", "--", "b.env")
      plainGit(root, "diff", "--no-ext-diff", "HEAD", "--", "b.env")
      plainGit(root, "fetch", "origin", "main")
      plainGit(root, "fetch", "--upload-pack=git-upload-pack", "origin", "main")
      plainGit(root, "fetch", "ssh://127.0.0.1/x")
      plainGit(root, "fetch", "git://127.0.0.1:1/x")
      plainGit(embedded, "status")
      assert.includeMembers(marksLeft(), [
        "core.fsmonitor",
        "core.gitProxy",
        "core.sshCommand",
        "diff.evil.command",
        "diff.evil.textconv",
        "embedded.fsmonitor",
        "filter.evil.clean",
        "filter.other.process",
        "hooks.reference-transaction",
        "module.fsmonitor",
        "remote.origin.uploadpack"
      ])
      forgetMarks()

      const pullRequest: WorkflowEvent = { _tag: "PullRequest", number: 1, base, head, isFork: false }
      const other: WorkflowEvent = { _tag: "Other", name: "schedule" }
      const push = { before: base, after: head, isForced: true, isDefaultBranch: false, defaultBranch: "main" }
      const scans: ReadonlyArray<readonly [WorkflowEvent, "changes" | "tree" | "history"]> = [
        [pullRequest, "changes"],
        [{ _tag: "MergeGroup", base: "0123456789".repeat(4), head }, "changes"],
        [{ _tag: "Push", ...push }, "changes"],
        [{ _tag: "Tag", head }, "changes"],
        // This event has no changes, so the whole tree is scanned.
        [other, "changes"],
        // With rules of a base, and with those of the work tree.
        [pullRequest, "tree"],
        [pullRequest, "history"],
        [other, "history"]
      ]
      for (const [event, scan] of scans) {
        yield* Effect.provide(scanEvent({ ...narrowing(root), event, scan }), codeOf(root))
      }
      for (const staged of [true, false]) {
        yield* Effect.provide(scanUncommitted({ ...narrowing(root), staged }), codeOf(root))
      }
      const outcome = yield* Effect.provide(
        Effect.gen(function* () {
          const clone = yield* Clone
          yield* clone.fetch({ revisions: ["main"] })
          yield* Effect.exit(clone.earlierTag(head))
          yield* clone.defaultBranch
          yield* clone.repositoryName
          return yield* clone.remoteTipOf("main")
        }),
        codeOf(root)
      )
      assert.isTrue(outcome._tag === "Some")
      for (const url of [
        "ssh://127.0.0.1/x",
        "https://127.0.0.1:1/x",
        "ext::sh -c touch% fetched",
        "git://127.0.0.1:1/x"
      ]) {
        repository.git("config", "remote.origin.url", url)
        const failure = yield* Effect.flip(
          Effect.provide(
            Effect.flatMap(Clone, (clone) => clone.fetch({ revisions: ["main"] })),
            codeOf(root)
          )
        )
        assert.include(failure.message, "core.sshcommand")
      }
      assert.deepStrictEqual(marksLeft(), [])
    })
  )

  it.effect("when a committed folder looks like a repository", () =>
    Effect.gen(function* () {
      const { embedded, forgetMarks, marksLeft } = yield* hostileRepository
      forgetMarks()
      const read = yield* Effect.provide(
        Effect.gen(function* () {
          const scanner = yield* Scanner
          return yield* Effect.flip(
            Effect.flatMap(scanner.tree({ root: embedded }), ({ candidates }) => Stream.runDrain(candidates))
          )
        }),
        NodeScanner.layer
      )
      assert.include(read.message, "bare repository")
      assert.deepStrictEqual(marksLeft(), [])
    })
  )

  it.effect("when it lacks the content of files", () =>
    Effect.gen(function* () {
      const { base, head, missing, repository, wasFetched } = yield* hostilePartialClone
      const root = repository.path
      const event: WorkflowEvent = { _tag: "MergeGroup", base, head }
      const { gaps } = yield* Effect.provide(scanEvent({ ...narrowing(root), event, scan: "changes" }), codeOf(root))
      assert.match(gaps.join(), /partial clone/)
      assert.isFalse(wasFetched())
      plainGit(root, "cat-file", "blob", missing)
      assert.isTrue(wasFetched())
    })
  )
})

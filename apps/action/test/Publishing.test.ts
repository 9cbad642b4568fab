import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { type Annotation, GitHub } from "@threat-exposure/action/GitHub"
import { inputForm } from "@threat-exposure/action/Inputs"
import { decodeSettings } from "@threat-exposure/leak-check/config/ConfigFile"
import { publish } from "@threat-exposure/action/Publishing"
import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import type { Leak } from "@threat-exposure/leak-check/Report"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { DateTime, Effect, Layer } from "effect"

/** The runner, as far as it is written to. */
const recorder = () => {
  const annotated: Array<Annotation> = []
  const none = Effect.void
  const layer = Layer.succeed(GitHub, {
    log: () => none,
    group: (_title, effect) => effect,
    annotate: (annotation) => Effect.sync(() => void annotated.push(annotation)),
    mask: () => none,
    setOutputs: () => none,
    summarise: () => none,
    commentsOf: () => ({ find: () => Effect.succeed([]), create: () => none, update: () => none }),
    restoreCache: () => none,
    saveCache: () => none
  })
  return { annotated, layer }
}

const leak = (n: number): Leak => ({
  fingerprint: n.toString(16).padStart(16, "0"),
  subject: { type: "value", kind: "password", names: ["DEPLOY"], locations: [], isAdded: false },
  counts: true,
  notCountedReason: null,
  severity: "high",
  firstSeen: null,
  lastSeen: null,
  common: null,
  ignored: null,
  credentials: [],
  moreCredentials: false,
  events: [],
  moreEvents: false
})

describe("publish", () => {
  it.effect("warns when one SARIF file cannot contain all leaks", () =>
    Effect.gen(function* () {
      const workspace = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "publishing-"))),
        (folder) => Effect.promise(() => rm(folder, { recursive: true }))
      )
      const plan = yield* LeakCheck.plan({
        repository: "example/checkout",
        settings: defaults(yield* DateTime.now)
      })
      const report = yield* LeakCheck.skip(plan, "not searched here")
      const inputs = yield* decodeSettings(inputForm, {
        "sarif-file": "results.sarif",
        annotations: "false",
        summary: "false"
      })
      const environment = {
        workspace,
        repositoryName: "example/checkout",
        serverUrl: "https://github.com",
        repositoryUrl: "https://github.com/example/checkout",
        commit: undefined,
        workflowFile: undefined,
        temporary: undefined,
        runId: "1",
        actor: undefined,
        event: { _tag: "Other", name: "schedule" } as const,
        given: {}
      }
      const publishing = Effect.fnUntraced(function* (leaks: number) {
        const { annotated, layer } = recorder()
        const leaked = {
          ...report,
          verdict: "leaked" as const,
          leaks: Array.from({ length: leaks }, (_, n) => leak(n))
        }
        yield* publish(leaked, { environment, inputs, failure: undefined, refusal: undefined }).pipe(
          Effect.provide([layer, NodeFileSystem.layer, NodePath.layer])
        )
        const [run] = JSON.parse(readFileSync(join(workspace, "results.sarif"), "utf8")).runs
        return { messages: annotated.map(({ level, message }) => `${level}: ${message}`), results: run.results.length }
      })
      assert.deepStrictEqual(yield* publishing(10), { messages: [], results: 10 })
      const { messages, results } = yield* publishing(25_001)
      assert.strictEqual(results, 25_000)
      assert.strictEqual(messages.length, 1)
      assert.match(messages[0] ?? "", /^warning: The file of `sarif-file` has the worst 25000 of 25001 leaks/u)
    })
  )
})

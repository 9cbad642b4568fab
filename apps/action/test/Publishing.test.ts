import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { type Annotation, GitHub } from "@threat-exposure/action/GitHub"
import { inputForm } from "@threat-exposure/action/Inputs"
import { decodeSettings } from "@threat-exposure/leak-check/config/ConfigFile"
import type { Environment } from "@threat-exposure/action/Environment"
import { type Publication, publish } from "@threat-exposure/action/Publishing"
import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import type { Leak } from "@threat-exposure/leak-check/Report"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { DateTime, Effect, Layer } from "effect"

/** A runner that records everything written to it. */
const recorder = () => {
  const annotated: Array<Annotation> = []
  const logged: Array<string> = []
  const commented: Array<string> = []
  const outputs = new Map<string, string>()
  const summarised: Array<string> = []
  const none = Effect.void
  const layer = Layer.succeed(GitHub, {
    log: (text) => Effect.sync(() => void logged.push(text)),
    group: (_title, effect) => effect,
    annotate: (annotation) => Effect.sync(() => void annotated.push(annotation)),
    mask: () => none,
    setOutputs: (given) =>
      Effect.sync(() => Object.entries(given).forEach(([name, value]) => outputs.set(name, value))),
    summarise: (text) => Effect.sync(() => void summarised.push(text)),
    commentsOf: (pullRequest) => ({
      find: () => Effect.succeed([]),
      create: () => Effect.sync(() => void commented.push(`created on ${pullRequest}`)),
      update: () => none
    }),
    restoreCache: () => none,
    saveCache: () => none
  })
  return { annotated, commented, layer, logged, outputs, summarised }
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

const environment = {
  workspace: "/workspace",
  repositoryName: "example/checkout",
  serverUrl: "https://github.com",
  repositoryUrl: "https://github.com/example/checkout",
  commit: undefined,
  workflowFile: undefined,
  temporary: undefined,
  runId: "1",
  actor: undefined,
  event: { _tag: "Other", name: "schedule" } as const,
  part: undefined,
  given: {}
}

const skipped = Effect.gen(function* () {
  const plan = yield* LeakCheck.plan({ repository: "example/checkout", settings: defaults(yield* DateTime.now) })
  return yield* LeakCheck.skip(plan, "not searched here")
})

/** Publishes a report without writing a file. */
const told = Effect.fnUntraced(function* (
  given: Readonly<Record<string, string>>,
  verdict: "leaked" | "incomplete",
  {
    event = environment.event,
    ...reasons
  }: Partial<Pick<Environment, "event"> & Pick<Publication, "failure" | "refusal">> = {}
) {
  const { annotated, commented, layer, logged } = recorder()
  const report = { ...(yield* skipped), verdict, leaks: verdict === "leaked" ? [leak(1)] : [] }
  const inputs = yield* decodeSettings(inputForm, { summary: "false", ...given })
  yield* publish(report, {
    failure: undefined,
    refusal: undefined,
    ...reasons,
    inputs,
    environment: { ...environment, event }
  }).pipe(Effect.provide([layer, NodeFileSystem.layer, NodePath.layer]))
  return { annotated: annotated.map(({ level, message }) => `${level}: ${message}`), commented, logged }
})

describe("publish", () => {
  it.effect("tells why the step fails once: in an annotation, unless each leak has one or they are switched off", () =>
    Effect.gen(function* () {
      const failure = "the step fails"
      const error = `error: ${failure}`
      for (const [annotations, verdict, refusal, isAnnotated] of [
        ["true", "incomplete", undefined, true],
        ["true", "leaked", "refused", true],
        ["true", "leaked", undefined, false],
        ["false", "incomplete", undefined, false]
      ] as const) {
        const { annotated, logged } = yield* told({ annotations }, verdict, { failure, refusal })
        const found = [annotated.filter((one) => one === error).length, logged.filter((one) => one === failure).length]
        assert.deepStrictEqual(found, isAnnotated ? [1, 0] : [0, 1], `${annotations} ${verdict} ${refusal}`)
      }
      const { annotated, logged } = yield* told({ annotations: "false" }, "incomplete")
      assert.deepStrictEqual([annotated, logged.length], [[], 1])
    })
  )

  it.effect("comments on the pull request that is known by its number, and warns without a token", () =>
    Effect.gen(function* () {
      const event = { _tag: "PullRequest", number: 7, base: "a", head: "b", isFork: false } as const
      const withoutToken = { annotations: "false", comment: "true" }
      const given = { ...withoutToken, "github-token": "ghs_thejob" }
      assert.deepStrictEqual((yield* told(given, "leaked", { event })).commented, ["created on 7"])
      for (const other of [{ ...event, number: undefined }, environment.event]) {
        const { annotated, commented } = yield* told(given, "leaked", { event: other })
        assert.deepStrictEqual([annotated, commented], [[], []])
      }
      const { annotated, commented } = yield* told(withoutToken, "leaked", { event })
      assert.deepStrictEqual(commented, [])
      assert.deepStrictEqual(annotated, ["warning: The comment was not written: the input `github-token` is empty"])
    })
  )

  it.effect("links the lines of a pull request's head, and of the commit of every other event", () =>
    Effect.gen(function* () {
      const [head, commit] = ["b".repeat(40), "c".repeat(40)]
      const location = { path: "prod.env", line: 3, column: 1, endLine: 3, endColumn: 9 }
      const found = { ...location, commit: null, removed: false, rule: "generic", name: "DEPLOY" }
      const subject = { ...leak(1).subject, locations: [found] }
      const inputs = yield* decodeSettings(inputForm, {})
      for (const [event, linked] of [
        [{ _tag: "PullRequest", number: 7, base: "a", head, isFork: false }, head],
        [environment.event, commit]
      ] as const) {
        const { layer, outputs, summarised } = recorder()
        const report = { ...(yield* skipped), verdict: "leaked" as const, leaks: [{ ...leak(1), subject }, leak(2)] }
        yield* publish(report, {
          failure: undefined,
          refusal: undefined,
          inputs,
          environment: { ...environment, event, commit }
        }).pipe(Effect.provide([layer, NodeFileSystem.layer, NodePath.layer]))
        assert.include(summarised.join(), `https://github.com/example/checkout/blob/${linked}/prod.env#L3`)
        assert.deepStrictEqual(Object.fromEntries(outputs), {
          verdict: "leaked",
          leaks: "2",
          searches: "0",
          unsearched: "0",
          "report-file": "",
          "sarif-file": ""
        })
      }
    })
  )

  it.effect("warns when one SARIF file cannot contain all leaks", () =>
    Effect.gen(function* () {
      const workspace = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "publishing-"))),
        (folder) => Effect.promise(() => rm(folder, { recursive: true }))
      )
      const report = yield* skipped
      const inputs = yield* decodeSettings(inputForm, {
        "sarif-file": "results.sarif",
        annotations: "false",
        summary: "false"
      })
      const publishing = Effect.fnUntraced(function* (leaks: number) {
        const { annotated, layer } = recorder()
        const leaked = {
          ...report,
          verdict: "leaked" as const,
          leaks: Array.from({ length: leaks }, (_, n) => leak(n))
        }
        yield* publish(leaked, {
          environment: { ...environment, workspace },
          inputs,
          failure: undefined,
          refusal: undefined
        }).pipe(Effect.provide([layer, NodeFileSystem.layer, NodePath.layer]))
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

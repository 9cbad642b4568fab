/** Reports of each kind, created by real checks. */
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { candidate, input, now } from "./samples.ts"
import { credential, event, script } from "./ScriptedService.ts"

const searched = Effect.fnUntraced(function* (...args: Parameters<typeof LeakCheck.plan>) {
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  const { layer } = script(({ asked, of }) =>
    asked.startsWith("clean")
      ? undefined
      : of === "credentials"
        ? { items: [credential(), credential({ identity_name: "bob@example.org", domain: "example.org" })], next: null }
        : { items: [event({ highlights: { content: [`password: <mark>${asked}</mark>`] } })], next: "more" }
  )
  return yield* Effect.provide(LeakCheck.run(yield* LeakCheck.plan(...args)), layer)
})

export const leaked = searched(
  input({
    secrets: [],
    added: [candidate("hunter2-hunter2", { path: "src/a b/ü.ts" }), candidate("hunter2-hunter2", { line: 40 })],
    candidates: [
      candidate("clean-value-1"),
      candidate("other-leaked-1", {
        kind: "provider-token",
        rule: "provider/aws-secret-access-key",
        name: "AWS_SECRET_ACCESS_KEY"
      })
    ],
    domains: ["example.com"],
    settings: { domainLeaks: "warn" },
    notices: ["The submodule lib was not read"]
  })
)

export const clean = searched(input({ candidates: [candidate("clean-value-1")] }))

export const incomplete = searched(
  input({
    candidates: [candidate("clean-value-1"), candidate("clean-value-2")],
    gaps: ["The history could not be fetched"],
    settings: { maxSearches: 1 }
  })
)

export const skipped = Effect.flatMap(LeakCheck.plan(input({ candidates: [candidate("hunter2-hunter2")] })), (plan) =>
  LeakCheck.skip(plan, "A pull request from a fork has no token")
)

export const reports = Effect.all([leaked, clean, incomplete, skipped])

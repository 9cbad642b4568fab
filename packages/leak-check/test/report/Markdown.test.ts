import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import * as Markdown from "@threat-exposure/leak-check/report/Markdown"
import type { Report } from "@threat-exposure/leak-check/Report"
import { Effect, Redacted } from "effect"
import { incomplete, leaked } from "../reports.ts"
import { candidate, input } from "../samples.ts"
import { credential, event, script } from "../ScriptedService.ts"

const hostile = [
  "[click](https://evil.example)",
  "![x](https://evil.example/x.png)",
  "<img src=https://evil.example/x onerror=alert(1)>",
  "</code></summary></details><script>alert(1)</script>",
  "@octocat #1 acme/app#2 https://evil.example www.evil.example",
  "```\n# heading\n| a | b |",
  "`a` ``b`` | c \\| d",
  "--> <!-- ",
  "$\\unicode{x}$ :skull: **bold** _em_"
].join(" ")

const summary = Effect.gen(function* () {
  const { layer } = script(({ of }) =>
    of === "credentials"
      ? {
          items: [
            credential({
              identity_name: hostile,
              source: { ...credential().source, name: hostile, description_en: hostile }
            })
          ],
          next: null
        }
      : {
          items: [
            event({
              uid: hostile,
              type: hostile,
              title: hostile,
              svc_url: "javascript:alert(1)",
              highlights: { [hostile]: [hostile] }
            })
          ],
          next: null
        }
  )
  const plan = yield* LeakCheck.plan(
    input({
      secrets: [{ name: hostile, value: Redacted.make("hunter2-hunter2") }],
      candidates: [candidate("another-secret", { path: `src/${hostile}`, name: hostile })],
      notices: [hostile],
      gaps: [hostile]
    })
  )
  const report = yield* Effect.provide(LeakCheck.run(plan), layer)
  return Markdown.summary(report, { repositoryUrl: "https://github.com/acme/app", commit: "abc123" })
})

/**
 * The text without code spans, code blocks and targets of our own links: the part that GitHub interprets as Markdown.
 */
const live = (markdown: string) =>
  markdown
    .replace(/^```yaml\n[\s\S]*?^```$/gm, "")
    .replace(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g, "CODE")
    .replace(/<code>(?:&#\d+;|[\p{L}\p{N} ._-])*<\/code>/gu, "HTML")
    .replace(/\[(CODE|open in the service)\]\(https:\/\/[\w./%#?=&-]+\)/g, "LINK")

const ignoredUntil = { reason: "rotated", expires: "2999-01-01", by: null, line: 1 }

describe("Markdown", () => {
  it.effect("untrusted text has no effect", () =>
    Effect.gen(function* () {
      const rest = live(yield* summary)
      assert.notMatch(rest, /evil|octocat|alert|script|<img|skull|unicode|bold|javascript/)
      assert.notMatch(rest, /\]\(/)
      assert.deepStrictEqual(Array.from(new Set(Array.from(rest.matchAll(/<\/?\w+>/g), ([tag]) => tag))).toSorted(), [
        "</details>",
        "</summary>",
        "<details>",
        "<summary>"
      ])
    })
  )

  it.effect("no row of a table is broken by its content", () =>
    Effect.gen(function* () {
      const lines = (yield* summary).split("\n")
      const rows = lines.filter((line) => line.startsWith("|"))
      assert.isAbove(rows.length, 3)
      for (const row of rows) assert.match(row, /^(\|[^|]+){5}\|$/)
    })
  )

  it.effect("a comment is found again by its marker, and says when the leaks are resolved", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const comment = Markdown.comment(report, { marker: "threat-exposure --> x" })
      assert.match(comment, /^<!-- threat-exposure > x -->\n## 🔴 2 secrets found in leaked data\n/)
      assert.match(Markdown.resolved(report, { marker: "m" }), /^<!-- m -->\n## ✅ Resolved/)
    })
  )

  it.effect("steps are folded away, except for a single leak", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const summaryOf = (...values: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatMap(LeakCheck.plan(input({ candidates: values.map((value) => candidate(value)) })), (plan) =>
            Effect.provide(LeakCheck.run(plan), layer)
          ),
          (report) => Markdown.summary(report)
        )
      const opened = (text: string) => Array.from(text.matchAll(/^<details( open)?><summary>/gm), ([, open]) => open)
      assert.deepStrictEqual(opened(yield* summaryOf("hunter2-hunter2")), [" open", undefined])
      assert.deepStrictEqual(opened(yield* summaryOf("hunter2-hunter2", "another-secret")), [
        undefined,
        undefined,
        undefined
      ])
    })
  )

  it.effect("a leak does not hide what was left unsearched", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const plan = yield* LeakCheck.plan(
        input({ candidates: [candidate("hunter2-hunter2"), candidate("another-secret")], settings: { maxSearches: 2 } })
      )
      const [heading, , lead] = Markdown.summary(yield* Effect.provide(LeakCheck.run(plan), layer)).split("\n")
      assert.strictEqual(heading, "## 🔴 1 secret found in leaked data")
      assert.include(lead, "**1 target was not fully searched.**")
    })
  )

  it.effect("an incomplete check says what was done, what is left, and what to do about it", () =>
    Effect.gen(function* () {
      const text = Markdown.summary(yield* incomplete)
      assert.include(text, "may have leaked. 2 values to search, 1 search made.\n")
      // A shared reason is shown once.
      assert.strictEqual(text.match(/^`The budget of 1 search [^|]* raise it \(max-searches\)`$/gmu)?.length, 1)
      assert.match(text, /\| credentials and events \|$/mu)
    })
  )

  it.effect("a leak has an entry for the ignore file, unless it is there already", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const [leak] = report.leaks
      assert(leak !== undefined)
      const entry = "Once the leak is resolved, add this entry to"
      assert.include(Markdown.summary({ ...report, leaks: [leak] }), entry)
      const ignored = { reason: "rotated", expires: "2027-01-01", by: null }
      assert.notInclude(Markdown.summary({ ...report, leaks: [{ ...leak, counts: false, ignored }] }), entry)
    })
  )

  it.effect("if there was nothing to search, it says why, and nothing about findings", () =>
    Effect.gen(function* () {
      const leadOf = (report: Report) => Markdown.summary(report).split("\n")[2]
      const { layer } = script(() => undefined)
      const nothing = yield* Effect.provide(LeakCheck.run(yield* LeakCheck.plan(input({}))), layer)
      assert.strictEqual(leadOf(nothing), "What was checked contains nothing to search for.")
      const known = { ...nothing, planned: { ...nothing.planned, knownClean: 2 } }
      assert.strictEqual(leadOf(known), "All 2 targets were found clean in an earlier run.")
    })
  )

  it.effect("a table says for each leak what to do, and long evidence is folded away except for its beginning", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 30 }, (_, id) => credential({ id, identity_name: `person${id}@example.com` }))
      const { layer } = script(({ of }) => (of === "credentials" ? { items: many, next: null } : undefined))
      const plan = yield* LeakCheck.plan(input({ candidates: [candidate("hunter2-hunter2")] }))
      const text = Markdown.summary(yield* Effect.provide(LeakCheck.run(plan), layer))
      assert.match(text, /^\| .* \| Change the password [^|]* \|$/mu)
      const [open = "", folded = ""] = text.split("<details><summary>20 more</summary>")
      assert.strictEqual(open.match(/^- `p…@example\.com`/gmu)?.length, 10)
      assert.strictEqual(folded.match(/^- `p…@example\.com`/gmu)?.length, 20)
    })
  )

  it.effect("has each step once, also if several leaks share it", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const [first = assert.fail()] = report.leaks
      assert.isTrue(first.subject.type === "value")
      const token = Object.assign({}, first, { subject: { ...first.subject, kind: "jwt" } })
      const stepsIn = (leaks: Report["leaks"]) => {
        const [, section = ""] = Markdown.summary({ ...report, leaks }).split(/^### What to do\n/mu)
        return Array.from((section.split(/^#/mu)[0] ?? "").matchAll(/^\d\. .*$/gmu), ([step]) => step)
      }
      const alone = stepsIn([first])
      assert.match(alone[0] ?? "", /^1\. Treat it as compromised\. Change the password/u)
      assert.deepStrictEqual(stepsIn([first, first]), alone)
      const [replacement, ...further] = stepsIn([first, token])
      assert.strictEqual(replacement, "1. Treat each value as compromised, and replace it as the table says.")
      assert.deepStrictEqual(further, alone.slice(1))
      // The table does not contain the replacement for a value that does not count.
      const passed = [first, token].map((leak) => Object.assign({}, leak, { counts: false, notCountedReason: "x" }))
      const [ofPassword, ofToken] = stepsIn(passed)
      assert.match(ofPassword ?? "", /^1\. Treat it as compromised\. Change the password/u)
      assert.match(ofToken ?? "", /^2\. Treat it as compromised\. End the session/u)
      assert.deepStrictEqual(stepsIn([Object.assign({}, first, { ignored: ignoredUntil })]), [])
    })
  )

  it.effect("a table says how many rows it leaves out, and nothing if it has all", () =>
    Effect.gen(function* () {
      const report = yield* incomplete
      const [first = assert.fail()] = report.unsearched
      const summaryOf = (count: number) =>
        Markdown.summary({ ...report, unsearched: Array.from({ length: count }, () => first) })
      assert.notInclude(summaryOf(500), "in the JSON report")
      assert.include(summaryOf(501), "… and 1 more, in the JSON report.")
    })
  )

  it.effect("a comment without room for what was seen has no heading for it", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const [first = assert.fail()] = report.leaks
      const commentOn = (leaks: typeof report.leaks) => Markdown.comment({ ...report, leaks }, { marker: "x" })
      // Each leak's details end with its fingerprint.
      const many = Array.from({ length: 20 }, () => Object.assign({}, first, { fingerprint: "f".repeat(30_000) }))
      assert.include(commentOn([first]), "### What was seen")
      assert.notInclude(commentOn(many), "### What was seen")
      assert.notInclude(commentOn([]), "### What was seen")
    })
  )

  it.effect("locations link to the code, and removed ones to the commit that contains them", () =>
    Effect.gen(function* () {
      const { layer } = script(({ of }) => (of === "credentials" ? { items: [credential()], next: null } : undefined))
      const plan = yield* LeakCheck.plan(
        input({
          candidates: [
            candidate("hunter2-hunter2", { path: "a (b)/ü#?.ts", line: 3 }),
            candidate("hunter2-hunter2", { path: "old.ts", line: 4, commit: "0dd", removed: true }),
            candidate("hunter2-hunter2", { path: ".git/messages/0de", line: 2, commit: "0de" })
          ]
        })
      )
      const report = yield* Effect.provide(LeakCheck.run(plan), layer)
      const text = Markdown.summary(report, { repositoryUrl: "https://github.com/acme/app", commit: "abc123" })
      assert.include(text, "[`a (b)/ü#?.ts:3`](https://github.com/acme/app/blob/abc123/a%20%28b%29/%C3%BC%23%3F.ts#L3)")
      assert.include(text, "[`old.ts:4`](https://github.com/acme/app/blob/0dd/old.ts#L4) (removed since)")
      assert.include(text, "[`.git/messages/0de:2`](https://github.com/acme/app/commit/0de)")
    })
  )
})

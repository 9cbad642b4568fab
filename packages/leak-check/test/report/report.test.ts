/** Rules for every format: its content, what it must never contain, and its size. */
import { assert, describe, it } from "@effect/vitest"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { type Leak, Report, type Unsearched } from "@threat-exposure/leak-check/Report"
import { annotations, command } from "@threat-exposure/leak-check/report/Annotations"
import * as Console from "@threat-exposure/leak-check/report/Console"
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { json } from "@threat-exposure/leak-check/report/Json"
import { junit } from "@threat-exposure/leak-check/report/Junit"
import * as Markdown from "@threat-exposure/leak-check/report/Markdown"
import { sarif } from "@threat-exposure/leak-check/report/Sarif"
import { Effect, Redacted, Schema } from "effect"
import * as fc from "fast-check"
import { candidate, input, place } from "../samples.ts"
import { clean, incomplete, leaked, reports, skipped } from "../reports.ts"
import { credential, event, script } from "../ScriptedService.ts"

const github = { repositoryUrl: "https://github.com/acme/app", commit: "abc123" }
const marker = "threat-exposure"

const formats = (report: Report): Record<string, string> => ({
  json: json(report),
  sarif: sarif(report, { workflowPath: ".github/workflows/leaks.yml", toolVersion: "1.2.3" }),
  junit: junit(report),
  secretDetection: secretDetection(report, { toolVersion: "1.2.3" }),
  codeQuality: codeQuality(report),
  summary: Markdown.summary(report, github),
  comment: Markdown.comment(report, { ...github, marker }),
  resolved: Markdown.resolved(report, { marker }),
  console: Console.text(report, { colors: true }),
  annotations: annotations(report).map(command).join("\n")
})

const formsOf = (value: string) => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  new URLSearchParams({ v: value }).toString().slice(2),
  Buffer.from(value).toString("base64").replace(/=+$/, ""),
  Buffer.from(value).toString("base64url"),
  Buffer.from(value).toString("hex"),
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
]

/** A check in which every text from the service and every location in the code contains both values in all forms. */
const soaked = (given: string, found: string) => {
  const texts = [given, found].flatMap(formsOf)
  const all = texts.join(" ")
  const { layer } = script(({ of }) =>
    of === "credentials"
      ? {
          items: texts.map((text, id) =>
            credential({
              id,
              identity_name: id % 2 === 0 ? `${text}@example.com` : text,
              domain: text,
              imported_at: text,
              hash: text,
              auth_domains: [text],
              source: {
                id: text,
                name: text,
                description_en: all,
                description_fr: text,
                breached_at: text,
                leaked_at: text,
                is_alert_enabled: false,
                pii_tags: [text],
                url: `https://example.com/?q=${encodeURIComponent(text)}`
              }
            })
          ),
          next: text64(all)
        }
      : {
          items: texts.map((text) =>
            event({
              uid: `paste/${text}`,
              type: text,
              title: all,
              estimated_created_at: text,
              matched_at: text,
              svc_url: `https://example.com/${encodeURIComponent(text)}?${text}`,
              highlights: {
                [text]: [
                  all,
                  `<mark>${text}</mark>`,
                  Array.from(text, (char) => `<em>${char}</em>`).join(""),
                  text.slice(3)
                ]
              }
            })
          ),
          next: all
        }
  )
  return LeakCheck.plan(
    input({
      secrets: [{ name: `NAME_${given}`, value: Redacted.make(given) }],
      candidates: [candidate(found, { path: `src/${given}/${found}.ts`, name: `${given}${found}` })],
      domains: ["example.com"],
      notices: [all],
      gaps: [all],
      settings: { maxSearches: 5 }
    })
  ).pipe(
    Effect.flatMap((plan) => LeakCheck.run(plan)),
    Effect.provide(layer)
  )
}

const text64 = (text: string) => Buffer.from(text).toString("base64")

/** Values of characters that occur in no word of a report, so that a match cannot be a coincidence. */
const values = fc
  .string({
    unit: fc.constantFrom(..."zqxj0189\"'\\<>&%+/=|`*_[](){}$#@!~^;:,.? \t\né漢👍"),
    minLength: 9,
    maxLength: 40
  })
  .filter((text) => text.trim() === text && new Set(text).size > 6 && /[zqxj0189]{2}/.test(text))

describe("every format", () => {
  it.effect("contains no value, wherever the service put it", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(values, values, async (given, found) => {
          const report = await Effect.runPromise(soaked(given, found))
          assert.strictEqual(report.verdict, "leaked")
          for (const [format, text] of Object.entries(formats(report))) {
            for (const value of [given, found]) {
              for (const form of formsOf(value)) assert.notInclude(text, form, format)
            }
          }
        }),
        { numRuns: 25, seed: 7 }
      )
    )
  )

  it.effect("states the verdict, and never calls an incomplete check clean", () =>
    Effect.gen(function* () {
      for (const report of [yield* incomplete, yield* skipped]) {
        const { annotations, comment, console, sarif, summary } = formats(report)
        assert.include(summary, "This is not a clean result")
        assert.include(comment, "This is not a clean result")
        assert.match(console ?? "", /^verdict: (incomplete|skipped) \(/m)
        assert.match(annotations ?? "", /^::(warning|notice) /m)
        assert.isFalse(JSON.parse(sarif ?? "").runs[0].invocations[0].executionSuccessful)
        for (const text of [summary, comment, console, annotations])
          assert.notMatch(text ?? "", /🟢|✅|No leak found$/m)
      }
      assert.include(formats(yield* clean).summary, "🟢 No leak found")
    })
  )

  it.effect("ends with the verdict on the console", () =>
    Effect.gen(function* () {
      const ends = Array.from(yield* reports, (report) => Console.text(report, { colors: false }).split("\n").at(-1))
      assert.deepStrictEqual(ends, [
        "verdict: leaked (2 leaks, 8 searches)",
        "verdict: clean (0 leaks, 2 searches)",
        "verdict: incomplete (0 leaks, 1 search)",
        "verdict: skipped (0 leaks, 0 searches)"
      ])
    })
  )

  it.effect("stays within GitHub's limits, whatever its content", () =>
    Effect.gen(function* () {
      const report = many(yield* leaked, 5_001)
      const summary = Markdown.summary(report, github)
      assert.isBelow(Buffer.byteLength(summary), 1_048_576)
      assert.isAtMost(Markdown.comment(report, { ...github, marker }).length, 65_536)
      assert.match(summary, /… and \d+ more, in the JSON report/)
      const commands = annotations(report).map(command).join("\n")
      assert.strictEqual(commands.match(/^::error /gm)?.length, 10)
      assert.strictEqual(commands.match(/^::warning /gm)?.length, 10)

      const [leak] = report.leaks
      assert.isDefined(leak)
      const path = `${"漢".repeat(80)}/`.repeat(50)
      const places = {
        type: "value" as const,
        kind: "jwt",
        names: [],
        isAdded: false,
        locations: [place({ path, rule: "jwt", name: path.slice(0, 100) })]
      }
      const deep = { ...report, leaks: Array.from({ length: 600 }, () => ({ ...leak, subject: places })) }
      assert.isAtMost(Markdown.comment(deep, { ...github, marker }).length, 65_536)
      assert.isBelow(Buffer.byteLength(Markdown.summary(deep, github)), 1_048_576)
    })
  )
})

describe("report.json", () => {
  it.effect("has 10 MB at most, says what it leaves out, and conforms to its schema", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      assert.isNull(JSON.parse(json(report)).omitted)
      const huge = many(report, 3_000)
      const text = json(huge)
      assert.isAtMost(new TextEncoder().encode(text).length, 10_000_000)
      const read = yield* Schema.decodeEffect(Schema.fromJsonString(Report))(text)
      assert.strictEqual(read.verdict, huge.verdict)
      assert.isAbove(read.leaks.length, 100)
      const entries = (of: Report) =>
        of.leaks.length + of.unsearched.length + of.ineligible.length + of.gaps.length + of.notices.length
      assert.strictEqual(read.omitted?.entries, entries(huge) - entries(read))
    })
  )
})

/** A report with `n` leaks and `n` unsearched targets, each with long texts. */
const many = (report: Report, n: number): Report => {
  const [leak] = report.leaks
  assert.isDefined(leak)
  const long = "é漢".repeat(140)
  const worse: Leak = {
    ...leak,
    credentials: Array.from({ length: 3 }, () => ({ ...leak.credentials[0]!, account: long })),
    events: Array.from({ length: 2 }, () => ({ ...leak.events[0]!, title: long }))
  }
  const unsearched: Unsearched = { subject: leak.subject, missing: ["events"], reason: "error", detail: long }
  return {
    ...report,
    leaks: Array.from({ length: n }, (_, i) => ({
      ...worse,
      counts: i < n / 2,
      notCountedReason: i < n / 2 ? null : long
    })),
    unsearched: Array.from({ length: n }, () => unsearched),
    gaps: Array.from({ length: n }, () => long),
    notices: Array.from({ length: n }, () => long)
  }
}

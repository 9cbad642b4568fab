/**
 * The parts of GitLab's schema of secret detection reports (15.2.1) and of its documented code quality format that this
 * program writes. Other members are not allowed: GitLab's schema accepts a mistyped optional member, which would then
 * never be shown.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Report } from "@threat-exposure/leak-check/Report"
import { codeQuality, secretDetection } from "@threat-exposure/leak-check/report/Gitlab"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { clean, incomplete, leaked, reports, skipped } from "../reports.ts"

const text = { type: "string", minLength: 1 }
const exactly = (properties: Readonly<Record<string, unknown>>, optional: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false
})
const time = { type: "string", pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$` }
const tool = exactly({ id: text, name: text, version: text, vendor: exactly({ name: text }) })

const isSecretDetection = new Ajv2020().compile(
  exactly({
    version: { const: "15.2.1" },
    schema: { type: "string", pattern: "^https?://.+" },
    scan: exactly({
      analyzer: tool,
      scanner: tool,
      type: { const: "secret_detection" },
      status: { enum: ["success", "failure"] },
      start_time: time,
      end_time: time,
      messages: { type: "array", items: exactly({ level: { enum: ["info", "warn", "fatal"] }, value: text }) }
    }),
    vulnerabilities: {
      type: "array",
      items: exactly({
        id: text,
        name: { type: "string", minLength: 1, maxLength: 255 },
        description: { type: "string", minLength: 1, maxLength: 1_048_576 },
        severity: { enum: ["Info", "Unknown", "Low", "Medium", "High", "Critical"] },
        solution: { type: "string", minLength: 1, maxLength: 7000 },
        identifiers: {
          type: "array",
          minItems: 1,
          items: exactly({ type: text, name: text, value: text, url: { type: "string", pattern: "^https?://.+" } }, [
            "url"
          ])
        },
        location: exactly(
          {
            commit: exactly({ sha: text }),
            file: text,
            start_line: { type: "integer", minimum: 1 },
            end_line: { type: "integer", minimum: 1 }
          },
          ["file", "start_line", "end_line"]
        )
      })
    }
  })
)

const isCodeQuality = new Ajv2020().compile({
  type: "array",
  items: exactly({
    description: text,
    check_name: text,
    fingerprint: text,
    severity: { enum: ["info", "minor", "major", "critical", "blocker"] },
    location: exactly({
      path: { type: "string", pattern: "^(?!/|\\./).+" },
      lines: exactly({ begin: { type: "integer", minimum: 1 } })
    })
  })
})

const detectionOf = (report: Report) => JSON.parse(secretDetection(report, { toolVersion: "1.2.3", commit: "abc123" }))
const issuesOf = (report: Report) => JSON.parse(codeQuality(report))

describe("Gitlab", () => {
  it.effect("writes what GitLab's formats require, with a unique id for each finding", () =>
    Effect.gen(function* () {
      for (const report of yield* reports) {
        const detection = detectionOf(report)
        assert.isTrue(isSecretDetection(detection), JSON.stringify(isSecretDetection.errors))
        const issues = issuesOf(report)
        assert.isTrue(isCodeQuality(issues), JSON.stringify(isCodeQuality.errors))
        const ids = detection.vulnerabilities.map(({ id }: { readonly id: string }) => id)
        assert.strictEqual(new Set(ids).size, ids.length)
        const fingerprints = issues.map(({ fingerprint }: { readonly fingerprint: string }) => fingerprint)
        assert.strictEqual(new Set(fingerprints).size, fingerprints.length)
      }
    })
  )

  it.effect("has a finding for each location of a value, and one for a domain", () =>
    Effect.gen(function* () {
      const places = detectionOf(yield* leaked).vulnerabilities.map(
        ({ location }: { readonly location: { readonly file?: string; readonly start_line?: number } }) =>
          `${location.file}:${location.start_line}`
      )
      assert.include(places, "src/a b/ü.ts:12")
      assert.isTrue(places.some((place: string) => place.endsWith(":40")))
      assert.include(places, "undefined:undefined")
    })
  )

  it.effect("never looks clean if something was not searched", () =>
    Effect.gen(function* () {
      assert.strictEqual(detectionOf(yield* clean).scan.status, "success")
      assert.deepStrictEqual(issuesOf(yield* clean), [])
      for (const report of [yield* incomplete, yield* skipped]) {
        assert.strictEqual(detectionOf(report).scan.status, "failure")
        assert.strictEqual(issuesOf(report).at(-1).check_name, "threat-exposure-incomplete")
      }
    })
  )
})

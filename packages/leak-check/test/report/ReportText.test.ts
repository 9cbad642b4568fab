import { assert, describe, it } from "@effect/vitest"
import type { ValueSubject } from "@threat-exposure/leak-check/Report"
import { headline, nameOf, namesOf, whatOf } from "@threat-exposure/leak-check/report/ReportText"
import { stepsFor } from "@threat-exposure/leak-check/report/Advice"
import { annotations } from "@threat-exposure/leak-check/report/Annotations"
import * as Markdown from "@threat-exposure/leak-check/report/Markdown"
import { sarif } from "@threat-exposure/leak-check/report/Sarif"
import { Effect } from "effect"
import { leaked } from "../reports.ts"
import { place } from "../samples.ts"

const value = (over: Partial<ValueSubject> = {}): ValueSubject => ({
  type: "value",
  kind: "provider-token",
  names: [],
  locations: [place()],
  isAdded: false,
  ...over
})

describe("the headline", () => {
  it.effect("is a sentence although only the notes say what was found", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      assert.strictEqual(headline({ ...report, leaks: [] }), "Something was found in leaked data: the notes say what")
    })
  )
})

describe("the kind of a subject", () => {
  it("is derived from the rule that found it, by the longest known prefix of its id", () => {
    for (const [rule, what] of [
      ["provider/aws-secret-access-key", "AWS secret access key"],
      ["provider/aws-access-key-id", "AWS access key ID"],
      ["provider/github", "GitHub token"],
      ["gitleaks/github-pat", "GitHub token"],
      ["provider/stripe", "Stripe key"],
      ["provider/discord-webhook", "Discord webhook"],
      ["gitleaks/stripes-and-dots", "provider token"],
      ["provider/nobody-we-know", "provider token"],
      ["constructor", "provider token"]
    ] as const) {
      assert.strictEqual(whatOf(value({ locations: [place(), place({ rule })] })), what, rule)
    }
    assert.strictEqual(whatOf(value({ kind: "basic-auth" })), "password of a URL")
    assert.strictEqual(whatOf({ type: "domain", domain: "example.com", searchedBy: "address" }), "domain")
    assert.strictEqual(whatOf({ type: "domain", domain: "example.com", searchedBy: "login" }), "login domain")
  })

  it("determines where to replace it", () => {
    const steps = (subject: ValueSubject) => stepsFor({ subject })[0] ?? ""
    assert.include(steps(value({ locations: [place({ rule: "provider/npm" })] })), "On npm,")
    assert.include(steps(value({ locations: [place({ rule: "provider/asana" })] })), "Create a new secret")
    assert.include(steps(value({ kind: "private-key" })), "Create a new key pair")
  })

  it("determines the steps: a login domain has no search of events, so no step is about one", () => {
    const stepsOf = (searchedBy: "address" | "login") =>
      stepsFor({ subject: { type: "domain", domain: "example.com", searchedBy } })
    assert.strictEqual(stepsOf("address").length, 2)
    assert.deepStrictEqual(stepsOf("login"), stepsOf("address").slice(0, 1))
  })
})

describe("the name of a subject", () => {
  it("is the given name, or else the first name that the value is assigned to in the code", () => {
    const locations = [place(), place({ name: "DATABASE_PASSWORD" }), place({ name: "db.password" })]
    assert.strictEqual(nameOf(value({ locations })), "DATABASE_PASSWORD")
    assert.strictEqual(nameOf(value({ locations, names: ["DEPLOY"] })), "DEPLOY")
    assert.deepStrictEqual(namesOf(value({ locations: [...locations, ...locations], names: ["db.password"] })), [
      "db.password",
      "DATABASE_PASSWORD"
    ])
    assert.isUndefined(nameOf(value()))
  })

  it.effect("is in every format, together with the kind", () =>
    Effect.gen(function* () {
      const report = yield* leaked
      const table = "`AWS_SECRET_ACCESS_KEY` (AWS secret access key)"
      assert.include(Markdown.summary(report), `| ${table} |`)
      assert.include(Markdown.comment(report, { marker: "m" }), `| ${table} |`)
      assert.include(
        sarif(report, { workflowPath: "w.yml", toolVersion: "1.2.3" }),
        "This AWS secret access key AWS_SECRET_ACCESS_KEY was found in leaked data (critical)"
      )
      assert.include(
        annotations(report).map(({ title }) => title),
        "Leaked AWS secret access key AWS_SECRET_ACCESS_KEY (critical)"
      )
    })
  )
})

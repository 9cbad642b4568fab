import { readFileSync } from "node:fs"
import { inputNames, defaultOf, readConfig, Settings } from "@threat-exposure/action/Inputs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parse } from "yaml"

const text = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const blocks = Array.from(text.matchAll(/^```yaml\n([\s\S]*?)^```$/gmu), ([, yaml = ""]) => yaml)

const Workflow = Schema.Struct({
  on: Schema.Unknown,
  permissions: Schema.Record(Schema.String, Schema.String),
  jobs: Schema.Record(
    Schema.String,
    Schema.Struct({
      steps: Schema.optional(
        Schema.Array(
          Schema.Struct({
            uses: Schema.String,
            with: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
          })
        )
      )
    })
  )
})
const isWorkflow = Schema.is(Workflow)
const workflows = blocks.map((yaml): unknown => parse(yaml)).filter(isWorkflow)

describe("README", () => {
  it("has workflows that use nothing but the inputs there are, with the permissions they need", () => {
    assert.strictEqual(workflows.length, 4)
    const steps = workflows.flatMap(({ jobs, permissions }) =>
      Object.values(jobs).flatMap(({ steps = [] }) => steps.map((step) => ({ ...step, permissions })))
    )
    const ours = steps.filter(({ uses }) => uses.includes("/apps/action@"))
    assert.strictEqual(ours.length, 3)
    for (const { permissions, with: inputs = {} } of ours) {
      assert.includeMembers([...inputNames], Object.keys(inputs))
      assert.includeMembers(Object.keys(inputs), ["base-url", "token"])
      assert.strictEqual(permissions["contents"], "read")
      assert.strictEqual(permissions["pull-requests"], "comment" in inputs ? "write" : undefined)
      assert.strictEqual(permissions["security-events"], "sarif-file" in inputs ? "write" : undefined)
    }
  })

  it("names every input with its default, in the order of action.yml", () => {
    const rows = Array.from(text.matchAll(/^\| `([a-z-]+)` +\| (.*?) +\| .+ \|$/gmu), ([, name = "", preset = ""]) => ({
      name,
      preset
    })).filter(({ name }) => inputNames.some((input) => input === name))
    assert.deepStrictEqual(
      rows.map(({ name }) => name),
      [...inputNames]
    )
    for (const name of inputNames) {
      const preset = defaultOf(name)
      if (preset !== undefined) assert.strictEqual(rows.find((row) => row.name === name)?.preset, `\`${preset}\``, name)
    }
  })

  it.effect("has a config file that is read", () =>
    Effect.gen(function* () {
      const yaml = blocks.find((block) => block.includes("config.schema.json")) ?? ""
      const { values } = yield* readConfig("README.md", yaml)
      assert.isNotEmpty(Object.keys(values))
      assert.includeMembers(Object.keys(Settings.fields), Object.keys(values))
    })
  )

  it("never recommends pull_request_target", () => {
    assert.notInclude(text, "pull_request_target")
  })
})

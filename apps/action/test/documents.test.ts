/** Uses every code block of the action's documents as a reader would. */
import { readFileSync } from "node:fs"
import { inputForm, inputNames, defaultOf } from "@threat-exposure/action/Inputs"
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { decodeSettings, readConfig } from "@threat-exposure/leak-check/config/ConfigFile"
import { assert, describe, it } from "@effect/vitest"
import { parse as parseIgnoreFile } from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { parse } from "yaml"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
const guide = readFileSync(new URL("../../../docs/action.md", import.meta.url), "utf8")

interface Block {
  readonly language: string
  readonly text: string
}

const blocksIn = (text: string): ReadonlyArray<Block> =>
  Array.from(text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gmu), ([, language = "", text = ""]) => ({ language, text }))

const front = blocksIn(readFileSync(new URL("../../../README.md", import.meta.url), "utf8"))
const blocks = [...blocksIn(readme), ...blocksIn(guide), ...front.filter(({ language }) => language === "yaml")]

const Step = Schema.Struct({
  uses: Schema.String,
  with: Schema.optional(Schema.Record(Schema.String, Schema.Unknown))
})
const Workflow = Schema.Struct({
  on: Schema.Unknown,
  permissions: Schema.Record(Schema.String, Schema.String),
  jobs: Schema.Record(
    Schema.String,
    Schema.Struct({
      permissions: Schema.Record(Schema.String, Schema.String),
      steps: Schema.optional(Schema.Array(Step))
    })
  )
})
const isWorkflow = Schema.is(Workflow)
const isSteps = Schema.is(Schema.Array(Step))
const isIgnoreFile = Schema.is(Schema.Struct({ ignore: Schema.Unknown }))

const workflows = blocks.map(({ text }): unknown => parse(text)).filter(isWorkflow)
const steps = blocks.map(({ text }): unknown => parse(text)).filter(isSteps)
const ignoreFiles = blocks.filter(({ text }) => isIgnoreFile(parse(text)))
const configFiles = blocks.filter(({ text }) => text.includes("config.schema.json"))

const isOurs = ({ uses }: typeof Step.Type) => uses.startsWith("threat-exposure/threat-exposure@")

describe("the documents of the action", () => {
  it("have no code block that no test here uses", () => {
    assert.deepStrictEqual(
      blocks.filter(({ language }) => language !== "yaml"),
      []
    )
    assert.strictEqual(workflows.length + steps.length + ignoreFiles.length + configFiles.length, blocks.length)
    for (const kind of [workflows, steps, ignoreFiles, configFiles]) assert.isNotEmpty(kind)
  })

  it("have workflows with the permissions that their inputs need, and no others", () => {
    const jobs = workflows.flatMap(({ jobs, permissions }) => {
      assert.deepStrictEqual(permissions, {})
      return Object.values(jobs)
    })
    const withSteps = jobs.filter(({ steps = [] }) => steps.some(isOurs))
    assert.isAbove(withSteps.length, 2)
    for (const { permissions, steps = [] } of withSteps) {
      const inputs = steps.find(isOurs)?.with ?? {}
      assert.deepStrictEqual(permissions, {
        contents: "read",
        ...("comment" in inputs ? { "pull-requests": "write" } : {}),
        ...("sarif-file" in inputs ? { "security-events": "write" } : {})
      })
    }
  })

  it.effect("have steps whose inputs exist and are accepted", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-20T12:00:00Z")))
      const all = [
        ...steps.flat(),
        ...workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps = [] }) => steps))
      ].filter(isOurs)
      assert.isAbove(all.length, 5)
      for (const { with: inputs = {} } of all) {
        assert.includeMembers([...inputNames], Object.keys(inputs))
        assert.includeMembers(Object.keys(inputs), ["base-url", "token"])
        const given = Object.entries(inputs).map(([name, value]) => [name, evaluated(String(value))])
        yield* decodeSettings(inputForm, Object.fromEntries(given))
      }
    })
  )

  it("name every input with its default, in the order of action.yml", () => {
    const rows = Array.from(
      readme.matchAll(/^\| `([a-z-]+)` +\| (.*?) +\| .+ \|$/gmu),
      ([, name = "", preset = ""]) => ({ name, preset })
    ).filter(({ name }) => inputNames.some((input) => input === name))
    assert.deepStrictEqual(
      rows.map(({ name }) => name),
      [...inputNames]
    )
    for (const name of inputNames) {
      const preset = defaultOf(name)
      if (preset !== undefined) assert.strictEqual(rows.find((row) => row.name === name)?.preset, `\`${preset}\``, name)
    }
  })

  it.effect("have a config file that is read", () =>
    Effect.gen(function* () {
      for (const { text } of configFiles) {
        const config = yield* readConfig(inputForm, "docs/action.md", text)
        assert.isNotEmpty(Object.keys(config.values))
        assert.includeMembers(Object.keys(ConfigSettings.fields), Object.keys(config.values))
        yield* decodeSettings(inputForm, {}, config)
      }
    })
  )

  it.effect("have an ignore file that is read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-20T12:00:00Z")))
      for (const { text } of ignoreFiles) {
        assert.strictEqual((yield* parseIgnoreFile(text, "docs/action.md")).entries.length, 1)
      }
    })
  )

  it("link to headings that exist", () => {
    const slugs = (text: string) =>
      Array.from(text.matchAll(/^#+ (.+)$/gmu), ([, title = ""]) =>
        title
          .toLowerCase()
          .replaceAll(/[^\w -]/gu, "")
          .replaceAll(" ", "-")
      )
    for (const [text, there, own] of [
      [readme, slugs(guide), slugs(readme)],
      [guide, slugs(readme), slugs(guide)]
    ] as const) {
      for (const [, file = "", slug = ""] of text.matchAll(/\]\(([^)#]*)#([^)]+)\)/gu)) {
        assert.include(file === "" ? own : there, slug)
      }
    }
  })

  it("do not repeat each other: the guide has no paragraph and no block of the README", () => {
    const parts = (text: string) => text.split(/\n{2,}/u).filter((part) => part.length > 80)
    assert.deepStrictEqual(
      parts(readme).filter((part) => guide.includes(part)),
      []
    )
  })

  it("never recommend pull_request_target", () => {
    assert.notInclude(readme + guide, "pull_request_target")
  })
})

/** Evaluates expressions as the runner does. */
const evaluated = (text: string) =>
  text
    .replaceAll("${{ toJSON(secrets) }}", JSON.stringify({ A: "first-value", B: "second\nvalue" }))
    .replaceAll(/\$\{\{ toJSON\(secrets\.\w+\) \}\}/gu, JSON.stringify("first line\nsecond line"))
    .replaceAll(/\$\{\{ secrets\.\w+ \}\}/gu, "a-value")
    .replaceAll(/\$\{\{ vars\.\w+ \}\}/gu, "https://api.example.com")

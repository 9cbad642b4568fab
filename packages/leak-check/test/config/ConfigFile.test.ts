import { assert, describe, it } from "@effect/vitest"
import { decodeSettings, readConfig, type SettingsForm } from "@threat-exposure/leak-check/config/ConfigFile"
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { settingDefaults, type SettingHelp, settingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import { Duration, Effect } from "effect"

type Form = SettingsForm<typeof ConfigSettings>

const form: Form = {
  schema: ConfigSettings,
  defaults: settingDefaults,
  help: settingHelp,
  label: (name, source) => `${source === "given" ? "Input" : "Setting"} \`${name}\``,
  repeatsGiven: true
}

const file = ".threat-exposure.yml"

const decode = (text: string, given: Readonly<Record<string, string>> = {}, changed: Partial<Form> = {}) => {
  const changedForm = { ...form, ...changed }
  return Effect.flatMap(readConfig(changedForm, file, text), (config) => decodeSettings(changedForm, given, config))
}

describe("a setting", () => {
  it.effect("that was given has priority over the config file, and that over the default", () =>
    Effect.gen(function* () {
      const text = "max-searches: 7\nquota-reserve: 8\n"
      const settings = yield* decode(text, { "quota-reserve": "9" })
      assert.strictEqual(settings["max-searches"], 7)
      assert.strictEqual(settings["quota-reserve"], 9)
      assert.strictEqual(settings["max-candidates"], settingDefaults["max-candidates"])
    })
  )

  it.effect.each([
    ["comment", "true", true],
    ["comment", "TRUE", true],
    ["comment", "False", false],
    ["summary", "False", false],
    ["max-searches", "0", 0],
    ["paths", "src/**, lib/**\ntest/{a,b}/**,", ["src/**", "lib/**", "test/{a,b}/**"]],
    ["exclude", "/docs/**", ["/docs/**"]],
    ["include", "docs, tests", ["docs", "tests"]],
    ["domains", "EXAMPLE.com,\n example.org", ["example.com", "example.org"]],
    ["deadline", "90s", Duration.seconds(90)]
  ] as const)("%s may be given as %j", ([name, text, value]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* decode("", { [name]: text }))[name], value)
    })
  )
})

describe("a wrong value", () => {
  const secretHelp: Readonly<Record<string, SettingHelp>> = {
    ...settingHelp,
    scan: { ...settingHelp.scan, secret: true }
  }
  const givenOnce = "Input `scan` is `all`; it must be `changes`, `tree`, `history` or `none`"
  const hidden = "Input `scan` is refused, without being shown; it must be `changes`, `tree`, `history` or `none`"

  it.effect.each([
    ["is repeated if it was given", "", { scan: "all" }, {}, givenOnce],
    ["is hidden if a given one may be a misplaced secret", "", { scan: "all" }, { repeatsGiven: false }, hidden],
    ["is hidden if it is a secret", "", { scan: "all" }, { help: secretHelp }, hidden],
    [
      "of the config file is repeated with its line, whatever a given one may be",
      "comment: true\nscan: all\n",
      {},
      { repeatsGiven: false },
      "Setting `scan` is `all` (.threat-exposure.yml, line 2); it must be `changes`, `tree`, `history` or `none`"
    ],
    [
      "of the config file is hidden, too, if it is a secret",
      "comment: true\nscan: all\n",
      {},
      { help: secretHelp },
      "Setting `scan` is refused, without being shown (.threat-exposure.yml, line 2); it must be `changes`, `tree`, `history` or `none`"
    ],
    [
      "in a list is named",
      "",
      { paths: "src/**,../other" },
      {},
      "Input `paths` is `src/**,../other`: `../other` leads out of the repository; it must be globs such as `src/**`, one per line or comma-separated"
    ],
    [
      "in a list is hidden as well",
      "",
      { paths: "src/**,../other" },
      { repeatsGiven: false },
      "Input `paths` is refused, without being shown: a value leads out of the repository; it must be globs such as `src/**`, one per line or comma-separated"
    ]
  ] as const)("%s", ([, text, given, changed, message]) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(decode(text, given, changed))
      assert.strictEqual(refused.message, message)
    })
  )

  it.effect("is named together with all others, each with its place in the config file", () =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(decode("scan: all\ncomment: 3\n", { "max-searches": "many" }))
      assert.sameDeepMembers(
        faults.map((fault) => [fault.message.split(" ")[1], fault.file, fault.line]),
        [
          ["`scan`", file, 1],
          ["`comment`", file, 2],
          ["`max-searches`", undefined, undefined]
        ]
      )
    })
  )
})

describe("a config file", () => {
  it.effect("names only files of the repository", () =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(
        readConfig(form, file, "sarif-file: ../a.sarif\nignore-file: in/side.yml\nreport-file: /tmp/b.json\n")
      )
      assert.deepStrictEqual(
        faults.map(({ line, message }) => [line, message.includes("leads out of the repository")]),
        [
          [3, true],
          [1, true]
        ]
      )
    })
  )

  it.effect("with an unknown or a repeated key is refused, with the line", () =>
    Effect.gen(function* () {
      const unknown = yield* Effect.flip(readConfig(form, file, "scan: tree\nfail_on: any\n"))
      assert.match(unknown.message, /^\.threat-exposure\.yml, line 2: "fail_on": this key is not known/u)
      assert.deepInclude(unknown.faults[0], { file, line: 2 })
      const repeated = yield* Effect.flip(readConfig(form, file, "scan: tree\nscan: none\n"))
      assert.match(repeated.message, /^\.threat-exposure\.yml, line 2: /u)
    })
  )
})

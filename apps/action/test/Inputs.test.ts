import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { configSchema } from "@threat-exposure/action/ConfigSchema"
import { Ajv2020 } from "ajv/dist/2020.js"
import { DateTime, Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { parse } from "yaml"
import { inputForm, inputHelp, inputNames, defaultOf, type InputName } from "@threat-exposure/action/Inputs"
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { type Config, decodeSettings, readConfig as readConfigOf } from "@threat-exposure/leak-check/config/ConfigFile"

const decodeInputs = (given: Partial<Record<InputName, string>>, config?: Config) =>
  decodeSettings(inputForm, given, config)

const readConfig = (file: string, text: string) => readConfigOf(inputForm, file, text)

const refused = (given: Parameters<typeof decodeInputs>[0]) =>
  Effect.map(Effect.flip(decodeInputs(given)), ({ faults }) => faults.map(({ message }) => message))

const at = TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-20T12:00:00Z")))

describe("decodeInputs", () => {
  it.effect("gives every input its type", () =>
    Effect.gen(function* () {
      yield* at
      const inputs = yield* decodeInputs({
        "base-url": "https://api.example.com/some/path",
        token: "abc.def",
        "path-prefix": "/svc/",
        "link-field": "svc_url",
        secrets: '{"A":"one","B":"two\\nlines"}',
        domains: "Example.com, example.org\nbücher.example",
        "login-domains": "login.Example.com",
        paths: "src/**/*.{ts,js}, lib/**\n  docs/a b.md",
        exclude: "docs/**",
        scan: "tree",
        "fail-on": "credentials",
        "min-severity": "high",
        since: "2026-11-01",
        "domain-leaks": "off",
        "max-searches": "12",
        "quota-reserve": "0",
        deadline: "90s",
        "on-incomplete": "warn",
        "ignore-file": "ignore.yml",
        annotations: "false",
        summary: "TRUE",
        comment: "True",
        cache: "False",
        "sarif-file": "out/a.sarif",
        "report-file": "out/a.json",
        "config-file": "config.yml",
        "github-token": "ghs_x"
      })
      assert.strictEqual(inputs["path-prefix"], "svc")
      assert.deepStrictEqual(
        inputs.secrets?.map(({ name, value }) => [name, Redacted.value(value)]),
        [
          ["A", "one"],
          ["B", "two\nlines"]
        ]
      )
      assert.deepStrictEqual(inputs.domains, ["example.com", "example.org", "xn--bcher-kva.example"])
      assert.deepStrictEqual(inputs["login-domains"], ["login.example.com"])
      assert.deepStrictEqual(inputs.paths, ["src/**/*.{ts,js}", "lib/**", "docs/a b.md"])
      assert.strictEqual(inputs["max-searches"], 12)
      assert.deepStrictEqual(
        [inputs.annotations, inputs.summary, inputs.comment, inputs.cache],
        [false, true, true, false]
      )
      assert.strictEqual(inputs.deadline && Duration.toSeconds(inputs.deadline), 90)
      assert.strictEqual(inputs.since && DateTime.formatIso(inputs.since), "2026-11-01T00:00:00.000Z")
    })
  )

  it.effect("reads NAME=value lines, and keeps everything after the first equals sign", () =>
    Effect.gen(function* () {
      const { secrets = [] } = yield* decodeInputs({ secrets: "A=b=c==\r\n\n  B_2 = spaced out \n" })
      assert.deepStrictEqual(
        secrets.map(({ name, value }) => [name, Redacted.value(value)]),
        [
          ["A", "b=c=="],
          ["B_2", "spaced out"]
        ]
      )
    })
  )

  it.effect("reads a value of several lines that is written as JSON, and keeps quotes that are part of a value", () =>
    Effect.gen(function* () {
      const key = "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"
      const { secrets = [] } = yield* decodeInputs({
        secrets: `KEY=${JSON.stringify(key)}\nQUOTED="a"b"\nNUMBER=12345678`
      })
      assert.deepStrictEqual(
        secrets.map(({ name, value }) => [name, Redacted.value(value)]),
        [
          ["KEY", key],
          ["QUOTED", '"a"b"'],
          ["NUMBER", "12345678"]
        ]
      )
    })
  )

  it.effect("refuses backslashes as separators in a glob, and accepts escaped characters", () =>
    Effect.gen(function* () {
      const [message = ""] = yield* refused({ paths: "src\\config\\**" })
      assert.include(message, "folders are separated by `/`")
      const escaped = "app/\\[id\\]/**"
      assert.deepStrictEqual((yield* decodeInputs({ paths: escaped })).paths, [escaped])
    })
  )

  it.effect("accepts an http address of this machine, and no other", () =>
    Effect.gen(function* () {
      for (const url of ["http://localhost:1", "http://127.0.0.1:8787/x", "http://[::1]:9"]) {
        assert.strictEqual((yield* decodeInputs({ "base-url": url }))["base-url"], url)
      }
      for (const url of [
        "http://example.com",
        "http://127.0.0.1.example.com",
        "ftp://localhost",
        "api.example.com",
        "https://h/?q",
        "https://h/#f"
      ]) {
        const [message = ""] = yield* refused({ "base-url": url })
        assert.match(message, /^Input `base-url` is `/u, url)
      }
      const [message = ""] = yield* refused({ "base-url": "https://user:hunter2@example.com" })
      assert.notInclude(message, "hunter2")
    })
  )

  it.effect("names each wrong input once, with its value and what it must be", () =>
    Effect.gen(function* () {
      yield* at
      const wrong = {
        "path-prefix": "../x",
        "link-field": "a b",
        domains: "example.com, https://example.org/",
        "login-domains": "login.example.com/path",
        scan: "all",
        "fail-on": "Any",
        "min-severity": "severe",
        since: "2026-02-30",
        "domain-leaks": "yes",
        "max-searches": "-1",
        "quota-reserve": "1.5",
        deadline: "0s",
        "on-incomplete": "ignore",
        annotations: "yes",
        summary: "1",
        comment: "on",
        cache: "y"
      } as const
      const messages = yield* refused(wrong)
      assert.strictEqual(messages.length, Object.keys(wrong).length)
      for (const [name, value] of Object.entries(wrong)) {
        const message = messages.find((text) => text.startsWith(`Input \`${name}\``)) ?? ""
        assert.include(message, value)
        assert.include(message, "it must be")
      }
      assert.include(messages.join("\n"), "`https://example.org/` is not a host name")
    })
  )

  it.effect("never shows a secret input", () =>
    Effect.gen(function* () {
      const value = "correct horse battery"
      const messages = yield* refused({ token: value, "github-token": value, secrets: `A=b\n${value}` })
      assert.strictEqual(messages.length, 3)
      assert.notInclude(messages.join("\n"), value)
      assert.include(messages.join("\n"), "line 2")
      for (const secrets of [`{"A": 1, "B": "${value}"}`, `{"A": "${value}"`]) {
        const [message = ""] = yield* refused({ secrets })
        assert.notInclude(message, value)
      }
    })
  )

  it.effect("shows a long or multi-line value shortened, on one line", () =>
    Effect.gen(function* () {
      const [message = ""] = yield* refused({ scan: `a\n::error::b${"x".repeat(500)}` })
      assert.isBelow(message.length, 200)
      assert.notInclude(message, "\n")
    })
  )
})

describe("readConfig", () => {
  it.effect("is overridden by an input", () =>
    Effect.gen(function* () {
      const config = yield* readConfig(
        "c.yml",
        "scan: tree\nmax-searches: 7\ncomment: true\ndomains:\n  - example.com\npaths: a/**, b/**\n"
      )
      const inputs = yield* decodeInputs({ scan: "none" }, config)
      assert.strictEqual(inputs.scan, "none")
      assert.strictEqual(inputs["max-searches"], 7)
      assert.isTrue(inputs.comment)
      assert.deepStrictEqual(inputs.domains, ["example.com"])
      assert.deepStrictEqual(inputs.paths, ["a/**", "b/**"])
    })
  )

  it.effect("names the line of an unknown key, and of one that only an input may set", () =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(
        readConfig("c.yml", "scan: tree\nfail_on: any\ntoken: abc123\nscan: none\n")
      )
      assert.isNotEmpty(faults)
      const more = yield* Effect.flip(readConfig("c.yml", "scan: tree\nfail_on: any\ntoken: abc123\n"))
      assert.deepStrictEqual(
        more.faults.map(({ file, line }) => [file, line]),
        [
          ["c.yml", 2],
          ["c.yml", 3]
        ]
      )
      assert.notInclude(more.message, "abc123")
    })
  )

  it.effect("names the line of a wrong value", () =>
    Effect.gen(function* () {
      const config = yield* readConfig("c.yml", "# first\nmax-searches: -3\ncomment: yes\ndeadline:\n")
      const { faults } = yield* Effect.flip(decodeInputs({}, config))
      assert.deepStrictEqual(faults.map(({ line }) => line).toSorted(), [2, 3, 4])
      assert.include(faults.map(({ message }) => message).join("\n"), "(c.yml, line 2)")
    })
  )

  it.effect("refuses a path outside the repository, because a change can bring its own config file", () =>
    Effect.gen(function* () {
      for (const path of ["/etc/x", "../x", "a/../../x", "~/x", "C:/x", "..\\x"]) {
        for (const name of ["ignore-file", "report-file", "sarif-file"]) {
          const { faults } = yield* Effect.flip(readConfig("c.yml", `scan: tree\n${name}: ${path}\n`))
          assert.deepStrictEqual(
            faults.map(({ line }) => line),
            [2],
            `${name} ${path}`
          )
        }
      }
      yield* readConfig("c.yml", "report-file: out/..x/report.json\n")
    })
  )

  it.effect("treats an empty file as no settings", () =>
    Effect.gen(function* () {
      for (const text of ["", "# nothing yet\n", "---\n"]) {
        assert.deepStrictEqual(yield* decodeInputs({}, yield* readConfig("c.yml", text)), yield* decodeInputs({}))
      }
    })
  )
})

describe("the published action", () => {
  const text = readFileSync(new URL("../action.yml", import.meta.url), "utf8")
  const action = parse(text)

  it("the action.yml at the root is the same action, with the same bundle", () => {
    const atRoot = readFileSync(new URL("../../../action.yml", import.meta.url), "utf8")
    assert.strictEqual(atRoot, text.replace("main: dist/index.js", "main: apps/action/dist/index.js"))
    assert.strictEqual(parse(atRoot).runs.main, "apps/action/dist/index.js")
    assert.isTrue(existsSync(new URL("../../../apps/action/dist/index.js", import.meta.url)))
  })

  it("its rarely needed inputs come last", () => {
    assert.deepStrictEqual(inputNames.slice(-2), ["path-prefix", "link-field"])
  })

  it("action.yml has what GitHub's marketplace requires: an icon, a color, and a description under 125 characters", () => {
    assert.match(text, /^branding:\n {2}icon: \w+\n {2}color: \w+$/mu)
    const [, description = ""] = /^description: (.+)$/mu.exec(text) ?? []
    assert.isAbove(description.length, 20)
    assert.isBelow(description.length, 125)
  })

  it("action.yml declares exactly the inputs that are decoded, in the same words", () => {
    assert.deepStrictEqual(Object.keys(action.inputs), inputNames)
    for (const name of inputNames) {
      const { description, mustBe } = inputHelp[name]
      const preset = defaultOf(name)
      const words =
        /^(?:`[a-z]+`(?:, | or )?)+$/u.test(mustBe) && typeof preset !== "boolean" ? ` One of ${mustBe}.` : ""
      const declared = action.inputs[name].default
      const told = preset === undefined || declared !== undefined ? "" : ` Default: ${preset}.`
      assert.strictEqual(action.inputs[name].description, `${description}${words}${told}`, name)
      if (declared !== undefined) {
        assert.notInclude(Object.keys(ConfigSettings.fields), name)
        assert.strictEqual(declared, name === "github-token" ? "${{ github.token }}" : preset)
      }
    }
  })

  it("the JSON Schema of the config file is that of its decoder", () => {
    const published = JSON.parse(readFileSync(new URL("../schemas/config.schema.json", import.meta.url), "utf8"))
    assert.deepStrictEqual(published, JSON.parse(JSON.stringify(configSchema)))
  })

  it.effect(
    "the JSON Schema accepts what the decoder accepts, and refuses the wrong shapes that the decoder refuses",
    () =>
      Effect.gen(function* () {
        yield* at
        const validate = new Ajv2020({ strict: false }).compile(configSchema)
        for (const [text, isGood] of [
          ["scan: tree\ncomment: true\nmax-searches: 5\ndomains: [example.com]\nsince: 30d\ndeadline: 10m", true],
          ["since: 2026-01-01\npaths: src/**", true],
          ["scan: everything", false],
          ["max-searches: -1", false],
          ["deadline: 10 minutes", false],
          ["comment: maybe", false]
        ] as const) {
          const decoded = yield* Effect.result(
            Effect.flatMap(readConfig("c.yml", text), (config) => decodeInputs({}, config))
          )
          assert.strictEqual(decoded._tag === "Success", isGood, text)
          assert.strictEqual(validate(parse(text)), isGood, text)
        }
        assert.isFalse(validate({ token: "x" }))
        assert.isFalse(validate({ unknown: 1 }))
      })
  )
})

import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { ConfigSettings } from "@threat-exposure/leak-check/config/ConfigSettings"
import { ignoreFileIn, settingsIn } from "@threat-exposure/leak-check/config/RepositoryFiles"
import { settingDefaults, settingHelp } from "@threat-exposure/leak-check/config/SettingHelp"
import { layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { testRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { DateTime, Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const form = {
  schema: ConfigSettings,
  defaults: settingDefaults,
  help: settingHelp,
  label: (name: string) => name,
  repeatsGiven: true
}

const services = (root: string) =>
  Layer.mergeAll(NodeServices.layer, NodeScanner.layer, cloneLayer({ root }).pipe(Layer.provide(NodeScanner.gitLayer)))

/** UTF-16, which Windows PowerShell writes for redirected output. */
const utf16 = (text: string) => Buffer.from(`\uFEFF${text.replaceAll("\n", "\r\n")}`, "utf16le")

it.effect("the files of a repository may be in UTF-16, in its work tree and in its commits", () =>
  Effect.gen(function* () {
    const repository = yield* testRepository
    const root = repository.path
    const tomorrow = DateTime.formatIsoDateUtc(DateTime.add(yield* DateTime.now, { days: 1 }))
    writeFileSync(join(root, ".threat-exposure.yml"), utf16("exclude:\n  - old/**\n"))
    const entry = `ignore:\n  - fingerprint: 0123456789abcdef\n    reason: rotated\n    expires: ${tomorrow}\n`
    writeFileSync(join(root, settingDefaults["ignore-file"]), utf16(entry))
    const base = repository.commit({})
    const head = repository.commit({ "a.txt": "a" })
    yield* Effect.gen(function* () {
      const range = Effect.succeed({ base, head })
      for (const event of [undefined, { _tag: "MergeGroup", base, head } as const]) {
        const { settings } = yield* settingsIn(form, { root, event, given: {} })
        assert.deepStrictEqual(settings.exclude, ["old/**"])
      }
      const { ignore, ignoreAdded } = yield* ignoreFileIn(form, {
        root,
        given: {},
        file: settingDefaults["ignore-file"],
        range
      })
      assert.deepStrictEqual(
        ignore.entries.map(({ fingerprint }) => fingerprint),
        ["0123456789abcdef"]
      )
      assert.deepStrictEqual(ignoreAdded, [])
    }).pipe(Effect.provide(services(root)))
  })
)

it.effect("a repository needs no ignore file, unless the settings name one", () =>
  Effect.gen(function* () {
    const { path: root } = yield* testRepository
    const range = Effect.succeed(undefined)
    yield* Effect.gen(function* () {
      const { ignore } = yield* ignoreFileIn(form, { root, given: {}, file: settingDefaults["ignore-file"], range })
      assert.deepStrictEqual(ignore.entries, [])
      const refused = yield* Effect.flip(ignoreFileIn(form, { root, given: {}, file: "resolved.yml", range }))
      assert.include(refused.message, "resolved.yml")
    }).pipe(Effect.provide(services(root)))
  })
)

it.effect("advises a whole clone without the advice for shallow ones, where the base is gone", () =>
  Effect.gen(function* () {
    const repository = yield* testRepository
    const root = repository.path
    const head = repository.commit({ "a.txt": "a" })
    const event = { _tag: "MergeGroup", base: "a".repeat(40), head } as const
    const { gaps } = yield* settingsIn(form, { root, event, given: {} }).pipe(Effect.provide(services(root)))
    assert.lengthOf(gaps, 1)
    assert.notInclude(gaps[0], "fetch-depth")
  })
)

it.effect.each([
  ["a named pipe", (file: string) => execFileSync("mkfifo", [file]), "which is not a file"],
  ["too large", (file: string) => writeFileSync(file, "#".repeat(5_000_001)), "which has more than 5 MB"]
] as const)("a file of a repository that is %s is refused without reading it", ([, make, reason]) =>
  Effect.gen(function* () {
    const { path: root } = yield* testRepository
    for (const file of [".threat-exposure.yml", settingDefaults["ignore-file"]]) make(join(root, file))
    yield* Effect.gen(function* () {
      const settings = yield* Effect.flip(settingsIn(form, { root, event: undefined, given: {} }))
      assert.include(settings.message, reason)
      const file = settingDefaults["ignore-file"]
      const ignored = yield* Effect.flip(
        ignoreFileIn(form, { root, given: {}, file, range: Effect.succeed(undefined) })
      )
      assert.include(ignored.message, reason)
    }).pipe(Effect.provide(services(root)))
  })
)

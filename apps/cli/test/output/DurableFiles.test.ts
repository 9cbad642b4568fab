/** Checks, for every file that must survive a power failure, its content and the order of the changes on disk. */
import { basename } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { writeKnown } from "@threat-exposure/cli/accounts/KnownAccounts"
import { Keyring } from "@threat-exposure/cli/connection/Keyring"
import { Profiles } from "@threat-exposure/cli/connection/Profiles"
import { openExport } from "@threat-exposure/cli/export/ExportFile"
import { FeedState } from "@threat-exposure/cli/feed/FeedState"
import { fileSink } from "@threat-exposure/cli/feed/FileSinks"
import { ConfigProvider, Effect, FileSystem, Layer, Redacted } from "effect"

/**
 * Records the operations of `use`, in a folder named `here`, that determine the state of the disk after a power
 * failure.
 */
const stepsOf = Effect.fnUntraced(function* (
  use: (folder: string) => Effect.Effect<unknown, unknown, NodeServices.NodeServices>
) {
  const files = yield* FileSystem.FileSystem
  const folder = `${yield* files.makeTempDirectoryScoped()}/here`
  yield* files.makeDirectory(folder)
  const steps: Array<string> = []
  const recorded = FileSystem.FileSystem.of({
    ...files,
    open: (path, options) =>
      Effect.map(files.open(path, options), (file) =>
        Object.create(file, {
          sync: { value: Effect.tap(file.sync, () => Effect.sync(() => steps.push(`sync ${basename(path)}`))) }
        })
      ),
    rename: (from, to) =>
      Effect.tap(files.rename(from, to), () =>
        Effect.sync(() => steps.push(`rename ${basename(from)} to ${basename(to)}`))
      )
  })
  yield* Effect.provideService(use(folder), FileSystem.FileSystem, recorded)
  return steps
})

const replaced = (name: string) => [`sync ${name}.tmp`, `rename ${name}.tmp to ${name}`, "sync here"]
const item = { uid: "paste/one/1", line: "{}" }

const noKeyring = Layer.succeed(
  Keyring,
  Keyring.of({ get: () => Effect.succeedNone, set: () => Effect.succeed(false), remove: () => Effect.void })
)

const bounds = { now: "2026-01-08T00:00:00.000Z", start: "2026-01-01T00:00:00.000Z" }

describe("files that survive a power failure", () => {
  it.effect.each([
    [
      "the state of a feed",
      (folder: string) =>
        Effect.gen(function* () {
          const state = yield* FeedState
          yield* state.advance({
            source: "events",
            reached: { completed: 0 },
            found: [],
            batch: { id: "1", items: [item], waiting: ["-"] }
          })
        }).pipe(Effect.provide(FeedState.layer(`${folder}/feed.json`, "a query", bounds))),
      [...replaced("feed.json"), ...replaced("feed.json")]
    ],
    [
      "the file of a sink, and its rotation",
      (folder: string) =>
        Effect.gen(function* () {
          const sink = yield* fileSink("file", `${folder}/e.ndjson`, 1)
          yield* sink.send({ id: "1", items: [item], isRepeat: false })
          yield* sink.send({ id: "2", items: [item], isRepeat: false })
        }),
      ["sync e.ndjson", "sync here", "rename e.ndjson to e.ndjson.1", "sync e.ndjson", "sync here"]
    ],
    [
      "the progress of an export",
      (folder: string) =>
        Effect.scoped(
          Effect.gen(function* () {
            const started = { search: "a search", since: null, until: null }
            const file = yield* openExport(`${folder}/e.csv`, undefined, started)
            yield* file.append("a\n", { ...started, from: "next", items: 1 })
          })
        ),
      [...replaced("e.csv.resume"), "sync e.csv", ...replaced("e.csv.resume")]
    ],
    ["the accounts of the last run", (folder: string) => writeKnown(`${folder}/known`, ["a"]), replaced("known")],
    [
      "the profiles",
      (folder: string) =>
        Effect.gen(function* () {
          const profiles = yield* Profiles
          yield* profiles.save("default", {
            baseUrl: "https://api.example.com",
            pathPrefix: undefined,
            tenantId: undefined,
            kind: "token",
            secret: Redacted.make("a token")
          })
        }).pipe(
          Effect.provide(Layer.provide(Profiles.layer, noKeyring)),
          Effect.provideService(
            ConfigProvider.ConfigProvider,
            ConfigProvider.fromUnknown({ XDG_CONFIG_HOME: folder.replace(/here$/u, "") })
          )
        ),
      ["sync profiles.json.tmp", "rename profiles.json.tmp to profiles.json", "sync threat-exposure"]
    ]
  ] as const)("%s", ([, use, steps]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* stepsOf(use), steps)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("are the files that links lead to: a link to another disk stays one, and its file has one lock", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.makeDirectory(`${folder}/disk`)
      const linked = Effect.fnUntraced(function* (name: string) {
        yield* files.symlink(`disk/${name}`, `${folder}/middle-${name}`)
        yield* files.symlink(`middle-${name}`, `${folder}/${name}`)
        return `${folder}/${name}`
      })
      yield* writeKnown(yield* linked("known"), ["a"])
      const sink = yield* fileSink("file", yield* linked("e.ndjson"), 1)
      yield* sink.send({ id: "1", items: [item], isRepeat: false })
      yield* sink.send({ id: "2", items: [item], isRepeat: false })
      const state = FeedState.layer(yield* linked("feed.json"), "a query", bounds)
      const second = FeedState.layer(`${folder}/disk/feed.json`, "a query", bounds)
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(second))).pipe(Effect.provide(state))
      assert.include(refused.message, "in use by another process")
      assert.deepStrictEqual((yield* files.readDirectory(`${folder}/disk`)).toSorted(), [
        "e.ndjson",
        "e.ndjson.1",
        "feed.json",
        "known"
      ])
      assert.strictEqual(yield* files.readLink(`${folder}/feed.json`), "middle-feed.json")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("are not written through a link of a temporary file's name", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/other`, "other")
      yield* files.symlink("other", `${folder}/known.tmp`)
      yield* writeKnown(`${folder}/known`, ["a"])
      assert.strictEqual(yield* files.readFileString(`${folder}/other`), "other")
      assert.deepStrictEqual((yield* files.readDirectory(folder)).toSorted(), ["known", "other"])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Keyring } from "@threat-exposure/cli/connection/Keyring"
import { Profiles } from "@threat-exposure/cli/connection/Profiles"
import { ConfigProvider, Effect, FileSystem, Layer, Option, Redacted } from "effect"

it.effect(
  "a token in the file of profiles is for the address that it was saved with, also if an earlier version saved it",
  () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      const file = `${folder}/threat-exposure/profiles.json`
      const { get, save } = yield* Effect.provide(
        Profiles,
        Profiles.layer.pipe(
          Layer.provide(
            Layer.succeed(
              Keyring,
              Keyring.of({ get: () => Effect.succeedNone, set: () => Effect.succeed(false), remove: () => Effect.void })
            )
          ),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ XDG_CONFIG_HOME: folder })))
        )
      )
      const secretOf = Effect.map(get("work"), (profile) => profile?.secret && Redacted.value(profile.secret))
      const changeAddress = Effect.fnUntraced(function* (from: string, to: string) {
        yield* files.writeFileString(file, (yield* files.readFileString(file)).replace(from, to))
      })
      yield* save("work", {
        baseUrl: "https://one.example.com/api",
        pathPrefix: undefined,
        tenantId: undefined,
        kind: "token",
        secret: Redacted.make("first")
      })
      yield* changeAddress("/api", "/")
      assert.strictEqual(yield* secretOf, "first")
      yield* changeAddress("one.example.com", "two.example.com")
      assert.isUndefined(yield* secretOf)

      const earlier = {
        profiles: { work: { base_url: "https://three.example.com", kind: "token", secret: "earlier" } }
      }
      yield* files.writeFileString(file, JSON.stringify(earlier))
      assert.strictEqual(yield* secretOf, "earlier")
      yield* changeAddress("three.example.com", "four.example.com")
      assert.isUndefined(yield* secretOf)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.effect("a token in the keyring is for the address that it was saved with, also if an earlier version saved it", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    const kept = new Map<string, Redacted.Redacted>()
    const keyring = Layer.succeed(
      Keyring,
      Keyring.of({
        get: (entry) => Effect.sync(() => Option.fromUndefinedOr(kept.get(entry))),
        set: (entry, secret) => Effect.sync(() => kept.set(entry, secret) === kept),
        remove: (entry) => Effect.sync(() => void kept.delete(entry))
      })
    )
    const { get, remove, save } = yield* Effect.provide(
      Profiles,
      Profiles.layer.pipe(
        Layer.provide(keyring),
        Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ XDG_CONFIG_HOME: folder })))
      )
    )
    const kind = "token" as const
    const others = { pathPrefix: undefined, tenantId: undefined, kind }
    const secretOf = (name: string) =>
      Effect.map(get(name), (profile) => profile?.secret && Redacted.value(profile.secret))
    const changeAddress = Effect.fnUntraced(function* (from: string, to: string) {
      const file = `${folder}/threat-exposure/profiles.json`
      yield* files.writeFileString(file, (yield* files.readFileString(file)).replace(from, to))
    })
    yield* save("work", { baseUrl: "https://one.example.com/api", secret: Redacted.make("first"), ...others })
    assert.strictEqual(yield* secretOf("work"), "first")
    yield* changeAddress("/api", "/")
    assert.strictEqual(yield* secretOf("work"), "first")
    yield* changeAddress("one.example.com", "two.example.com")
    assert.isUndefined(yield* secretOf("work"))

    kept.clear()
    kept.set("work", Redacted.make("earlier"))
    assert.strictEqual(yield* secretOf("work"), "earlier")
    yield* changeAddress("two.example.com", "three.example.com")
    assert.isUndefined(yield* secretOf("work"))

    yield* changeAddress("three.example.com", "two.example.com")
    yield* save("work", { baseUrl: "https://four.example.com", secret: Redacted.make("second"), ...others })
    assert.deepStrictEqual([...kept.values()].map(Redacted.value), ["second"])
    yield* remove("work")
    assert.strictEqual(kept.size, 0)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

const withoutKeyring = Layer.succeed(
  Keyring,
  Keyring.of({ get: () => Effect.succeedNone, set: () => Effect.succeed(false), remove: () => Effect.void })
)

const profilesWith = (variables: Readonly<Record<string, string>>) =>
  Effect.provide(
    Profiles,
    Profiles.layer.pipe(
      Layer.provide(withoutKeyring),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(variables)))
    )
  )

const signIn = (token: string) => ({
  baseUrl: "https://one.example.com/api",
  pathPrefix: undefined,
  tenantId: undefined,
  kind: "token" as const,
  secret: Redacted.make(token)
})

it.effect("profiles keep all that they were saved with, and are listed in the order in which they were saved", () =>
  Effect.gen(function* () {
    const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
    const { get, names, remove, save } = yield* profilesWith({ XDG_CONFIG_HOME: folder })
    assert.deepStrictEqual(yield* names, [])
    const work = { ...signIn("first"), pathPrefix: "/leaks", tenantId: 7, kind: "api-key" as const }
    yield* save("work", work)
    yield* save("home", signIn("second"))
    yield* save("work", work)
    assert.deepStrictEqual(yield* names, ["work", "home"])
    assert.deepStrictEqual(yield* get("work"), work)
    assert.deepStrictEqual(yield* get("home"), signIn("second"))
    assert.isUndefined(yield* get("elsewhere"))
    assert.deepStrictEqual([yield* remove("elsewhere"), yield* remove("work")], [false, true])
    assert.deepStrictEqual(yield* names, ["home"])
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.effect("profiles are in the first folder for settings that is an absolute path, readable by their owner alone", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    const [config, roaming, home] = [`${folder}/config`, `${folder}/roaming`, `${folder}/home`]
    for (const [variables, expected] of [
      [{ XDG_CONFIG_HOME: config, APPDATA: roaming, HOME: home }, config],
      [{ XDG_CONFIG_HOME: "config", APPDATA: roaming, HOME: home }, roaming],
      [{ XDG_CONFIG_HOME: "config", APPDATA: "roaming", HOME: home }, `${home}/.config`]
    ] as const) {
      const { save } = yield* profilesWith(variables)
      assert.strictEqual(yield* save("work", signIn("first")), `${expected}/threat-exposure/profiles.json`)
      const { mode } = yield* files.stat(`${expected}/threat-exposure`)
      assert.strictEqual(mode & 0o777, 0o700)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.effect("without a folder for settings, there are no profiles, and none can be saved", () =>
  Effect.gen(function* () {
    const { get, names, save } = yield* profilesWith({ HOME: "" })
    assert.deepStrictEqual([yield* names, yield* get("work")], [[], undefined])
    assert.match((yield* Effect.flip(save("work", signIn("first")))).message, /set HOME or XDG_CONFIG_HOME/u)
  }).pipe(Effect.provide(NodeServices.layer))
)

it.effect("a file of profiles that cannot be read, understood or written is an error that names it", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    const file = `${folder}/threat-exposure/profiles.json`
    const { names, save } = yield* profilesWith({ XDG_CONFIG_HOME: folder })
    yield* save("work", signIn("first"))
    yield* files.writeFileString(file, "{}")
    const understood = yield* Effect.flip(names)
    assert.strictEqual(
      understood.message,
      `${file} is not a file of profiles: correct or delete it, then run threat-exposure login`
    )
    yield* files.remove(file)
    yield* files.makeDirectory(file)
    const read = yield* Effect.flip(names)
    assert.include(read.message, `${file} cannot be read (`)
    assert.deepStrictEqual([understood.exitCode, read.exitCode], [2, 2])
    yield* files.remove(`${folder}/threat-exposure`, { recursive: true })
    yield* files.symlink(`${folder}/nowhere/profiles.json`, `${folder}/threat-exposure`)
    assert.include((yield* Effect.flip(save("work", signIn("first")))).message, `${file} cannot be written (`)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

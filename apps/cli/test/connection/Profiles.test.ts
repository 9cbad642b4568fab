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

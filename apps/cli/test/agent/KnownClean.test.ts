import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { configFiles, settingDefaults } from "@threat-exposure/leak-check/config/SettingHelp"
import { cacheFile } from "@threat-exposure/leak-check/node/CacheFile"
import * as CleanCache from "@threat-exposure/leak-check/search/CleanCache"
import { valuesOf } from "@threat-exposure/leak-check/target/Target"
import { DateTime, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { areKnownClean } from "../../src/agent/KnownClean.ts"

const token = "te_token"
const value = "Qx7vLm2pRt9wZk4b"
const now = 1_800_000_000_000
const day = 86_400_000

/** A home folder after a check that found the value clean. */
const checkedHome = Effect.fnUntraced(function* (
  minSeverity: "info" | "low" | "high" = settingDefaults["min-severity"]
) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "known-clean-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )
  const cache = join(home, ".cache", "threat-exposure", "clean.json")
  const targets = valuesOf([{ name: "A", value: Redacted.make(value) }], [], [])
  yield* TestClock.setTime(now)
  yield* Effect.flatMap(CleanCache.CleanCache, ({ remember }) =>
    remember(targets, { minSeverity, since: DateTime.makeUnsafe(now) })
  ).pipe(Effect.provide(CleanCache.layer(cacheFile(cache), Redacted.make(token))))
  return {
    cache,
    write: (name: string, content: string | Uint8Array) => {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), content)
    },
    isKnown: (
      env: Readonly<Record<string, string>> = { THREAT_EXPOSURE_TOKEN: token },
      { at = now, values = [value] }: { readonly at?: number; readonly values?: ReadonlyArray<string> } = {}
    ) => areKnownClean(values, { cwd: join(home, "repository", "src"), env: { HOME: home, ...env }, now: at })
  }
})

describe("values that are known as clean", () => {
  it.effect("are those that a check has found clean, for seven days", () =>
    Effect.gen(function* () {
      const { isKnown } = yield* checkedHome()
      const env = { THREAT_EXPOSURE_TOKEN: token }
      assert.deepStrictEqual(
        [0, 7 * day - 1, 7 * day, -1].map((since) => isKnown(env, { at: now + since })),
        [true, true, false, false]
      )
      assert.isTrue(isKnown(env, { values: [value, value] }))
      assert.isFalse(isKnown(env, { values: [value, "another-value"] }))
    })
  )

  it.effect("are looked up with the secret of the connection, wherever it is kept but in a keyring", () =>
    Effect.gen(function* () {
      const { isKnown, write } = yield* checkedHome()
      const saved = (profile: object) =>
        write(".config/threat-exposure/profiles.json", JSON.stringify({ profiles: { default: profile } }))
      assert.isTrue(isKnown({ THREAT_EXPOSURE_API_KEY: ` ${token}\n` }))
      assert.isFalse(isKnown({ THREAT_EXPOSURE_TOKEN: "te_other", THREAT_EXPOSURE_API_KEY: token }))
      assert.isFalse(isKnown({}))
      saved({ base_url: "https://te.example.com", kind: "token" })
      assert.isFalse(isKnown({}))
      saved({ base_url: "https://te.example.com", kind: "token", secret: token })
      assert.isTrue(isKnown({ THREAT_EXPOSURE_TOKEN: "" }))
    })
  )

  it.effect("are left to the check if the settings may count events that no search asked for", () =>
    Effect.gen(function* () {
      const env = { THREAT_EXPOSURE_TOKEN: token }
      assert.isFalse((yield* checkedHome("high")).isKnown())
      assert.isTrue((yield* checkedHome("info")).isKnown())
      const { isKnown, write } = yield* checkedHome()
      assert.isFalse(isKnown({ ...env, THREAT_EXPOSURE_MIN_SEVERITY: "info" }))
      assert.isFalse(isKnown({ ...env, THREAT_EXPOSURE_CONFIG_FILE: "other.yml" }))
      for (const name of configFiles) {
        for (const [content, expected] of [
          ["min-severity: info\n", false],
          ['min-severity: "\\x69nfo"\n', false],
          [Buffer.from("\ufeffmin-severity: info\n", "utf16le"), false],
          ["min-severity: high\n", true]
        ] as const) {
          write(join("repository", name), content)
          assert.strictEqual(isKnown(), expected, content.toString())
        }
      }
    })
  )

  it.effect("are not taken from a cache that was changed, or that is none", () =>
    Effect.gen(function* () {
      const { cache, isKnown } = yield* checkedHome()
      const written = readFileSync(cache, "utf8")
      const { entries, version } = JSON.parse(written)
      for (const change of [{ at: now - 1 }, { minSeverity: "info" }, { tag: "" }]) {
        writeFileSync(cache, JSON.stringify({ version, entries: [{ ...entries[0], ...change }] }))
        assert.isFalse(isKnown(), JSON.stringify(change))
      }
      for (const content of ["", "{}", "null", written.slice(1), JSON.stringify({ version: 1, entries })]) {
        writeFileSync(cache, content)
        assert.isFalse(isKnown(), content)
      }
      writeFileSync(cache, written)
      assert.isTrue(isKnown())
      rmSync(cache)
      mkdirSync(cache)
      assert.isFalse(isKnown())
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as connection from "../../src/connection/ConnectionSettings.ts"
import { settings as contributed } from "../../src/Contributions.ts"
import * as events from "../../src/events/EventSettings.ts"
import * as leaks from "../../src/leaks/check/LeakSettings.ts"
import { masking, Settings } from "../../src/editor/Settings.ts"
import { knownIdentifiers } from "../../src/register/RememberedEntries.ts"
import { EditorDouble } from "../EditorDouble.ts"

const { timeoutSeconds } = connection
const { notificationSeverity, pageSize, savedSearches } = events

describe("settings", () => {
  it.effect("are each read with the name and the default in package.json", () =>
    Effect.gen(function* () {
      const read = [
        masking,
        knownIdentifiers,
        ...[connection, events, leaks].flatMap((module) => Object.values(module))
      ]
      const names = read.map(({ name }) => name)
      assert.sameMembers(
        names,
        Object.keys(contributed).filter((name) => name !== "profiles")
      )
      const editor = new EditorDouble()
      yield* Effect.gen(function* () {
        const settings = yield* Settings
        for (const each of read) yield* settings.get<unknown>(each)
      }).pipe(Effect.provide(Settings.layer.pipe(Layer.provide(editor.layer))))
      assert.deepStrictEqual(editor.log, [])
    })
  )

  it.effect("have their defaults if they are out of range, and the log says so once, without their values", () =>
    Effect.gen(function* () {
      const editor = new EditorDouble()
      const secret = "amber-lynx-quarry"
      editor.settings.set("events.pageSize", 1000)
      editor.settings.set("requests.timeoutSeconds", 0)
      editor.settings.set("notifications.severity", secret)
      editor.settings.set("savedSearches", secret)
      const read = Effect.gen(function* () {
        const settings = yield* Settings
        return [
          yield* settings.get(pageSize),
          yield* settings.get(timeoutSeconds),
          yield* settings.get(notificationSeverity),
          yield* settings.get(savedSearches)
        ]
      })
      const twice = yield* Effect.all([read, read]).pipe(
        Effect.provide(Settings.layer.pipe(Layer.provide(editor.layer)))
      )
      for (const values of twice) assert.deepStrictEqual(values, [10, 30, "off", []])
      assert.lengthOf(editor.log, 4)
      assert.notInclude(editor.log.join("\n"), secret)
    })
  )
})

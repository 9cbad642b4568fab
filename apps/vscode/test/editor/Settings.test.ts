import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Settings } from "../../src/editor/Settings.ts"
import { EditorDouble } from "../EditorDouble.ts"

describe("settings", () => {
  it.effect("are their defaults where they are out of range, and the log says so once, without their values", () =>
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
          yield* settings.get("events.pageSize"),
          yield* settings.get("requests.timeoutSeconds"),
          yield* settings.get("notifications.severity"),
          yield* settings.get("savedSearches")
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

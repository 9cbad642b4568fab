/** The exports that have not come to their end, over restarts too. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { Editor } from "../Editor.ts"
import { stored } from "../Stored.ts"
import { HaltedExport, holdsSecret } from "./HaltedExport.ts"

const Kept = Schema.Array(HaltedExport)
const keyOfKept = "exports.halted"
const mostKept = 10

export class HaltedExports extends Context.Service<
  HaltedExports,
  {
    /** Those that nobody goes on with now, the latest first. */
    readonly all: Effect.Effect<ReadonlyArray<HaltedExport>>
    /** In place of an earlier one to the same file. */
    readonly keep: (halted: HaltedExport) => Effect.Effect<void>
    readonly drop: (uri: string) => Effect.Effect<void>
    readonly isRunning: (uri: string) => boolean
    /** Takes the export to this file off `all` while the effect runs. */
    readonly during: <A, E, R>(uri: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("threat-exposure/exports/HaltedExports") {
  static readonly layer = Layer.effect(
    HaltedExports,
    Effect.gen(function* () {
      const editor = yield* Editor
      let known = yield* stored("here", keyOfKept, Kept, [])
      const running = new Set<string>()

      const all = Effect.sync(() => known.filter(({ uri }) => !running.has(uri)))
      const tell = Effect.flatMap(all, (halted) => editor.setContext(keyOfKept, halted.length > 0))
      const write = Effect.suspend(() => {
        const kept = known.flatMap((halted) =>
          holdsSecret(halted.request) ? [] : Option.toArray(Schema.encodeOption(HaltedExport)(halted))
        )
        return editor.store("here", keyOfKept, kept)
      })
      const without = (uri: string) => known.filter((halted) => halted.uri !== uri)
      let writtenAt = 0

      return HaltedExports.of({
        all,
        keep: Effect.fnUntraced(function* (halted) {
          known = [halted, ...without(halted.uri)].slice(0, mostKept)
          // The editor puts off what it writes as long as more comes.
          const now = yield* Clock.currentTimeMillis
          if (halted.written > 0 && now - writtenAt < 1000) return
          writtenAt = now
          yield* write
        }),
        drop: Effect.fnUntraced(function* (uri) {
          known = without(uri)
          yield* write
          yield* tell
        }),
        isRunning: (uri) => running.has(uri),
        during: (uri, effect) =>
          Effect.acquireUseRelease(
            Effect.andThen(
              Effect.sync(() => running.add(uri)),
              tell
            ),
            () => effect,
            () => Effect.sync(() => running.delete(uri)).pipe(Effect.andThen(write), Effect.andThen(tell))
          )
      })
    })
  )
}

/** Stores unfinished exports across restarts. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { UnfinishedExport, holdsSecret } from "./UnfinishedExport.ts"

const Kept = Schema.Array(UnfinishedExport)
const keyOfKept = "exports.unfinished"
const maxKept = 10

export class UnfinishedExports extends Context.Service<
  UnfinishedExports,
  {
    /** Exports that are not running, latest first. */
    readonly all: Effect.Effect<ReadonlyArray<UnfinishedExport>>
    /** Stores the export in place of an earlier one to the same file. */
    readonly keep: (unfinished: UnfinishedExport) => Effect.Effect<void>
    readonly drop: (uri: string) => Effect.Effect<void>
    readonly isRunning: (uri: string) => boolean
    /** Marks the export to this file as running, which hides it from `all`, while the effect runs. */
    readonly during: <A, E, R>(uri: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("threat-exposure/exports/UnfinishedExports") {
  static readonly layer = Layer.effect(
    UnfinishedExports,
    Effect.gen(function* () {
      const editor = yield* Editor
      let known = yield* recall("here", keyOfKept, Kept, [])
      const running = new Set<string>()

      const all = Effect.sync(() => known.filter(({ uri }) => !running.has(uri)))
      const tell = Effect.flatMap(all, (unfinished) => editor.setContext(keyOfKept, unfinished.length > 0))
      const write = Effect.suspend(() => {
        const kept = known.flatMap((unfinished) =>
          holdsSecret(unfinished.request) ? [] : Option.toArray(Schema.encodeOption(UnfinishedExport)(unfinished))
        )
        return editor.remember("here", keyOfKept, kept)
      })
      yield* tell
      const without = (uri: string) => known.filter((unfinished) => unfinished.uri !== uri)
      let writtenAt = 0

      return UnfinishedExports.of({
        all,
        keep: Effect.fnUntraced(function* (unfinished) {
          known = [unfinished, ...without(unfinished.uri)].slice(0, maxKept)
          // At most one write per second: frequent writes would make the editor delay all of them.
          const now = yield* Clock.currentTimeMillis
          if (unfinished.written > 0 && now - writtenAt < 1000) return
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

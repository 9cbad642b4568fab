/** Stores events that a sink rejects permanently, one line each: `{ "sink", "uid", "reason", "event" }`. */
import * as Effect from "effect/Effect"
import { jsonText } from "../output/Output.ts"
import { FeedFileRefused } from "./FeedState.ts"
import { lineFile } from "./LineFile.ts"
import { fileFault, fileLock } from "../output/FileLock.ts"

export interface DeadLetter {
  /** Null for an item without a uid, which is not offered to any sink. */
  readonly sink: string | null
  readonly uid: string | null
  readonly reason: string
  /** The event as JSON. */
  readonly event: string
}

export type DeadLetters = (letters: ReadonlyArray<DeadLetter>) => Effect.Effect<void, FeedFileRefused>

/** Appends to a file. The lines are on disk before the batch counts as accepted. */
export const deadLetterFile = Effect.fnUntraced(function* (path: string) {
  const { append } = yield* lineFile("--dead-letter", path)
  const whileLocked = yield* fileLock
  const write: DeadLetters = (letters) =>
    Effect.mapError(
      whileLocked(
        path,
        append(
          letters
            .map(
              ({ event, reason, sink, uid }) =>
                `{"sink":${jsonText(sink)},"uid":${jsonText(uid)},"reason":${jsonText(reason)},"event":${event}}\n`
            )
            .join("")
        )
      ),
      (failure) =>
        new FeedFileRefused({ message: `--dead-letter: ${path} ${fileFault(failure)}, and start the feed again` })
    )
  return write
})

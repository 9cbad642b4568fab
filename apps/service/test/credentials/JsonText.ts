import type { Answer } from "@threat-exposure/service/requests/ServedRequest"
import { Effect, Stream } from "effect"

/** The whole text of an answer. */
export const jsonText = (json: Answer["body"] = ""): Effect.Effect<string> =>
  Stream.isStream(json)
    ? Effect.map(Stream.runCollect(json), (chunks) => Buffer.concat(chunks).toString())
    : Effect.succeed(Buffer.from(json).toString())

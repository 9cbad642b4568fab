import type { FoundCredentials } from "@threat-exposure/service/credentials/Credentials"
import { Effect, Stream } from "effect"

/** The whole text of an answer. */
export const jsonText = (json: FoundCredentials["json"]): Effect.Effect<string> =>
  Stream.isStream(json)
    ? Effect.map(Stream.runCollect(json), (chunks) => Buffer.concat(chunks).toString())
    : Effect.succeed(Buffer.from(json).toString())

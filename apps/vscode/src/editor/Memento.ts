/** Decodes data that the editor stores across restarts. */
import { Effect, Option, Schema } from "effect"
import { Editor } from "./Editor.ts"

/** Returns `otherwise` if nothing is stored or if this version cannot decode it. */
export const recall = <A>(
  scope: "everywhere" | "here",
  key: string,
  schema: Schema.Codec<A, unknown>,
  otherwise: A
): Effect.Effect<A, never, Editor> =>
  Effect.gen(function* () {
    const editor = yield* Editor
    const value = yield* editor.recall(scope, key)
    return Option.getOrElse(Schema.decodeUnknownOption(schema)(value), () => otherwise)
  })

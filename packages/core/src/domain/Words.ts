/** The words that the specification lets a request use, where they have a name of their own in the API's document. */
import * as Schema from "effect/Schema"

/** Who gives another word is told these, where the name alone would say little. */
export const oneOf = <const Words extends ReadonlyArray<string>>(identifier: string, words: Words) =>
  Schema.Literals(words).annotate({ identifier, message: `Expected one of ${words.join(", ")}` })

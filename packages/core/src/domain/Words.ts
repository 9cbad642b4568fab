/** Texts of a request that follow a rule, and what is said to whoever breaks it. */
import * as Schema from "effect/Schema"

/** One of the specification's words, where they have a name of their own in the API's document. */
export const oneOf = <const Words extends ReadonlyArray<string>>(identifier: string, words: Words) =>
  Schema.Literals(words).annotate({ identifier, message: `Expected one of ${words.join(", ")}` })

export const someText = Schema.String.check(Schema.isMinLength(1, { message: "Expected at least one character" }))

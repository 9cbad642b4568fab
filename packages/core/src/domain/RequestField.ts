/** Fields of requests that several concepts share, with the message that a caller gets for a value that breaks the rule. */
import * as Schema from "effect/Schema"

/** An enumeration that the API's document names. */
export const oneOf = <const Values extends ReadonlyArray<string>>(identifier: string, values: Values) =>
  Schema.Literals(values).annotate({ identifier, message: `Expected one of ${values.join(", ")}` })

export const nonEmptyText = Schema.String.check(Schema.isMinLength(1, { message: "Expected at least one character" }))

/** Request fields that several concepts share, with the message for an invalid value. */
import * as Schema from "effect/Schema"

/** An enumeration with a name in `openapi.json`. */
export const oneOf = <const Values extends ReadonlyArray<string>>(identifier: string, values: Values) =>
  Schema.Literals(values).annotate({ identifier, message: `Expected one of ${values.join(", ")}` })

export const nonEmptyText = Schema.String.check(Schema.isMinLength(1, { message: "Expected at least one character" }))

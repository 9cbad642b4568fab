/**
 * JSON texts that the service wrote itself, decoded as fast as the compiled schema of their value: `Schema.fromJsonString` is
 * interpreted, with all of that schema in it. The error of a text that is not JSON would quote it, and a stored text contains
 * secrets.
 */
import * as Schema from "effect/Schema"
import { accelerate, Unexpected } from "@threat-exposure/core/domain/schema/FieldReader"

export const jsonDecoder = <A>(schema: Schema.Decoder<A>): ((text: string) => A) => {
  const decode = Schema.decodeUnknownSync(schema)
  return (text) => decode(parse(text))
}

/** A column with such a text, for the schema of a row. */
export const jsonColumn = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = jsonDecoder(schema)
  return accelerate(Schema.fromJsonString(schema), (input) => {
    if (typeof input !== "string") throw new Unexpected()
    try {
      return decode(input)
    } catch {
      throw new Unexpected()
    }
  })
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SyntaxError(`A stored text of ${text.length} characters is not JSON`)
  }
}

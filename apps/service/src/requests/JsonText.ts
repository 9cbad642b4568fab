/**
 * Decodes JSON that the service wrote itself, as fast as the compiled schema of its value: `Schema.fromJsonString` is
 * interpreted, including that schema. Error messages do not quote the text, because stored texts contain secrets.
 */
import * as Schema from "effect/Schema"
import { accelerate, Unexpected } from "@threat-exposure/core/domain/schema/FieldReader"

export const jsonDecoder = <A>(schema: Schema.Decoder<A>): ((text: string) => A) => {
  const decode = Schema.decodeUnknownSync(schema)
  return (text) => decode(parse(text))
}

/** The schema of a row's column that contains such JSON. */
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

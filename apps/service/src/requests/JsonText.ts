/** As fast as the compiled schema: `Schema.fromJsonString` is interpreted. Error messages never quote the text. */
import * as Schema from "effect/Schema"
import { accelerate, Unexpected } from "@threat-exposure/core/domain/schema/FieldReader"

export const jsonDecoder = <A>(schema: Schema.Decoder<A>): ((text: string) => A) => {
  const decode = Schema.decodeUnknownSync(schema)
  return (text) => decode(parse(text))
}

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

/** Decodes JSON texts that the service wrote itself. */
import * as Schema from "effect/Schema"

/**
 * As fast as the compiled schema: `Schema.fromJsonString` is interpreted, with all of the schema in it. The error of a text
 * that is not JSON would quote it, and a stored text contains secrets.
 */
export const jsonDecoder = <A>(schema: Schema.Decoder<A>): ((text: string) => A) => {
  const decode = Schema.decodeUnknownSync(schema)
  return (text) => decode(parse(text))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new SyntaxError(`A stored text of ${text.length} characters is not JSON`)
  }
}

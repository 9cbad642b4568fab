/** Decodes request bodies that do not come through the router's schemas. */
import { isUtf8 } from "node:buffer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "@threat-exposure/core/domain/Failures"
import { isTooDeep } from "./JsonDepth.ts"
import { faultsOf, invalidJson, tooDeep } from "./ValidationFaults.ts"

/** Names every fault of a body. */
export const bodyDecoder = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (body: ArrayBuffer | Uint8Array): Result.Result<A, ValidationFailed> => {
    if (!isUtf8(body)) return Result.fail(new ValidationFailed({ detail: [invalidJson] }))
    const text = utf8.decode(body)
    if (isTooDeep(text)) return Result.fail(new ValidationFailed({ detail: [tooDeep] }))
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      return Result.fail(new ValidationFailed({ detail: [invalidJson] }))
    }
    return Result.mapError(decode(json), ({ issue }) => new ValidationFailed({ detail: faultsOf("body", issue, json) }))
  }
}

/** Without a byte order mark, as the router decodes it. */
const utf8 = new TextDecoder()

/**
 * Documents as JSON in buffers outside the heap. A load keeps thousands of them until they are acknowledged; objects
 * would survive several runs of the garbage collector.
 */
import * as Schema from "effect/Schema"
import { jsonDecoder } from "../../requests/JsonText.ts"

/** Plain data, because a strict load writes it to a staging file. */
export interface EncodedDocument {
  readonly encoded: { readonly bytes: Uint8Array<ArrayBuffer> }
  readonly start: number
  readonly end: number
}

export const isEncoded = (document: unknown): document is EncodedDocument =>
  typeof document === "object" && document !== null && "encoded" in document

export class DocumentEncoder {
  readonly #encoded: { bytes: Buffer<ArrayBuffer> } = { bytes: Buffer.allocUnsafeSlow(firstBytes) }
  #end = 0

  encode(document: object): EncodedDocument {
    const json = JSON.stringify(document)
    const start = this.#end
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    this.#reserve(json.length * 3)
    this.#end += this.#encoded.bytes.write(json, start)
    return { encoded: this.#encoded, start, end: this.#end }
  }

  #reserve(more: number): void {
    const { bytes } = this.#encoded
    if (this.#end + more <= bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#end + more, bytes.length * 2))
    larger.set(bytes.subarray(0, this.#end))
    this.#encoded.bytes = larger
  }
}

/** The JSON, in UTF-8. */
export const bytesOf = ({ encoded, end, start }: EncodedDocument): Uint8Array => encoded.bytes.subarray(start, end)

/** The inverse of `DocumentEncoder.encode`; other documents are copied. */
export const decodeDocument = (document: unknown): object =>
  isEncoded(document) ? decodeJson(Buffer.from(bytesOf(document)).toString()) : Object.assign({}, document)

const decodeJson = jsonDecoder(Schema.Record(Schema.String, Schema.Unknown))

/** Enough for the records of most chunks. */
const firstBytes = 1_048_576

/** Parses NUL-separated output of git (`-z`). */
import { Stream } from "effect"
import type { FileName } from "../files/Files.ts"
import { concat, decode, decodeUtf8 } from "../text/Bytes.ts"

/** A part of git's output between zero bytes. */
export interface GitRecord {
  readonly text: string
  /** Only set if the bytes are not valid UTF-8. */
  readonly bytes: Uint8Array | undefined
}

export const fileName = ({ bytes, text }: GitRecord): FileName => ({ path: text, bytes })

/** The part after the first tab: the file name, without mode and id. */
export const behindHeader = ({ bytes, text }: GitRecord): GitRecord => ({
  text: text.slice(text.indexOf("\t") + 1),
  bytes: bytes?.subarray(bytes.indexOf(9) + 1)
})

/** Matches the object id; in the index, a stage number follows it. */
export const idInHeader = /[\da-f]{40,64}(?=(?: \d)?\t)/

/** Splits output at zero bytes. Decodes whole chunks if it can, because there may be many records. */
export const records = <E>(output: Stream.Stream<Uint8Array, E>): Stream.Stream<GitRecord, E> => {
  let rest: Array<Uint8Array> = []
  return output.pipe(
    Stream.map((bytes) => {
      const end = bytes.lastIndexOf(0)
      if (end < 0) {
        rest.push(bytes.slice())
        return []
      }
      const whole = concat([...rest, bytes.subarray(0, end)])
      rest = [bytes.slice(end + 1)]
      const texts = decodeUtf8(whole)?.split("\0")
      return texts?.map((text): GitRecord => ({ text, bytes: undefined })) ?? recordsIn(whole)
    }),
    Stream.flattenIterable
  )
}

const recordsIn = (whole: Uint8Array): ReadonlyArray<GitRecord> => {
  const all: Array<GitRecord> = []
  for (let from = 0, end = 0; end < whole.length; from = end + 1) {
    const zero = whole.indexOf(0, from)
    end = zero < 0 ? whole.length : zero
    const bytes = whole.subarray(from, end)
    const text = decodeUtf8(bytes)
    all.push(text === undefined ? { text: decode(bytes), bytes } : { text, bytes: undefined })
  }
  return all
}

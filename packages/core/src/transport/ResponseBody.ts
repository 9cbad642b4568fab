/**
 * Parses the body of a response while it arrives.
 *
 * A page of 10,000 items is some megabytes of text. Parsing it only when it is complete would keep copies of all of it in
 * memory beside the parsed value, and would start late.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The error for an empty body, which is valid for some operations. */
export const emptyBody = "its body is empty"

/** The parsed JSON, or why the text is not JSON. */
export type Body = Result.Result<unknown, string>

/** Parses a complete text. `encoding` is the `Content-Encoding` of the response. */
export const parsedBody = (text: string, encoding?: string): Body => {
  const { end, take } = bodyReader(encoding)
  take(text)
  return end()
}

/** Parses a stream of UTF-8. */
export const readBody = async (stream: ReadableStream<Uint8Array>, encoding?: string): Promise<Body> => {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  const { end, take } = bodyReader(encoding)
  while (true) {
    const { done, value } = await reader.read()
    take(done ? decoder.decode() : decoder.decode(value, { stream: true }))
    if (done) return end()
  }
}

/**
 * Accepts a body in chunks of any length. For a page, parses the complete items so far and drops their text; at the end, the
 * rest is parsed like a whole body.
 */
const bodyReader = (encoding: string | undefined) => {
  const parsed: Array<ReadonlyArray<unknown>> = []
  let opening = ""
  let rest = ""
  let isPage: boolean | undefined

  return {
    take: (text: string) => {
      const isEnough = isPage !== false && rest.length + text.length >= enough
      const end = isEnough ? endOfItem(text) : 0
      if (end === 0) {
        rest += text
        return
      }
      let piece = rest + text.slice(0, end)
      if (isPage === undefined) {
        opening = pageOpening.exec(piece)?.[0] ?? ""
        piece = piece.slice(opening.length)
      }
      // Parsing fails unless the cut is between two items: what looks like the end of an item may be inside it.
      const items = opening === "" ? Option.none() : parseJson(`[${piece}]`)
      isPage = Option.isSome(items) && Array.isArray(items.value) && parsed.push(items.value) > 0
      rest = isPage ? text.slice(text.indexOf("{", end)) : piece + text.slice(end)
    },
    end: (): Body => {
      const body = parseJson(opening + rest)
      if (Option.isNone(body)) return Result.fail(notJson(opening + rest, encoding))
      const { value } = body
      return Result.succeed(
        parsed.length > 0 && Predicate.isObject(value) && Array.isArray(value.items)
          ? { ...value, items: [...parsed, value.items].flat() }
          : value
      )
    }
  }
}

/** The likely position after the last item that another item follows; 0 if there is none. */
const endOfItem = (text: string): number => text.lastIndexOf("},{") + 1 || text.lastIndexOf("}, {") + 1

/** The number of characters from which a separate parse pays off. */
const enough = 32_768

const pageOpening = /^\s*\{\s*"items"\s*:\s*\[/u

/** None if the text is not JSON. Drops the parser's error, which quotes the text. */
const parseJson: (text: string) => Option.Option<unknown> = Option.liftThrowable((text: string): unknown =>
  JSON.parse(text)
)

/** The first bytes of compressed data, which JSON never starts with. */
const binary = /[^\P{Control}\t\r\n]|\uFFFD/u

const notJson = (text: string, encoding: string | undefined) => {
  if (text.trim() === "") return emptyBody
  if (binary.test(text.slice(0, 4))) {
    const found = encoding !== undefined && /^[\w-]{1,20}$/u.test(encoding) ? ` but ${encoding}` : ""
    return `its body is not text${found}: what fetches it must undo the content encoding`
  }
  return /^\s*</u.test(text)
    ? "its body is HTML or XML: a server other than the service answers at this base URL"
    : "its body is not JSON, or was cut off"
}

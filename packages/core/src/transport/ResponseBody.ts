/**
 * Parses the body of a response while it arrives.
 *
 * A page of 10,000 items is several megabytes of text. Parsing it only when it is complete would start late, and keep
 * copies of the whole text in memory in addition to the parsed value.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

export const emptyBody = "its body is empty"

/** The error for a body that is HTML or XML. */
export const foreignBody = "its body is HTML or XML: a server other than the service answers at this base URL"

/** The parsed JSON or the bytes of a file, or why the body cannot be used. */
export type Body = Result.Result<unknown, string>

export interface BodyReader {
  /** Adds the next bytes. Returns false if no more are wanted, because the body is too large. */
  readonly take: (bytes: Uint8Array) => boolean
  readonly end: () => Body
}

export const readBody = (stream: ReadableStream<Uint8Array>, maxBytes: number, encoding?: string): Promise<Body> =>
  readStream(stream, makeBodyReader(maxBytes, encoding))

export const readStream = async (stream: ReadableStream<Uint8Array>, body: BodyReader): Promise<Body> => {
  const reader = stream.getReader()
  while (true) {
    const { done, value } = await reader.read()
    if (done) return body.end()
    if (body.take(value)) continue
    // Cancels the rest, which may never end; errors of the cancellation do not matter.
    reader.cancel().catch(() => undefined)
    return body.end()
  }
}

/**
 * Collects the bytes of a file of at most `maxBytes`. `contentLength` is the header, or undefined if it counts encoded
 * bytes. It is needed because Node 26 takes an HTTP/2 stream that was reset without an error for complete, and a file
 * does not show that its end is missing.
 */
export const makeFileReader = (maxBytes: number, contentLength: string | undefined): BodyReader => {
  const parts: Array<Uint8Array> = []
  let length = 0
  return {
    take: (bytes) => {
      length += bytes.byteLength
      parts.push(bytes)
      return length <= maxBytes
    },
    end: () => {
      if (length > maxBytes) return Result.fail(`its body has more than ${maxBytes} bytes: raise maxBytes`)
      if (contentLength !== undefined && Number(contentLength) !== length) {
        return Result.fail(`its body was cut off after ${length} bytes`)
      }
      const file = new Uint8Array(length)
      let at = 0
      for (const part of parts) {
        file.set(part, at)
        at += part.byteLength
      }
      const fault = faultOfFile(new TextDecoder().decode(file.subarray(0, 100)).trimStart())
      return fault === undefined ? Result.succeed(file) : Result.fail(fault)
    }
  }
}

/** Why no report begins like this: other servers answer with web pages, and some failures have the status 200. */
const faultOfFile = (opening: string): string | undefined => {
  if (opening === "") return emptyBody
  if (opening.startsWith("<")) return foreignBody
  return /^(?:[{[]|null$)/u.test(opening) ? "its body is JSON, not a file" : undefined
}

/** Rejects a body of more than `maxBytes`. `encoding` is the `Content-Encoding` of the response. */
export const makeBodyReader = (maxBytes: number, encoding: string | undefined): BodyReader => {
  const decoder = new TextDecoder()
  const parser = makeIncrementalParser(encoding)
  let bytesLeft = maxBytes
  let refusal: string | undefined
  return {
    take: (bytes) => {
      bytesLeft -= bytes.byteLength
      if (bytesLeft < 0) {
        refusal = `its body has more than ${maxBytes} bytes: request smaller pages, or raise maxBytes`
      } else if (!parser.take(decoder.decode(bytes, { stream: true }))) {
        refusal = `its body has more than ${maxItems} items`
      }
      return refusal === undefined
    },
    end: () => {
      if (refusal !== undefined) return Result.fail(refusal)
      parser.take(decoder.decode())
      return parser.end()
    }
  }
}

/** Twice the largest page: an endless response must not fill the memory with small items. */
const maxItems = 20_000

/** For a page, parses the complete items received so far and drops their text; the rest is parsed at the end. */
const makeIncrementalParser = (encoding: string | undefined) => {
  const parsed: Array<ReadonlyArray<unknown>> = []
  let opening = ""
  let rest = ""
  let isPage: boolean | undefined
  let itemsLeft = maxItems

  return {
    /** Returns false if there are too many items. */
    take: (text: string): boolean => {
      const isEnough = isPage !== false && rest.length + text.length >= enough
      const end = isEnough ? endOfItem(text) : 0
      if (end === 0) {
        rest += text
        return true
      }
      let piece = rest + text.slice(0, end)
      if (isPage === undefined) {
        opening = pageOpening.exec(piece)?.[0] ?? ""
        piece = piece.slice(opening.length)
      }
      // Parsing fails unless the cut is between two items: the apparent end of an item may be inside it.
      const items = opening === "" ? Option.none() : parseJson(`[${piece}]`)
      isPage = Option.isSome(items) && Array.isArray(items.value) && parsed.push(items.value) > 0
      rest = isPage ? text.slice(text.indexOf("{", end)) : piece + text.slice(end)
      itemsLeft -= isPage ? (parsed.at(-1)?.length ?? 0) : 0
      return itemsLeft >= 0
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

/** The likely end of the last item that is followed by another; 0 if there is none. */
const endOfItem = (text: string): number => text.lastIndexOf("},{") + 1 || text.lastIndexOf("}, {") + 1

/** Minimum number of characters for which a separate parse pays off. */
const enough = 32_768

const pageOpening = /^\s*\{\s*"items"\s*:\s*\[/u

/** Returns `None` if the text is not JSON. The parser's error is dropped, because it quotes the text. */
const parseJson: (text: string) => Option.Option<unknown> = Option.liftThrowable((text: string): unknown =>
  JSON.parse(text)
)

/** Matches the first bytes of compressed data, with which JSON never begins. */
const binary = /[^\P{Control}\t\r\n]|\uFFFD/u

const notJson = (text: string, encoding: string | undefined) => {
  if (text.trim() === "") return emptyBody
  if (binary.test(text.slice(0, 4))) {
    const found =
      encoding !== undefined && /^(?:br|compress|deflate|(?:x-)?gzip|zstd)$/u.test(encoding) ? ` but ${encoding}` : ""
    return `its body is not text${found}: what fetches it must undo the content encoding`
  }
  return /^\s*</u.test(text) ? foreignBody : "its body is not JSON, or was cut off"
}

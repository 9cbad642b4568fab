/**
 * What an answer's body says, parsed while it arrives.
 *
 * A page of 10,000 items is some megabytes of text. Kept until its end has come, it would be in memory as often as it is
 * copied, beside what is parsed of it; and the parsing would begin when it could have been done.
 */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Why there is no JSON in an empty body, which some operations may answer with. */
export const emptyBody = "its body is empty"

/** The JSON, or why it is none. */
export type Body = Result.Result<unknown, string>

/** The body of what text there is; `encoding` is what the service says that it compressed it with. */
export const parsedBody = (text: string, encoding?: string): Body => {
  const { end, take } = bodyReader(encoding)
  take(text)
  return end()
}

/** The body of a stream of UTF-8. */
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
 * Takes a body in pieces of any length. Of a page, the items that are there are parsed and their text is let go of; what
 * is left in the end is parsed as if it were the whole.
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
      // Only whole items parse: what looks like the end of one may lie within it.
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

/** Behind the last item that another follows, as far as can be seen; 0 where there is none. */
const endOfItem = (text: string): number => text.lastIndexOf("},{") + 1 || text.lastIndexOf("}, {") + 1

/** Characters worth a parse of their own. */
const enough = 32_768

const pageOpening = /^\s*\{\s*"items"\s*:\s*\[/u

/** None when the text is not JSON. The parser's own error is dropped: it quotes the text. */
const parseJson: (text: string) => Option.Option<unknown> = Option.liftThrowable((text: string): unknown =>
  JSON.parse(text)
)

/** What compressed bytes begin with, and JSON does not. */
const binary = /[^\P{Control}\t\r\n]|\uFFFD/u

const notJson = (text: string, encoding: string | undefined) => {
  if (text.trim() === "") return emptyBody
  if (binary.test(text.slice(0, 4))) {
    const found = encoding !== undefined && /^[\w-]{1,20}$/u.test(encoding) ? ` but ${encoding}` : ""
    return `its body is not text${found}: what fetches it must undo the content encoding`
  }
  return /^\s*</u.test(text)
    ? "its body is HTML or XML: something else than the service answers at this base URL"
    : "its body is not JSON, or was cut off"
}

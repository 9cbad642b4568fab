/** Where the candidates of a check come from: text that is open, and the files of a folder. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import { Effect, Redacted } from "effect"
import { Editor, type OpenText, type Position, type Span } from "../Editor.ts"
import { t } from "../Localisation.ts"
import type { Engine } from "./Engine.ts"
import { LeakEngine, type Scanned } from "./LeakEngine.ts"

/** The candidates of a selection: those that overlap it, or, of one word, the word itself. */
export const ofSelection = (open: OpenText, candidatesIn: Engine["candidatesIn"]): ReadonlyArray<Candidate> => {
  const found = candidatesIn(open.text, { path: open.path }).filter((candidate) =>
    overlaps(spanOf(open.text, candidate), open.selection)
  )
  const word = open.selected.trim()
  if (found.length > 0 || word.length < 6 || /\s/u.test(word)) return found
  const shift = open.selected.length - open.selected.trimStart().length
  return [
    {
      value: Redacted.make(word),
      kind: "generic-secret",
      rule: "selection",
      confidence: 1,
      location: {
        path: open.path,
        line: open.selection.start.line + 1,
        column: open.selection.start.character + shift + 1
      }
    }
  ]
}

const overlaps = (a: Span, b: Span) => before(a.start, b.end) && before(b.start, a.end)

const before = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.character <= b.character)

/** Where the value stands in the text; to the end of the line where it was encoded and is not there as it is. */
export const spanOf = (text: string, { location, value }: Pick<Candidate, "location" | "value">): Span => {
  const lines = text.split("\n")
  const start: Position = { line: location.line - 1, character: location.column - 1 }
  const offset = lines.slice(0, start.line).reduce((sum, line) => sum + line.length + 1, 0) + start.character
  const secret = Redacted.value(value)
  if (!text.startsWith(secret, offset)) {
    const line = lines[start.line] ?? ""
    return { start, end: { line: start.line, character: Math.max(start.character + 1, line.trimEnd().length) } }
  }
  const own = secret.split("\n")
  const last = own.at(-1) ?? ""
  return {
    start,
    end: {
      line: start.line + own.length - 1,
      character: own.length === 1 ? start.character + secret.length : last.length
    }
  }
}

/** Where it stands after the text was edited: the place nearest to where it stood, if there is one. */
export const followed = (text: string, value: Redacted.Redacted, was: Position): Position | undefined => {
  const secret = Redacted.value(value)
  let best: Position | undefined
  let line = 0
  let lineStart = 0
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
    for (let next = text.indexOf("\n", lineStart); next >= 0 && next < at; next = text.indexOf("\n", lineStart)) {
      line++
      lineStart = next + 1
    }
    if (best === undefined || Math.abs(line - was.line) < Math.abs(best.line - was.line)) {
      best = { line, character: at - lineStart }
    }
  }
  return best
}

/** The most files a folder is read of through the editor, which is slower than the machine itself. */
const mostFiles = 20_000
const largestFile = 2_000_000

/** The files of a folder read through the editor, for hosts without a machine of their own. */
export const throughEditor = Effect.fnUntraced(function* (folder: string) {
  const editor = yield* Editor
  const { candidatesIn } = yield* (yield* LeakEngine).load
  const uris = yield* editor.files(folder, mostFiles)
  const gaps: Array<string> = []
  const found = yield* Effect.forEach(
    uris.filter((uri) => !/\/(?:node_modules|\.git|\.venv|vendor|dist)\//u.test(uri)),
    (uri) =>
      editor.read(uri).pipe(
        Effect.map((text) =>
          text.length > largestFile
            ? []
            : candidatesIn(text, { path: decodeURIComponent(uri.slice(folder.length + 1)) })
        ),
        Effect.catch(({ message }) => {
          gaps.push(message)
          return Effect.succeed([])
        })
      ),
    { concurrency: 8 }
  )
  if (uris.length >= mostFiles)
    gaps.push(t("The folder has more than {0} files, and the rest was not read.", mostFiles))
  const scanned: Scanned = { candidates: found.flat(), gaps }
  return scanned
})

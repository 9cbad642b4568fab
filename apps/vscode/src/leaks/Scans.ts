/** Where the candidates of a check come from: text that is open, and the files of a folder. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { Detector } from "../detection/Detector.ts"
import { Effect, Redacted } from "effect"
import { Editor, type OpenText, type Position, type Span } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Lines, spanOf } from "../detection/Lines.ts"

export interface Scanned {
  readonly candidates: ReadonlyArray<Candidate>
  /** What could not be read, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/** What only a machine with processes can do: git, and reading a folder fast. */
export interface FolderScans {
  readonly workspace: (root: string) => Effect.Effect<Scanned, { readonly message: string }>
  /** What is not committed, and what the branch adds to `base`; the remote's default branch where that is empty. */
  readonly changes: (root: string, base: string) => Effect.Effect<Scanned, { readonly message: string }>
}

/**
 * The candidates of a selection: those that touch it, however unlikely, or, of one word, the word itself. What a person
 * selected is searched, whatever it looks like.
 */
export const ofSelection = ({ scanText }: Detector, open: OpenText): ReadonlyArray<Candidate> => {
  const lines = new Lines(open.text)
  const found = scanText(open.text, open.path, { minConfidence: 0 }).candidates.filter((candidate) =>
    overlaps(spanOf(candidate.location), open.selection)
  )
  const [, before = "", word = ""] = /^(\s*["'`]?)(.*?)["'`]?[\s,;]*$/su.exec(open.selected) ?? []
  if (found.length > 0 || word.length < 6 || /\s/u.test(word)) return found
  const { end, start } = lines.span(lines.offset(open.selection.start) + before.length, word.length)
  return [
    {
      value: Redacted.make(word),
      kind: "generic-secret",
      rule: "selection",
      confidence: 1,
      location: {
        path: open.path,
        line: start.line + 1,
        column: start.character + 1,
        endLine: end.line + 1,
        endColumn: end.character + 1
      }
    }
  ]
}

/** The candidates of a file, and why it was not read for any, where that is so. */
export const ofFile = ({ scanText }: Detector, { path, text }: OpenText): Scanned => {
  const { candidates, leftOut } = scanText(text, path)
  return {
    candidates,
    gaps: leftOut === undefined ? [] : [t("{0} was not read: {1}.", path, t(leftOut.replaceAll("-", " ")))]
  }
}

const overlaps = (a: Span, b: Span) => before(a.start, b.end) && before(b.start, a.end)

const before = (a: Position, b: Position) => a.line < b.line || (a.line === b.line && a.character <= b.character)

/** The most files a folder is read of through the editor, which is slower than the machine itself. */
const mostFiles = 20_000
const largestFile = 2_000_000

/** The files of a folder read through the editor, for hosts without a machine of their own. */
export const throughEditor = Effect.fnUntraced(function* ({ scanText }: Detector, folder: string) {
  const editor = yield* Editor
  const uris = yield* editor.files(folder, mostFiles)
  const gaps: Array<string> = []
  const found = yield* Effect.forEach(
    uris.filter((uri) => !/\/(?:node_modules|\.git|\.venv|vendor|dist)\//u.test(uri)),
    (uri) => {
      const path = decodeURIComponent(uri.slice(folder.length + 1))
      const notRead = (why: string) => {
        gaps.push(t("{0} was not read: {1}.", path, why))
        return []
      }
      return editor.read(uri).pipe(
        Effect.map((text) => (text.length > largestFile ? notRead(t("too large")) : scanText(text, path).candidates)),
        Effect.catch(({ reason }) => Effect.sync(() => notRead(reason)))
      )
    },
    { concurrency: 8 }
  )
  if (uris.length >= mostFiles)
    gaps.push(t("The folder has more than {0} files, and the rest was not read.", mostFiles))
  const scanned: Scanned = { candidates: found.flat(), gaps }
  return scanned
})

/** Where the candidates of a check come from: text that is open, and the files of a folder. */
import type { Candidate } from "@threat-exposure/detect/Candidate"
import type { GitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import type { SkipReason } from "@threat-exposure/detect/skip/Skipped"
import type { TextScan } from "@threat-exposure/detect/Text"
import type { Skipped } from "@threat-exposure/leak-check/Coverage"
import type { Detector } from "../detection/Detector.ts"
import { Effect, Redacted } from "effect"
import { Editor, type OpenText } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { Lines, spanOf } from "../detection/Lines.ts"
import { overlaps } from "./LeakOccurrence.ts"

export interface Scanned {
  readonly candidates: ReadonlyArray<Candidate>
  readonly skipped: ReadonlyArray<Skipped>
  /** Why a scan could not be done or ended early, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/** The rules that a folder brings in `.gitleaks.toml`, and what of them cannot be used. */
export interface Rules {
  readonly gitleaks: GitleaksConfig | undefined
  readonly skipped: ReadonlyArray<Skipped>
}

export const noRules: Rules = { gitleaks: undefined, skipped: [] }

/** What only a machine with processes can do: git, and reading a folder fast. */
export interface FolderScans {
  /** The files below a path of the root; all of them where it is empty. */
  readonly workspace: (root: string, below: string) => Effect.Effect<Scanned, { readonly message: string }>
  /** What is not committed, and what the branch adds to `base`; the remote's default branch where that is empty. */
  readonly changes: (root: string, base: string) => Effect.Effect<Scanned, { readonly message: string }>
}

/**
 * The candidates of a selection: those that touch it, however unlikely, or, of one word, the word itself. What a person
 * selected is searched, whatever it looks like.
 */
export const ofSelection = ({ scanText }: Detector, open: OpenText, { gitleaks }: Rules): ReadonlyArray<Candidate> => {
  const lines = new Lines(open.text)
  const { allowed, candidates } = scanText(open.text, open.path, { minConfidence: 0, gitleaks })
  const found = [...candidates, ...allowed.map(({ candidate }) => candidate)].filter((candidate) =>
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

/** The candidates of a file, and what was skipped in it. */
export const ofFile = ({ scanText }: Detector, { path, text }: OpenText, { gitleaks, skipped }: Rules): Scanned => {
  const scan = scanText(text, path, { gitleaks })
  return { candidates: scan.candidates, skipped: [...skipped, ...skippedIn(path, scan)], gaps: [] }
}

/** What was skipped of one file, as a scan of many counts it. */
const skippedIn = (path: string, { allowed, skipped }: TextScan): ReadonlyArray<Skipped> => [
  ...(skipped === undefined ? [] : [{ reason: skipped, count: 1, names: [path] }]),
  ...allowed.map(({ candidate, commentLine }): Skipped => ({
    reason: commentLine === undefined ? "allowlisted" : "allow-comment",
    count: 1,
    names: [`${path}:${candidate.location.line}`]
  }))
]

/** The most files a folder is read of through the editor, which is slower than the machine itself. */
const mostFiles = 20_000

/** The files of a folder read through the editor, for hosts without a machine of their own. */
export const throughEditor = Effect.fnUntraced(function* (
  { largestFile, scanText, skipByPath }: Detector,
  folder: string,
  rules: Rules,
  below = ""
) {
  const editor = yield* Editor
  const uris = yield* editor.files(below === "" ? folder : editor.join(folder, below), mostFiles)
  const skipped: Array<Skipped> = [...rules.skipped]
  const gaps: Array<string> = []
  const skip = (reason: SkipReason, path: string): ReadonlyArray<Candidate> => {
    skipped.push({ reason, count: 1, names: [path] })
    return []
  }
  const found = yield* Effect.forEach(
    uris.filter((uri) => !uri.includes("/.git/")),
    (uri) => {
      const path = decodeURIComponent(uri.slice(folder.length + 1))
      // Before it is read, which takes its time here.
      const reason = path.includes(".venv/") ? "vendored" : skipByPath(path)
      if (reason !== undefined) return Effect.succeed(skip(reason, path))
      const at = uri.lastIndexOf("/")
      return editor.readBelow(uri.slice(0, at), decodeURIComponent(uri.slice(at + 1))).pipe(
        Effect.map((text) => {
          if (text.length > largestFile) return skip("too-large", path)
          const scan = scanText(text, path, { gitleaks: rules.gitleaks })
          skipped.push(...skippedIn(path, scan))
          return scan.candidates
        }),
        Effect.orElseSucceed(() => skip("unreadable", path))
      )
    },
    { concurrency: 8 }
  )
  if (uris.length >= mostFiles)
    gaps.push(t("The folder has more than {0} files, and the rest was not read.", mostFiles))
  const scanned: Scanned = { candidates: found.flat(), skipped, gaps }
  return scanned
})

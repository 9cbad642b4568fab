/** Where the candidates of a check come from: text that is open, and the files of a folder. */
import type { Candidate, Inclusion } from "@threat-exposure/detect/Candidate"
import type { GitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import type { SkipReason } from "@threat-exposure/detect/skip/Skipped"
import type { TextScan } from "@threat-exposure/detect/Text"
import type { Skipped } from "@threat-exposure/leak-check/Coverage"
import type { Detector } from "../../detection/Detector.ts"
import { Effect, Redacted } from "effect"
import { Editor, type OpenText } from "../../editor/Editor.ts"
import { number, t } from "../../words/Localisation.ts"
import { Lines, spanOf } from "../../detection/Lines.ts"
import { folderBelow, pathBelow } from "../../editor/Uri.ts"
import { overlaps } from "../LeakOccurrence.ts"

export interface Scanned {
  readonly candidates: ReadonlyArray<Candidate>
  readonly skipped: ReadonlyArray<Skipped>
  /** Why a scan could not be done or ended early, one sentence each. */
  readonly gaps: ReadonlyArray<string>
}

/** The rules of a repository's `.gitleaks.toml`, what of them cannot be used, and the setting that widens a scan. */
export interface Rules {
  /** The root of the repository, from which rules take paths; undefined for a file outside of the open folders. */
  readonly root: string | undefined
  readonly gitleaks: GitleaksConfig | undefined
  readonly skipped: ReadonlyArray<Skipped>
  readonly include: ReadonlyArray<Inclusion>
}

export const noRules: Rules = { root: undefined, gitleaks: undefined, skipped: [], include: [] }

/** Scans that need processes, which a browser does not have: git, and reading a folder fast. */
export interface FolderScans {
  /** The files below a path of the root; all of them where it is empty. */
  readonly workspace: (
    root: string,
    below: string,
    include?: ReadonlyArray<Inclusion>
  ) => Effect.Effect<Scanned, { readonly message: string }>
  /** The lines that are not committed, and those that the branch adds to `base`; the remote's default branch where that is empty. */
  readonly changes: (
    root: string,
    base: string,
    include?: ReadonlyArray<Inclusion>
  ) => Effect.Effect<Scanned, { readonly message: string }>
}

/**
 * The candidates of a selection: those that touch it, however unlikely, or, of one word, the word itself. What a person
 * selected is searched, whatever it looks like.
 */
export const ofSelection = (detector: Detector, open: OpenText, rules: Rules): ReadonlyArray<Candidate> => {
  const lines = new Lines(open.text)
  const { allowed, candidates } = scanOpen(detector, open, rules, 0)
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
export const ofFile = (detector: Detector, open: OpenText, rules: Rules): Scanned => {
  const scan = scanOpen(detector, open, rules)
  return { candidates: scan.candidates, skipped: [...rules.skipped, ...skippedIn(open.path, scan)], gaps: [] }
}

/** A finding has the path that the editor shows, which may begin above or below the repository's root. */
const scanOpen = (
  { scanText }: Detector,
  { path, text, uri }: OpenText,
  { gitleaks, include, root }: Rules,
  minConfidence?: number
): TextScan => {
  const here = (candidate: Candidate): Candidate => ({ ...candidate, location: { ...candidate.location, path } })
  const scan = scanText(text, root === undefined ? path : pathBelow(root, uri), { gitleaks, include, minConfidence })
  return {
    ...scan,
    candidates: scan.candidates.map(here),
    allowed: scan.allowed.map(({ candidate, commentLine }) => ({ candidate: here(candidate), commentLine }))
  }
}

/** The skipped parts of one file, as a scan of many counts them. */
const skippedIn = (path: string, { allowed, skipped }: TextScan): ReadonlyArray<Skipped> => [
  ...(skipped === undefined ? [] : [{ reason: skipped, count: 1, names: [path] }]),
  ...allowed.map(({ candidate, commentLine }): Skipped => ({
    reason: commentLine === undefined ? "allowlisted" : "allow-comment",
    count: 1,
    names: [`${path}:${candidate.location.line}`]
  }))
]

/** The most files a folder is read of through the editor, which is slower than the machine itself. */
const maxFiles = 20_000

/** The files of a folder read through the editor, for hosts without a machine of their own. */
export const throughEditor = Effect.fnUntraced(function* (
  { decode, filesBelow, isBinary, maxFileSize, scanText, skipByPath }: Detector,
  folder: string,
  rules: Rules,
  below = ""
) {
  const editor = yield* Editor
  const { gitleaks, include, root = folder } = rules
  const fromRoot = folderBelow(root, folder)
  const skipped: Array<Skipped> = [...rules.skipped]
  const skip = (reason: SkipReason, path: string): ReadonlyArray<Candidate> => {
    skipped.push({ reason, count: 1, names: [path] })
    return []
  }
  const files = yield* filesBelow(folder, { below, limit: maxFiles, skip })
  const found = yield* Effect.forEach(
    files,
    ({ folder, name, path }) => {
      // Before it is read, which takes its time here.
      const reason = skipByPath(fromRoot + path)
      if (reason !== undefined) return Effect.succeed(skip(reason, path))
      return editor.readBelow(folder, name).pipe(
        Effect.map((bytes) => {
          if (bytes.length > maxFileSize) return skip("too-large", path)
          if (isBinary(bytes)) return skip("binary", path)
          const scan = scanText(decode(bytes), path, { gitleaks, folder: fromRoot, include })
          skipped.push(...skippedIn(path, scan))
          return scan.candidates
        }),
        Effect.orElseSucceed(() => skip("unreadable", path))
      )
    },
    { concurrency: 8 }
  )
  const gaps =
    files.length < maxFiles
      ? []
      : [t("The folder has more than {0} files, and the rest was not read.", number(maxFiles))]
  const scanned: Scanned = { candidates: found.flat(), skipped, gaps }
  return scanned
})

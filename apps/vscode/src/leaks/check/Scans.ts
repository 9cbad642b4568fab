/** Finds the candidates of a check in open text or in the files of a folder. */
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
  /** One sentence for each scan that failed or ended early. */
  readonly gaps: ReadonlyArray<string>
}

/**
 * The rules of a repository: its `.gitleaks.toml`, the unsupported parts of this file, and the setting that widens a
 * scan.
 */
export interface Rules {
  /**
   * URI of the repository's root, to which paths in rules are relative; undefined for a file outside the open folders.
   */
  readonly root: string | undefined
  readonly gitleaks: GitleaksConfig | undefined
  readonly skipped: ReadonlyArray<Skipped>
  readonly include: ReadonlyArray<Inclusion>
}

export const noRules: Rules = { root: undefined, gitleaks: undefined, skipped: [], include: [] }

/** Scans that need processes and fast file access, which a browser lacks. */
export interface FolderScans {
  /** Scans the files below a path of the root; an empty path means all files. */
  readonly workspace: (
    root: string,
    below: string,
    include?: ReadonlyArray<Inclusion>
  ) => Effect.Effect<Scanned, { readonly message: string }>
  /** Scans uncommitted lines, and those that the branch adds to `base`; empty for the remote's default branch. */
  readonly changes: (
    root: string,
    base: string,
    include?: ReadonlyArray<Inclusion>
  ) => Effect.Effect<Scanned, { readonly message: string }>
}

/**
 * Candidates that touch the selection, however unlikely. If there are none and the selection is a single word, the word
 * itself, because the person chose it.
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

/** Candidates in a file, and the skipped parts. */
export const ofFile = (detector: Detector, open: OpenText, rules: Rules): Scanned => {
  const scan = scanOpen(detector, open, rules)
  return { candidates: scan.candidates, skipped: [...rules.skipped, ...skippedIn(open.path, scan)], gaps: [] }
}

/**
 * Scans with the path relative to the repository's root, but reports the path that the editor shows, which may be
 * relative to another folder.
 */
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

/** Skipped parts of one file, counted as in a scan of many files. */
const skippedIn = (path: string, { allowed, skipped }: TextScan): ReadonlyArray<Skipped> => [
  ...(skipped === undefined ? [] : [{ reason: skipped, count: 1, names: [path] }]),
  ...allowed.map(({ candidate, commentLine }): Skipped => ({
    reason: commentLine === undefined ? "allowlisted" : "allow-comment",
    count: 1,
    names: [`${path}:${candidate.location.line}`]
  }))
]

/** Maximum number of files per folder, because reading through the editor is slow. */
const maxFiles = 20_000

/** Scans the files of a folder through the editor, for hosts without direct file access. */
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
      // Check the path before reading, which is slow here.
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

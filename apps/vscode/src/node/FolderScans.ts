/** Scans folders with git and the local file system. */
import type { Inclusion } from "@threat-exposure/detect/Candidate"
import { givenLocation } from "@threat-exposure/detect/git/GitEnvironment"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner, type Scan } from "@threat-exposure/detect/Scanner"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { mergeSkips } from "@threat-exposure/leak-check/Coverage"
import { Effect, Glob, Record, Result, Stream } from "effect"
import { t } from "../words/Localisation.ts"
import type { FolderScans, Scanned } from "../leaks/check/Scans.ts"

const collectScan = Effect.fnUntraced(function* ({ candidates, summary }: Scan): Effect.fn.Return<Scanned, ScanError> {
  const found = yield* Stream.runCollect(candidates)
  const { skipped } = yield* summary
  return { candidates: found, skipped, gaps: [] }
})

type Include = ReadonlyArray<Inclusion> | undefined

/** Candidates for the base of a branch if the setting is empty. */
const defaultBases = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]

/** A message with the next step, in the person's language. */
const inWords = (error: ScanError): { readonly message: string } => {
  switch (error._tag) {
    case "RootUnreadable":
      return { message: t("The folder {0} cannot be read.", error.root) }
    case "NotARepository":
      return {
        message: t(
          "{0} is not in a git repository that can be read. Check a file or the workspace instead.",
          error.root
        )
      }
    case "RevisionMissing":
      return {
        message: t(
          "There is no branch {0} in this clone: fetch it, or correct the setting leakCheck.baseBranch.",
          error.revision
        )
      }
    case "HistoryShallow":
      return { message: t("This clone is shallow, and its history does not reach back far enough: fetch more of it.") }
    case "GitFailed":
      return {
        message:
          error.exitCode === undefined
            ? t("git could not be run. Install it, or check a file instead. ({0})", error.reason)
            : t("git {0} failed: {1}", error.command, error.reason)
      }
  }
}

export const folderScans: Effect.Effect<FolderScans> = Effect.gen(function* () {
  const scanner = yield* Scanner
  for (const name of Record.keys(yield* givenLocation)) {
    yield* Effect.logWarning(`${name} is ignored: the folders of the workspace decide which repositories are read`)
  }
  const since = (root: string, base: string, include: Include) =>
    Effect.flatMap(scanner.range({ root, base, head: "HEAD", include }), collectScan)
  /** Scans since the first default base that exists; a failure becomes a gap. */
  const sinceUsual = Effect.fnUntraced(function* (root: string, include: Include) {
    for (const base of defaultBases) {
      const found = yield* Effect.result(since(root, base, include))
      if (Result.isSuccess(found)) return found.success
      if (found.failure._tag !== "RevisionMissing") return nothing(inWords(found.failure).message)
    }
    // Before the first commit there are no committed lines.
    const head = yield* Effect.result(since(root, "HEAD", include))
    if (Result.isFailure(head) && head.failure._tag === "RevisionMissing") return nothing()
    return nothing(
      t(
        "There is no branch to compare with ({0}), so only uncommitted changes were read. Name a branch in the setting leakCheck.baseBranch.",
        defaultBases.join(", ")
      )
    )
  })
  return {
    workspace: (root: string, below: string, include: Include) =>
      Effect.flatMap(
        scanner.tree({ root, include, ...(below === "" ? {} : { paths: [Glob.escape(below)] }) }),
        collectScan
      ).pipe(Effect.mapError(inWords)),
    changes: (root: string, base: string, include: Include) =>
      Effect.all([
        Effect.flatMap(scanner.changes({ root, include }), collectScan),
        base === "" ? sinceUsual(root, include) : since(root, base, include)
      ]).pipe(
        Effect.map(([uncommitted, committed]) => ({
          candidates: [...uncommitted.candidates, ...committed.candidates],
          skipped: mergeSkips([...uncommitted.skipped, ...committed.skipped]),
          gaps: [...uncommitted.gaps, ...committed.gaps]
        })),
        Effect.mapError(inWords)
      )
  }
}).pipe(Effect.provide(NodeScanner.layer))

const nothing = (...gaps: ReadonlyArray<string>): Scanned => ({ candidates: [], skipped: [], gaps })

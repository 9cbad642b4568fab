/** Finds candidates in the lines that a patch adds. */
import { Stream } from "effect"
import { type Added, addedIn, type AddedOptions, wholePiece } from "./AddedLines.ts"
import { type PatchEvent, patchReader, type Piece, type Unread } from "./Patch.ts"
import type { Blob } from "./GitObjects.ts"
import { messagePath } from "./GitPlaces.ts"
import { nameAt } from "./Repository.ts"
import type { ScanError } from "../ScanError.ts"
import type { PathFilter } from "../skip/PathFilter.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"
import { skipByPath } from "../skip/Skipped.ts"
import { isBinary } from "../text/Bytes.ts"
import { fileKind } from "../text/FileKind.ts"

/** Changes in a patch other than to lines of files. */
export interface FileChanges {
  /** Maps former file names to the latest ones. */
  readonly names: Map<string, string>
  /** Whether a `.gitattributes` changed. */
  attributes: boolean
}

export const noChanges = (): FileChanges => ({ names: new Map(), attributes: false })

export interface PatchScanOptions {
  readonly changes?: FileChanges | undefined
  readonly wanted: PathFilter
  readonly text: AddedOptions
  readonly counter: ScanCounter
  /** Reads files whose lines the patch does not show, and passes each to `scan`. */
  readonly readUnread: (
    unread: ReadonlyArray<Unread>,
    scan: (unread: Unread, blob: Blob) => ReadonlyArray<Added>
  ) => Stream.Stream<Added, ScanError>
}

/**
 * Candidates in added lines, and in whole files: renamed ones, and those that git takes for binary although they are
 * text.
 */
export const scanPatch = (
  patch: Stream.Stream<Uint8Array, ScanError>,
  { changes = noChanges(), counter, readUnread, text, wanted }: PatchScanOptions
): Stream.Stream<Added, ScanError> => {
  const { folder = "" } = text
  const reader = patchReader({
    wanted: (path) => {
      if (!wanted(path)) return false
      const reason = skipByPath(folder + path)
      if (reason !== undefined) counter.skip(reason, path)
      return reason === undefined
    },
    wasWanted: (from, to) => {
      const [before, now] = [fileKind(folder + from), fileKind(folder + to)]
      return (
        wanted(from) &&
        skipByPath(folder + from) === undefined &&
        (now.madeUp || !before.madeUp) &&
        (now.prose || !before.prose)
      )
    }
  })
  const unread: Array<Unread> = []
  const { names } = changes
  const scanPiece = (piece: Piece): ReadonlyArray<Added> => {
    if (piece.path !== messagePath) counter.files++
    counter.bytes += piece.content.length
    const allowed = piece.commit !== undefined && text.gitleaks?.allowsCommit(piece.commit) === true
    if (allowed) counter.skip("allowlisted", piece.path)
    return allowed ? [] : addedIn(piece, text, counter, names)
  }
  const handle = (event: PatchEvent): ReadonlyArray<Added> => {
    switch (event._tag) {
      case "Commit":
        counter.commits++
        return []
      case "Renamed":
        names.set(event.from, names.get(event.to) ?? event.to)
        return []
      case "Attributes":
        changes.attributes = true
        return []
      case "Piece":
        return scanPiece(event.piece)
      case "Unread": {
        const { commit, kind, path } = event.unread
        if (kind === "binary") unread.push(event.unread)
        else if (kind === "moved") unread.push({ ...event.unread, after: nameAt(commit, folder, path) })
        else counter.skip(kind, path)
        return []
      }
    }
  }
  const scanContent = ({ commit, path }: Unread, { content, isMissing = false }: Blob): ReadonlyArray<Added> => {
    if (content === undefined) {
      counter.skip(isMissing ? "unreadable" : "too-large", path)
      return []
    }
    if (isBinary(content)) {
      counter.skip("binary", path)
      return []
    }
    return scanPiece(wholePiece(path, commit, content))
  }
  const isWithinLimit = (): boolean => {
    if (text.isLate?.() !== true) return true
    counter.skip("not-in-time", "the rest of the commits")
    return false
  }
  return patch.pipe(
    Stream.takeWhile(isWithinLimit),
    Stream.map((bytes) => reader.push(bytes).flatMap(handle)),
    Stream.concat(Stream.sync(() => reader.end().flatMap(handle))),
    Stream.flattenIterable,
    Stream.concat(Stream.suspend(() => readUnread(unread, scanContent)))
  )
}

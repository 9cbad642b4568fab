/** Reads the files of a folder and scans them for candidates. */
import { Context, type Effect, type Stream } from "effect"
import type { Candidate } from "../Candidate.ts"
import type { SkipReason } from "../skip/Skipped.ts"
import type { RootUnreadable } from "../ScanError.ts"
import type { Allowed, TextOptions } from "../Text.ts"

/** Maximum size of a file in bytes; larger files are skipped. */
export const maxFileSize = 50 * 1024 * 1024

/** Size in bytes of the pieces in which larger files are read. */
export const maxPieceSize = 8 * 1024 * 1024

export interface FileName {
  /** Path relative to the root, with forward slashes. */
  readonly path: string
  /** The file name's bytes; only set if they are not valid UTF-8. */
  readonly bytes?: Uint8Array | undefined
  /**
   * True for a tracked file outside a sparse checkout: if it is missing, it counts as not checked out, not as deleted.
   */
  readonly isSparse?: true | undefined
}

export interface FileScan {
  readonly path: string
  /** Number of bytes read. */
  readonly bytes: number
  readonly candidates: ReadonlyArray<Candidate>
  readonly allowed: ReadonlyArray<Allowed>
  readonly skipped: SkipReason | undefined
}

/**
 * Reading and scanning are one step, so that a layer can move both to another thread, and the text of the file stays
 * there.
 */
export class Files extends Context.Service<
  Files,
  {
    /** Fails if the root is not a readable folder. */
    check(root: string): Effect.Effect<void, RootUnreadable>

    /**
     * Every file below a folder, except git's own. `skip` is called for paths that a `.gitignore` below the folder
     * excludes, for symbolic links, which are not followed, and for unreadable folders.
     */
    walk(root: string, skip: (reason: SkipReason, path: string) => void): Stream.Stream<FileName, RootUnreadable>

    /** Returns one result for each file that still exists, in any order. Files outside the root are not read. */
    scan(root: string, files: ReadonlyArray<FileName>, options: TextOptions): Effect.Effect<ReadonlyArray<FileScan>>

    /** The text of a file inside the root; undefined if it cannot be read. */
    read(root: string, path: string): Effect.Effect<string | undefined>
  }
>()("@threat-exposure/detect/files/Files") {}

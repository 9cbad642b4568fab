/** The files of a folder, and the candidates in them. */
import { Context, type Effect, type Stream } from "effect"
import type { Candidate } from "../Candidate.ts"
import type { SkipReason } from "../skip/Skipped.ts"
import type { RootUnreadable } from "../ScanError.ts"
import type { Allowed, TextOptions } from "../Text.ts"

/** In bytes: files over it are not read. */
export const maxFileSize = 50 * 1024 * 1024

/** In bytes: larger files are read in pieces of it. */
export const maxPieceSize = 8 * 1024 * 1024

export interface FileName {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** The name as the file system has it, where it is not UTF-8. */
  readonly bytes?: Uint8Array | undefined
  /** Tracked, and outside of a sparse checkout: where it is missing, it is not checked out, and otherwise gone. */
  readonly isSparse?: true | undefined
}

export interface FileScan {
  readonly path: string
  /** Bytes read. */
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
    /** Fails where the root is not a folder that can be read. */
    check(root: string): Effect.Effect<void, RootUnreadable>

    /**
     * Every file below a folder, except those of git itself. `skip` is called for what a `.gitignore` in the folder excludes,
     * for symbolic links, which are not followed, and for folders that cannot be read.
     */
    walk(root: string, skip: (reason: SkipReason, path: string) => void): Stream.Stream<FileName, RootUnreadable>

    /** One result for each file that still exists, in no order. Nothing outside the root is read. */
    scan(root: string, files: ReadonlyArray<FileName>, options: TextOptions): Effect.Effect<ReadonlyArray<FileScan>>

    /** The text of a file inside the root; undefined if it cannot be read. */
    read(root: string, path: string): Effect.Effect<string | undefined>
  }
>()("@threat-exposure/detect/files/Files") {}

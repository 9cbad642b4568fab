/** Atomic, durable file writes: a completed write survives a power failure. */
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** Encodes through one small buffer: otherwise tens of megabytes of dead buffers wait for the garbage collector. */
export const writeText = Effect.fnUntraced(function* (handle: FileSystem.File, parts: Iterable<string>) {
  const encoder = new TextEncoder()
  const buffer = new Uint8Array(65_536)
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const { read, written } = encoder.encodeInto(part.slice(at), buffer)
      yield* handle.writeAll(buffer.subarray(0, written))
      at += read
    }
  }
})

/**
 * Resolves all symbolic links of the path; the file need not exist. Renaming over a link would replace the link itself.
 */
export const withoutLinks = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  let target = path
  for (let links = 0; links < maxLinks; links += 1) {
    const link = yield* Effect.option(files.readLink(target))
    if (Option.isNone(link)) break
    target = resolve(dirname(target), link.value)
  }
  return target
})

/** Linux's limit of links in a path. */
const maxLinks = 40

export const durableFiles = Effect.map(FileSystem.FileSystem, (files) => {
  /**
   * Syncs the folder, so that the name of a new or renamed file is durable. Does nothing on systems that cannot sync
   * folders, such as Windows and some network file systems.
   */
  const syncName = (file: string) =>
    Effect.flatMap(files.open(dirname(file), { flag: "r" }), (folder) => folder.sync).pipe(Effect.scoped, Effect.ignore)

  return {
    syncName,

    /**
     * Replaces the content of a file; follows symbolic links. Writes a temporary file beside it and renames it, so that
     * a crash or a full disk leaves either the old or the new content. A large text can be passed in parts, which are
     * encoded one at a time.
     */
    replace: Effect.fnUntraced(function* <E = never>(
      file: string,
      text: string | Iterable<string>,
      { confirm = Effect.void, keepsMode = false, mode = 0o600 }: ReplaceOptions<E> = {}
    ) {
      const target = yield* Effect.provideService(withoutLinks(file), FileSystem.FileSystem, files)
      const temporary = `${target}.tmp`
      const orRemove = <A, Failure, R>(step: Effect.Effect<A, Failure, R>) =>
        Effect.onError(step, () => Effect.ignore(files.remove(temporary, { force: true })))
      const former = keepsMode ? yield* Effect.option(files.stat(target)) : Option.none()
      // The temporary file may be left over from a killed process, or be a link in a repository.
      yield* files.remove(temporary, { force: true })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const handle = yield* files.open(temporary, { flag: "wx", mode })
          if (Option.isSome(former)) yield* files.chmod(temporary, former.value.mode & 0o7777)
          yield* writeText(handle, typeof text === "string" ? [text] : text)
          yield* handle.sync
        })
      ).pipe(orRemove)
      yield* confirm
      yield* orRemove(files.rename(temporary, target))
      yield* syncName(target)
    })
  }
})

export interface ReplaceOptions<E> {
  /** Runs before the rename; if it fails, the file is not replaced. */
  readonly confirm?: Effect.Effect<void, E>
  /** Mode of the file; by default only its owner can read and write it. */
  readonly mode?: number
  /** Whether an existing file keeps its mode. */
  readonly keepsMode?: boolean
}

/** Options for a file without secrets, such as one of a repository. */
export const ordinaryFile = { mode: 0o666, keepsMode: true } as const

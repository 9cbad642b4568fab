/** Writes that a loss of power cannot undo or tear, once they are done. */
import { dirname, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

/** Encodes into one small buffer: V8 lets tens of megabytes of dead buffers wait for its garbage collector. */
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

/** The file that a path names, whether or not it exists, after all links: a link that is replaced no longer leads anywhere. */
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

/** The limit of Linux. */
const maxLinks = 40

export const durableFiles = Effect.map(FileSystem.FileSystem, (files) => {
  /**
   * Puts the name of a new or renamed file on the disk. Does nothing where a system cannot sync folders, as Windows and
   * some network file systems cannot.
   */
  const syncName = (file: string) =>
    Effect.flatMap(files.open(dirname(file), { flag: "r" }), (folder) => folder.sync).pipe(Effect.scoped, Effect.ignore)

  return {
    syncName,

    /**
     * Replaces the content of a file, or of the file that a link leads to. The text is written to a file beside it that is
     * then renamed, so that a crash or a full disk leaves the old content or the new one. A large text can be given in
     * parts, which are encoded one after the other.
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
      // A process that was killed may have left it, and a repository may have a link of that name.
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
  /** If it fails, the file is not replaced. */
  readonly confirm?: Effect.Effect<void, E>
  /** Default: only its owner can read and write the file. */
  readonly mode?: number
  /** Whether a file that is there keeps its mode. */
  readonly keepsMode?: boolean
}

/** For a file without secrets, such as one of a repository. */
export const ordinaryFile = { mode: 0o666, keepsMode: true } as const

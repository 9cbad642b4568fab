/** Reads objects of git's object store. */
import { Effect, Stream } from "effect"
import type { GitFailed } from "../ScanError.ts"
import { concat } from "../text/Bytes.ts"
import type { Git } from "./Git.ts"

/** A file in git's object store. */
export interface Blob {
  /** The id or name by which the blob was requested. */
  readonly id: string
  /** Undefined if the blob is larger than the limit, or missing: a partial clone may lack it. */
  readonly content: Uint8Array | undefined
  readonly isMissing?: boolean
}

/**
 * Returns one result per object name, in the same order. `content` is undefined unless the object has the wanted type
 * and is at most `maxSize` bytes.
 */
export const readObjects = (
  git: Git["Service"],
  root: string,
  names: ReadonlyArray<string>,
  maxSize: number,
  wanted: "blob" | "tag" = "blob"
): Stream.Stream<Blob, GitFailed> =>
  names.length === 0
    ? Stream.empty
    : Stream.suspend(() =>
        git
          .output(root, ["cat-file", "--batch"], { input: lines(names) })
          // The reader keeps state between chunks, so each run of the stream needs its own.
          .pipe(Stream.map(objectReader(maxSize, wanted)), Stream.flattenIterable)
      )

/** Content of files by their ids or by {@link nameAt}; undefined for files over the limit in bytes. */
export const readBlobs = (
  git: Git["Service"],
  root: string,
  names: ReadonlyArray<string>,
  maxSize: number
): Stream.Stream<Blob, GitFailed> => {
  if (names.length === 0) return Stream.empty
  const sizes = git
    .output(root, ["cat-file", "--batch-check=%(objecttype) %(objectsize)"], { input: lines(names) })
    .pipe(Stream.decodeText(), Stream.splitLines, Stream.runCollect)
  return Stream.unwrap(
    Effect.map(sizes, (lines) => {
      const small: Array<string> = []
      const unread: Array<Blob> = []
      for (const [at, id] of names.entries()) {
        const [, type, size] = /^([a-z]+) (\d+)$/.exec(lines[at] ?? "") ?? []
        if (type === undefined) unread.push({ id, content: undefined, isMissing: true })
        else if (type === "blob" && Number(size) <= maxSize) small.push(id)
        else if (type === "blob") unread.push({ id, content: undefined })
      }
      let next = 0
      return Stream.concat(
        Stream.fromIterable(unread),
        Stream.map(readObjects(git, root, small, maxSize), (blob) => ({ ...blob, id: small[next++] ?? blob.id }))
      )
    })
  )
}

const lines = (names: ReadonlyArray<string>) =>
  Stream.succeed(new TextEncoder().encode(names.map((name) => `${name}\n`).join("")))

/** Header of a result of `cat-file --batch` that has content; any other line means that the object is missing. */
const objectHeader = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/

/** Splits the output of `cat-file --batch` into results. Content over the limit in bytes is dropped as it arrives. */
const objectReader = (maxSize: number, wanted: string) => {
  let buffered: Array<Uint8Array> = []
  let size = 0
  let answer: { readonly id: string; readonly isWanted: boolean; left: number } | undefined
  const take = (length: number): Uint8Array => {
    const whole = concat(buffered)
    buffered = [whole.subarray(length)]
    size -= length
    return whole.subarray(0, length)
  }
  return (bytes: Uint8Array): ReadonlyArray<Blob> => {
    const done: Array<Blob> = []
    buffered.push(bytes)
    size += bytes.length
    for (;;) {
      if (size === 0) return done
      if (answer === undefined) {
        buffered = [concat(buffered)]
        const end = buffered[0]?.indexOf(10) ?? -1
        if (end < 0) return done
        const [, id = "", type, length] = objectHeader.exec(latin1.decode(take(end + 1)).slice(0, -1)) ?? []
        // Content, if any, is followed by a line feed.
        const left = length === undefined ? 0 : Number(length) + 1
        answer = { id, isWanted: type === wanted && left <= maxSize + 1, left }
      }
      if (answer.isWanted) {
        if (size < answer.left) return done
        done.push({ id: answer.id, content: take(answer.left).subarray(0, -1) })
      } else {
        answer.left -= take(Math.min(size, answer.left)).length
        if (answer.left > 0) return done
        done.push({ id: answer.id, content: undefined })
      }
      answer = undefined
    }
  }
}

const latin1 = new TextDecoder("latin1")

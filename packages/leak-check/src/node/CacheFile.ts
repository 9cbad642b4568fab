import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Schema } from "effect"
import type { CacheStore } from "../search/CleanCache.ts"

/**
 * The cache in a file, which is replaced atomically. Other programs may write it as well: a file that is larger than any
 * cache, and a pipe or a device, are not read.
 */
export const cacheFile = (path: string): CacheStore => ({
  read: attempt(async () => {
    const found = await stat(path).catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
      throw error
    })
    if (found === undefined) return undefined
    if (!found.isFile() || found.size > maxFileSize) throw new Error("It is no file that a check has written")
    return readFile(path, "utf8")
  }),
  write: (content) =>
    attempt(async () => {
      const draft = `${path}.${randomUUID()}`
      await mkdir(dirname(path), { recursive: true })
      try {
        await writeFile(draft, content, { mode: 0o600 })
        await rename(draft, path)
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    })
})

/** Bytes: twice what the most entries take. */
const maxFileSize = 16 * 2 ** 20

/** The cache could not be read or written. The caller continues without it. */
class CacheFileFailed extends Schema.TaggedError<CacheFileFailed>()("CacheFileFailed", { cause: Schema.Defect() }) {
  override get message() {
    return "The cache file could not be read or written"
  }
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new CacheFileFailed({ cause }) })

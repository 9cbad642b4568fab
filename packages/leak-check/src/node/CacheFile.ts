import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Schema } from "effect"
import type { CacheStore } from "../search/CleanCache.ts"

/**
 * Stores the cache in a file that is replaced atomically. Other programs may write to the path, so a pipe, a device or
 * a file above the maximum size is not read.
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

/** Maximum size in bytes: twice the size of a full cache. */
const maxFileSize = 16 * 2 ** 20

/** The cache could not be read or written; the caller continues without it. */
class CacheFileFailed extends Schema.TaggedError<CacheFileFailed>()("CacheFileFailed", { cause: Schema.Defect() }) {
  override get message() {
    return "The cache file could not be read or written"
  }
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new CacheFileFailed({ cause }) })

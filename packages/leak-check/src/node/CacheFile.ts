import { randomUUID } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect, Schema } from "effect"
import type { CacheStore } from "../search/CleanCache.ts"

/** The cache in a file, which is replaced atomically. */
export const cacheFile = (path: string): CacheStore => ({
  read: attempt(() =>
    readFile(path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined
      throw error
    })
  ),
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

/** The cache could not be read or written. The caller continues without it. */
class CacheFileFailed extends Schema.TaggedError<CacheFileFailed>()("CacheFileFailed", { cause: Schema.Defect() }) {
  override get message() {
    return "The cache file could not be read or written"
  }
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new CacheFileFailed({ cause }) })

/** Keeps the values that were found clean in the cache of GitHub Actions between runs. */
import { type CacheStore, layer as cleanCache } from "@threat-exposure/leak-check/search/CleanCache"
import { cacheFile } from "@threat-exposure/leak-check/node/CacheFile"
import { Effect, Layer, Path, Random } from "effect"
import type { Environment } from "./Environment.ts"
import { GitHub } from "./GitHub.ts"
import type { Inputs } from "./Inputs.ts"

const prefix = "threat-exposure-clean-2-"

/** Restores the cache. The check uses it through `layer`; `save` saves what the check has added. Neither ever fails. */
export const openCache = Effect.fn("openCache")(function* (
  { part, runId, temporary }: Environment,
  { cache, token }: Inputs
) {
  if (!cache || token === undefined || temporary === undefined) return { layer: Layer.empty, save: Effect.void }
  const github = yield* GitHub
  const path = yield* Path.Path
  const file = path.join(temporary, "threat-exposure", "clean.json")
  const own = `${prefix}${part?.key ?? "all"}-`
  yield* github.restoreCache(file, [own, prefix])
  let isChanged = false
  const { read, write } = cacheFile(file)
  const store: CacheStore = {
    read,
    write: (content) =>
      Effect.andThen(
        write(content),
        Effect.sync(() => {
          isChanged = true
        })
      )
  }
  return {
    layer: cleanCache(store, token),
    save: Effect.gen(function* () {
      if (!isChanged) return
      // All jobs of a matrix have the same id, and a cache entry cannot be overwritten.
      const unique = yield* Random.nextIntBetween(0, 2 ** 32)
      yield* github.saveCache(file, `${own}${runId}-${unique.toString(36)}`)
    })
  }
})

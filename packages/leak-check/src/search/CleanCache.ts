/**
 * Remembers the targets that earlier runs found clean, so that they are not searched again for seven days.
 *
 * The cache only contains keyed hashes: without the token, from which the key is derived, an entry reveals nothing
 * about the value. A lost or damaged cache, or one with another key, only costs searches: no operation here fails.
 */
import { Clock, Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import type { Settings } from "../Settings.ts"
import { isAtLeast, Severity } from "@threat-exposure/core/domain/Severity"
import type { Target } from "../target/Target.ts"
import { type CleanEntry, cleanVersion, isCurrent, keyedHashes } from "./CleanEntry.ts"

/** Storage of the cache: a file, or a key in an editor's storage. Its failures are ignored. */
export interface CacheStore {
  /** Undefined if nothing is stored yet. */
  readonly read: Effect.Effect<string | undefined, Error>
  readonly write: (content: string) => Effect.Effect<void, Error>
}

export interface CleanCacheOperations {
  readonly knownClean: (
    targets: ReadonlyArray<Target>,
    settings: Pick<Settings, "minSeverity" | "since">
  ) => Effect.Effect<ReadonlySet<Target>>
  readonly remember: (
    targets: ReadonlyArray<Target>,
    settings: Pick<Settings, "minSeverity" | "since">
  ) => Effect.Effect<void>
}

/** Remembers nothing unless a layer is provided. */
export const CleanCache: Context.Reference<CleanCacheOperations> = Context.Reference<CleanCacheOperations>(
  "@threat-exposure/leak-check/search/CleanCache",
  { defaultValue: () => ({ knownClean: () => Effect.succeed(new Set()), remember: () => Effect.void }) }
)

/** `key` is the service's token, or the API key if tokens are renewed. */
export const layer = (store: CacheStore, key: Redacted.Redacted): Layer.Layer<never> =>
  Layer.sync(CleanCache, () => {
    const { domainName, tagOf, valueName } = keyedHashes(Redacted.value(key))
    const nameOf = (target: Target) =>
      target._tag === "Domain" ? domainName(target) : valueName(Redacted.value(target.value))

    const current = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const content = yield* store.read
      const entries = content === undefined ? [] : (yield* decode(content)).entries
      return entries.filter((entry) => isCurrent(entry, now))
    }).pipe(Effect.catchCause(() => Effect.succeed<ReadonlyArray<CleanEntry>>([])))

    return {
      knownClean: (targets, settings) =>
        Effect.map(current, (entries) => {
          const byName = new Map<string, Array<CleanEntry>>()
          for (const entry of entries) {
            const same = byName.get(entry.name)
            if (same === undefined) byName.set(entry.name, [entry])
            else same.push(entry)
          }
          const since = DateTime.toEpochMillis(settings.since)
          return new Set(
            targets.filter((target) =>
              byName
                .get(nameOf(target))
                ?.some(
                  (entry) =>
                    entry.tag === tagOf(entry) &&
                    isAtLeast(settings.minSeverity, entry.minSeverity) &&
                    (target._tag === "Value" || (entry.since ?? Infinity) <= since)
                )
            )
          )
        }),

      remember: (targets, settings) =>
        Effect.gen(function* () {
          if (targets.length === 0) return
          const at = yield* Clock.currentTimeMillis
          const since = DateTime.toEpochMillis(settings.since)
          const found = targets.map((target): CleanEntry => {
            const entry = {
              name: nameOf(target),
              at,
              minSeverity: settings.minSeverity,
              ...(target._tag === "Domain" ? { since } : {})
            }
            return { ...entry, tag: tagOf(entry) }
          })
          // Read again, to keep entries that another run wrote in the meantime.
          const merged = new Map<string, CleanEntry>()
          for (const entry of [...(yield* current), ...found]) {
            const key = `${entry.name} ${entry.minSeverity}`
            merged.delete(key)
            merged.set(key, entry)
          }
          yield* store.write(
            JSON.stringify({ version: cleanVersion, entries: [...merged.values()].slice(-maxEntries) })
          )
        }).pipe(Effect.ignoreCause)
    }
  })

const maxEntries = 50_000

const Entry = Schema.Struct({
  name: Schema.String,
  at: Schema.Finite,
  minSeverity: Severity,
  since: Schema.optionalKey(Schema.Finite),
  tag: Schema.String
})

const decode = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(cleanVersion), entries: Schema.Array(Entry) }))
)

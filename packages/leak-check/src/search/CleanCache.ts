/**
 * Remembers the targets that earlier runs found clean, so that they are not searched again for seven days.
 *
 * It contains keyed hashes only: without the token, from which the key is derived, an entry reveals nothing about the
 * value behind it. Losing the cache, or finding it damaged or written under another key, costs searches and nothing
 * else: no operation here fails.
 */
import { hkdf } from "@noble/hashes/hkdf.js"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Clock, Context, DateTime, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Settings } from "../Settings.ts"
import { isAtLeast, Severity } from "@threat-exposure/core/domain/Severity"
import type { Target } from "../target/Target.ts"

/** The storage of the cache: a file, or a key in an editor's storage. Its failures are tolerated. */
export interface CacheStore {
  /** Undefined where nothing was stored yet. */
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

/** `key` is the token of the service, or the API key where tokens are renewed. */
export const layer = (store: CacheStore, key: Redacted.Redacted): Layer.Layer<never> =>
  Layer.sync(CleanCache, () => {
    const hashKey = hkdf(sha256, utf8ToBytes(Redacted.value(key)), undefined, purpose, 32)
    const keyedHash = (text: string) => bytesToHex(hmac(sha256, hashKey, utf8ToBytes(text))).slice(0, 32)
    const nameOf = (target: Target) =>
      keyedHash(
        target._tag === "Domain"
          ? `${target.searchedBy === "login" ? "login" : "domain"}\0${target.domain}`
          : `value\0${Redacted.value(target.value)}`
      )
    /** Without it, anybody who can write the file could renew an entry, or make it count for a search with a wider scope. */
    const tagOf = ({ at, minSeverity, name, since }: Omit<Entry, "tag">) =>
      keyedHash(`entry\0${name}\0${at}\0${minSeverity}\0${since ?? ""}`)

    const current = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const content = yield* store.read
      const entries = content === undefined ? [] : (yield* decode(content)).entries
      return entries.filter(({ at }) => at <= now && now - at < expiry)
    }).pipe(Effect.catchCause(() => Effect.succeed<ReadonlyArray<Entry>>([])))

    return {
      knownClean: (targets, settings) =>
        Effect.map(current, (entries) => {
          const byName = new Map<string, Array<Entry>>()
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
          const found = targets.map((target): Entry => {
            const entry = {
              name: nameOf(target),
              at,
              minSeverity: settings.minSeverity,
              ...(target._tag === "Domain" ? { since } : {})
            }
            return { ...entry, tag: tagOf(entry) }
          })
          // Read again, so that what another run wrote meanwhile is kept.
          const merged = new Map<string, Entry>()
          for (const entry of [...(yield* current), ...found]) {
            const key = `${entry.name} ${entry.minSeverity}`
            merged.delete(key)
            merged.set(key, entry)
          }
          yield* store.write(JSON.stringify({ version, entries: [...merged.values()].slice(-maxEntries) }))
        }).pipe(Effect.ignoreCause)
    }
  })

/** Milliseconds after which a clean answer expires. */
const expiry = Duration.toMillis(Duration.days(7))
const maxEntries = 50_000
const version = 2
const purpose = utf8ToBytes("threat-exposure leak-check cache")

const Entry = Schema.Struct({
  name: Schema.String,
  /** Milliseconds since 1970. */
  at: Schema.Finite,
  /** The lowest severity that was asked for. */
  minSeverity: Severity,
  /** For domains: how far back was asked for, in milliseconds since 1970. */
  since: Schema.optionalKey(Schema.Finite),
  /** A keyed hash of the other members. */
  tag: Schema.String
})
type Entry = typeof Entry.Type

const decode = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(version), entries: Schema.Array(Entry) }))
)

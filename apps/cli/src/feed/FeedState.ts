/**
 * The state of a feed: its position, the uids that it has seen, and the batches that a sink has not acknowledged yet.
 *
 * Every change is on disk before the next step. A batch is stored with its id, its exact content and its uids, so that
 * the same batch is sent again after a crash.
 */
import { DateOrTimestamp } from "@threat-exposure/core/domain/Timestamp"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { exitCodes } from "../ExitCode.ts"
import { durableFiles, withoutLinks } from "../output/DurableFiles.ts"
import { fileFailure, writeFailure } from "../output/FileFailure.ts"
import { Summary } from "./Found.ts"
import { holdLock } from "../output/FileLock.ts"

/** One item of a batch: its line in the feed's shape, and its uid. */
export const FeedItem = Schema.Struct({
  uid: Schema.String,
  /** The item as JSON in the shape of the feed. */
  line: Schema.String,
  /** Milliseconds since 1970 when the item was created or first seen; absent in states of earlier versions. */
  time: Schema.optionalKey(Schema.Finite),
  /** Fields for sinks that do not send the line; absent in states of earlier versions. */
  summary: Schema.optionalKey(Summary),
  /** Distinguishes a later version of an item that was passed on before; absent in the first version. */
  version: Schema.optionalKey(Schema.String)
})
export type FeedItem = typeof FeedItem.Type

export const Batch = Schema.Struct({
  id: Schema.String,
  items: Schema.Array(FeedItem),
  /** Names of the sinks that have not acknowledged the batch. */
  waiting: Schema.Array(Schema.String)
})
export type Batch = typeof Batch.Type

/** Milliseconds since 1970, limited to years for which date arithmetic works. */
const Milliseconds = Schema.Finite.check(Schema.isBetween({ minimum: -1e14, maximum: 1e14 }))

/** Position in a listing that was not read to its end. */
const Position = Schema.Struct({
  /** When reading the listing began. */
  began: Milliseconds,
  /** Lower bound of the listing on time. */
  since: DateOrTimestamp,
  /** Cursor of the next page. */
  from: Schema.String
})
export type Position = typeof Position.Type

/** The time of an item and, if it has any, the tenant's annotations. */
const Seen = Schema.Union([Milliseconds, Schema.Tuple([Milliseconds, Schema.String])])
type Seen = typeof Seen.Type

/** An event that was passed on without its content, which a later round may add. */
const Incomplete = Schema.Struct({
  time: Schema.Finite,
  /** The listed item, as passed on. */
  item: Schema.Unknown
})
export type Incomplete = typeof Incomplete.Type

/** An item that was passed on before. */
export interface SeenItem {
  readonly uid: string
  /** Milliseconds since 1970. */
  readonly time: number
  /** The tenant's annotations, as in `Found`; empty if there are none. */
  readonly annotations: string
}

interface StateOptions {
  readonly now: string
  readonly start: string
  readonly tenant?: number | undefined
}

const stateVersion = 1

const Stored = Schema.Struct({
  version: Schema.Literal(stateVersion),
  /** The query of the feed, without secrets. A state belongs to one query. */
  query: Schema.String,
  /** The owner of the items; absent if the service does not tell, in states of earlier versions, and for other data. */
  tenant: Schema.optionalKey(Schema.Int),
  /** Lower bound on time for all rounds: that of the first round, and later that of the uids in the state. */
  start: DateOrTimestamp,
  positions: Schema.Record(Schema.String, Position),
  /** When the last complete reading of a listing began, by source. */
  completed: Schema.Record(Schema.String, Milliseconds),
  /** When the last event that was read had reached the tenant, by source; absent in states of earlier versions. */
  arrived: Schema.optionalKey(Schema.Record(Schema.String, DateOrTimestamp)),
  /** Items of the overlap by uid. */
  seen: Schema.Record(Schema.String, Seen),
  /** Incomplete events by uid; absent if there are none. */
  incomplete: Schema.optionalKey(Schema.Record(Schema.String, Incomplete)),
  /** Pending batches, oldest first. */
  batches: Schema.Array(Batch)
})
type Stored = typeof Stored.Type

const StoredText = Schema.fromJsonString(Stored)

const decodeVersion = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ version: Schema.Finite })))

/** The file of the state or of the dead letters is unusable; `message` says why and what to do. No data is lost. */
export class FeedFileRefused extends Schema.TaggedError<FeedFileRefused>()("FeedFileRefused", {
  message: Schema.String
}) {
  readonly exitCode = exitCodes.usage
}

export class FeedState extends Context.Service<
  FeedState,
  {
    /** Lower bound on time for all reading. The state has no items from before it. */
    readonly start: Effect.Effect<string>
    readonly position: (source: string) => Effect.Effect<Position | undefined>
    /** When the last complete reading of the source began; undefined before the first. */
    readonly completedAt: (source: string) => Effect.Effect<number | undefined>
    /** When the last event that was read from the source had reached the tenant; undefined if unknown. */
    readonly arrivedAt: (source: string) => Effect.Effect<string | undefined>
    readonly isSeen: (uid: string) => boolean
    /** Annotations of a seen item; undefined if the item was not seen. */
    readonly annotationsOf: (uid: string) => string | undefined
    /** Events that were passed on without their content, by uid. */
    readonly incomplete: Effect.Effect<ReadonlyMap<string, Incomplete>>
    /** Number of uids in the state. */
    readonly seenCount: Effect.Effect<number>
    /** Batches that some sink has not acknowledged, oldest first. */
    readonly batches: Effect.Effect<ReadonlyArray<Batch>>
    /** Length of the batches in the file, in characters. */
    readonly size: Effect.Effect<number>
    /** Stores the position of a source together with the batch of the items read. */
    readonly advance: (step: {
      readonly source: string
      /** The next position or, at the end of the listing, when reading it began; undefined keeps the previous one. */
      readonly reached: Position | { readonly completed: number } | undefined
      /** When the last event that was read had reached the tenant; undefined if the listing is not in this order. */
      readonly arrived?: string | undefined
      /** Items of the batch. */
      readonly found: ReadonlyArray<SeenItem>
      /** Items of `found` without content that may get it later. */
      readonly incomplete?: ReadonlyMap<string, Incomplete>
      readonly batch: Batch | undefined
    }) => Effect.Effect<void, FeedFileRefused>
    /** Removes the events from the incomplete ones, and stores the batch of those whose content was read. */
    readonly complete: (uids: ReadonlyArray<string>, batch: Batch | undefined) => Effect.Effect<void, FeedFileRefused>
    /**
     * Replaces batches, for one sink, with batches of the items that it has not accepted; with none once it has
     * accepted all.
     */
    readonly replace: (
      batchIds: ReadonlyArray<string>,
      sink: string,
      rest: ReadonlyArray<Batch>
    ) => Effect.Effect<void, FeedFileRefused>
    /**
     * Removes uids from before the overlap. The overlap ends at `end`, in milliseconds since 1970, or earlier at the
     * newest uid: a clock that was temporarily ahead must not expire the whole overlap.
     */
    readonly forget: (overlap: Duration.Duration, end: number) => Effect.Effect<void, FeedFileRefused>
  }
>()("@threat-exposure/cli/feed/FeedState") {
  /** A new state in memory. */
  static readonly layerMemory = (start: string) =>
    Layer.effect(
      FeedState,
      makeState(fresh("", start), () => Effect.void)
    )

  /**
   * Reads the file or starts a new state. `query` identifies the feed, also with `tenant` if the data is a tenant's.
   * `start` is the lower bound of the first round, and `now` is the time of the service.
   */
  static readonly layer = (given: string, query: string, { now, start, tenant }: StateOptions) =>
    Layer.effect(
      FeedState,
      Effect.gen(function* () {
        const { replace } = yield* durableFiles
        // Feeds that reach the same state by different links must share its lock.
        const file = yield* withoutLinks(given)
        const lock = yield* holdLock(`${file}.lock`).pipe(
          Effect.catchTags({
            FileLocked: () =>
              new FeedFileRefused({
                message: `The state ${file} is in use by another process: one feed writes to a state at a time. If none is running, delete ${file}.lock`
              }),
            PlatformError: ({ reason }) => new FeedFileRefused({ message: `The state ${file} ${writeFailure(reason)}` })
          })
        )
        const isOurs = Effect.flatMap(lock.isHeld, (held) =>
          held
            ? Effect.void
            : new FeedFileRefused({
                message: `The state ${file} was taken over by another process while this one was paused: one feed writes to a state at a time`
              })
        )
        const stored = yield* read(file, query, { now, tenant })
        const owned = { ...(stored ?? fresh(query, start)), ...(tenant === undefined ? {} : { tenant }) }
        return yield* makeState(owned, (parts) =>
          Effect.catchTag(replace(file, parts, { confirm: isOurs }), "PlatformError", ({ reason }) =>
            Effect.fail(
              new FeedFileRefused({
                message: `The state ${file} ${writeFailure(reason)}, and start the feed again`
              })
            )
          )
        )
      })
    )
}

/** A state that is written with each change. */
const makeState = Effect.fnUntraced(function* (
  stored: Stored,
  write: (parts: ReadonlyArray<string>) => Effect.Effect<void, FeedFileRefused>
) {
  const { seen: seenBefore, ...state } = stored
  let current: Omit<Stored, "seen"> = state
  const seen = new Map(Object.entries(seenBefore))
  // The members of `seen` as JSON. Cached, because every change writes them, and encoding all of them takes too long.
  let seenParts = encodeParts(seen)
  const exclusive = yield* Semaphore.make(1)

  const save = Effect.fnUntraced(function* (change: (state: Omit<Stored, "seen">) => Omit<Stored, "seen">) {
    const next = change(current)
    const { batches, ...rest } = next
    const batchTexts = batches.map(
      ({ id, items, waiting }) => `{${membersText({ id, waiting })},"items":${encodeItems(items)}}`
    )
    yield* write([
      `{${membersText(rest)},"batches":[`,
      ...separateParts(batchTexts),
      `],"seen":{`,
      ...withoutFirstComma(seenParts),
      "}}\n"
    ])
    current = next
  }, exclusive.withPermits(1))

  yield* save((state) => state)

  return FeedState.of({
    start: Effect.sync(() => current.start),
    position: (source) => Effect.sync(() => current.positions[source]),
    completedAt: (source) => Effect.sync(() => current.completed[source]),
    arrivedAt: (source) => Effect.sync(() => current.arrived?.[source]),
    isSeen: (uid) => seen.has(uid),
    annotationsOf: (uid) => {
      const known = seen.get(uid)
      return known === undefined ? undefined : typeof known === "number" ? "" : known[1]
    },
    incomplete: Effect.sync(() => new Map(Object.entries(current.incomplete ?? {}))),
    seenCount: Effect.sync(() => seen.size),
    batches: Effect.sync(() => current.batches),
    size: Effect.sync(() => current.batches.reduce((sum, { items }) => sum + encodeItems(items).length, 0)),
    advance: ({ arrived, batch, found, incomplete, reached, source }) =>
      Effect.suspend(() => {
        const added = new Map(
          found.map(({ annotations, time, uid }) => [uid, annotations === "" ? time : ([time, annotations] as const)])
        )
        for (const [uid, item] of added) seen.set(uid, item)
        // A uid may occur twice: in JSON, the last member counts.
        for (const members of encodeParts(added)) addPart(seenParts, members)
        return save(({ arrived: arrivedBefore, batches, completed, positions, ...before }) => {
          const rest = incomplete === undefined ? before : withIncomplete(before, incomplete)
          const { [source]: _, ...others } = positions
          const isComplete = reached !== undefined && "completed" in reached
          return {
            ...rest,
            ...(arrived === undefined && arrivedBefore === undefined
              ? undefined
              : { arrived: { ...arrivedBefore, ...(arrived === undefined ? undefined : { [source]: arrived }) } }),
            positions: reached === undefined ? positions : isComplete ? others : { ...others, [source]: reached },
            completed: isComplete ? { ...completed, [source]: reached.completed } : completed,
            batches: batch === undefined ? batches : [...batches, batch]
          }
        })
      }),
    complete: (uids, batch) =>
      save(({ batches, incomplete = {}, ...rest }) => {
        const done = new Set(uids)
        return {
          ...rest,
          ...incompleteMember(Object.entries(incomplete).filter(([uid]) => !done.has(uid))),
          batches: batch === undefined ? batches : [...batches, batch]
        }
      }),
    replace: (batchIds, sink, rest) =>
      save((state) => ({
        ...state,
        batches: state.batches.flatMap((batch) => {
          if (!batchIds.includes(batch.id)) return [batch]
          return [...withoutSink(batch, sink), ...(batch.id === batchIds.at(-1) ? rest : [])]
        })
      })),
    forget: (overlap, end) =>
      Effect.suspend(() => {
        const known = seen.size
        let newest = Number.NEGATIVE_INFINITY
        for (const item of seen.values()) newest = Math.max(newest, timeOf(item))
        const before = Math.min(end, newest) - Duration.toMillis(overlap)
        for (const [uid, item] of seen) if (timeOf(item) < before) seen.delete(uid)
        if (seen.size === known) return Effect.void
        seenParts = encodeParts(seen)
        const start = DateTime.formatIso(DateTime.makeUnsafe(before))
        return save(({ incomplete = {}, ...state }) => ({
          ...state,
          ...incompleteMember(Object.entries(incomplete).filter(([uid]) => seen.has(uid))),
          start: start > state.start ? start : state.start
        }))
      })
  })
})

/** The members of an object as JSON, without braces. */
const membersText = (members: object): string => JSON.stringify(members).slice(1, -1)

const itemTexts = new WeakMap<ReadonlyArray<FeedItem>, string>()

/**
 * The items of a batch as JSON. Cached: items never change, and while a sink fails, every change of the state writes
 * them again.
 */
const encodeItems = (items: ReadonlyArray<FeedItem>): string => {
  const text = itemTexts.get(items) ?? JSON.stringify(items)
  itemTexts.set(items, text)
  return text
}

/**
 * JSON members for the uids, each with a comma before it. In parts, because a single string would take twice its memory
 * while it is written. `join` makes flat copies: concatenation would retain all pieces, which take five times the
 * memory.
 */
const encodeParts = (seen: ReadonlyMap<string, Seen>): Array<string> => {
  const parts: Array<string> = []
  let members: Array<string> = []
  let size = 0
  const endPart = () => {
    if (size > 0) parts.push(members.join(""))
    members = []
    size = 0
  }
  for (const [uid, item] of seen) {
    const member = `,${JSON.stringify(uid)}:${JSON.stringify(item)}`
    members.push(member)
    size += member.length
    if (size >= minPartSize) endPart()
  }
  endPart()
  return parts
}

const addPart = (parts: Array<string>, members: string) => {
  const last = parts.at(-1)
  if (last === undefined || last.length >= minPartSize) parts.push(members)
  else parts[parts.length - 1] = [last, members].join("")
}

/** Removes the comma before the first member. */
const withoutFirstComma = ([first = "", ...others]: ReadonlyArray<string>): ReadonlyArray<string> => [
  first.slice(1),
  ...others
]

/** Minimum length of a part, in characters. */
const minPartSize = 65_536

const separateParts = (parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  parts.map((part, index) => (index === 0 ? part : `,${part}`))

const timeOf = (item: Seen): number => (typeof item === "number" ? item : item[0])

/** Adds incomplete events; those beyond {@link maxIncomplete} stay as they were passed on. */
const withIncomplete = (
  { incomplete, ...state }: Omit<Stored, "seen" | "arrived" | "batches" | "completed" | "positions">,
  more: ReadonlyMap<string, Incomplete>
) => ({
  ...state,
  ...incompleteMember(Object.entries({ ...incomplete, ...Object.fromEntries(more) }).slice(0, maxIncomplete))
})

/** The member of the state; absent if there are no entries. */
const incompleteMember = (entries: ReadonlyArray<readonly [uid: string, incomplete: Incomplete]>) =>
  entries.length === 0 ? undefined : { incomplete: Object.fromEntries(entries) }

/** Maximum number of incomplete events, because the state contains the item of each. */
const maxIncomplete = 1_000

const fresh = (query: string, start: string): Stored => ({
  version: stateVersion,
  query,
  start,
  positions: {},
  completed: {},
  batches: [],
  seen: {}
})

const withoutSink = (batch: Batch, sink: string): ReadonlyArray<Batch> => {
  const waiting = batch.waiting.filter((name) => name !== sink)
  return waiting.length === 0 ? [] : [{ ...batch, waiting }]
}

/** The stored state; undefined if the file does not exist. */
const read = Effect.fnUntraced(function* (
  file: string,
  query: string,
  { now, tenant }: Pick<StateOptions, "now" | "tenant">
) {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(file).pipe(
    Effect.asSome,
    Effect.catch(({ reason }) =>
      reason._tag === "NotFound"
        ? Effect.succeedNone
        : Effect.fail(new FeedFileRefused({ message: `The state ${file} cannot be read (${fileFailure(reason)})` }))
    )
  )
  if (Option.isNone(text)) return undefined
  const stored = yield* Schema.decodeEffect(StoredText)(text.value).pipe(
    Effect.mapError(() => {
      const { version } = Option.getOrElse(decodeVersion(text.value), () => ({ version: stateVersion }))
      return new FeedFileRefused({
        message:
          version === stateVersion
            ? `The state ${file} is empty or damaged. Restore it from a copy; without it, a new state sends everything since --since again`
            : `The state ${file} has version ${version}, and this program reads version ${stateVersion}: use the program that wrote it; a new state sends everything since --since again`
      })
    })
  )
  if (stored.query !== query) {
    return yield* new FeedFileRefused({
      message: `The state ${file} belongs to a feed with another query or other sinks: use the flags that it was made with, or another --state`
    })
  }
  // The events that the other tenant had before the last round would be left out.
  if (tenant !== undefined && stored.tenant !== undefined && tenant !== stored.tenant) {
    return yield* new FeedFileRefused({
      message: `The state ${file} belongs to a feed of tenant ${stored.tenant}, and the token to tenant ${tenant}: use another --state`
    })
  }
  if (stored.start > now) {
    return yield* new FeedFileRefused({
      message: `The state ${file} begins in the future (${stored.start}; it is ${now} now), so nothing new would be fed until then: a clock was ahead when it was made. Delete it, and give --since the time from which events were not fed`
    })
  }
  return stored
})

/** A paged listing with its loaded items, for views. */
import type { Cursor, Order, Page } from "@threat-exposure/core/domain/Page"
import { Clock, Data, Effect, Option, Semaphore, Stream } from "effect"
import { t } from "../words/Localisation.ts"

export interface Listed<A> {
  /** The same array grows when more items are loaded. */
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  /** Time of the newest page in milliseconds since 1970; undefined before the first one. */
  readonly asOf: number | undefined
}

/** The pages of the service never end, and have nothing new. */
export class Endless extends Data.TaggedError("Endless") {
  override get message() {
    return t("The service repeats its pages, so the rest of the list cannot be loaded.")
  }
}

/** Maximum number of consecutive pages without a new item. */
const maxBarrenPages = 1000

export interface Listing<A, E> {
  /** The loaded items. Sends no request. */
  readonly now: () => Listed<A>
  /** Loads the first page unless one is loaded already. */
  readonly first: Effect.Effect<Listed<A>, E>
  readonly more: Effect.Effect<Listed<A>, E>
  /** Loads new items and keeps the loaded ones. */
  readonly refresh: Effect.Effect<Listed<A>, E>
}

/** Reads only the first page of a listing. */
export const firstPage = <A, E, R>(pages: Stream.Stream<Page<A>, E, R>): Effect.Effect<Page<A>, E, R> =>
  Effect.map(
    Stream.runHead(pages),
    Option.getOrElse((): Page<A> => ({ items: [], next: null }))
  )

/** Maximum number of new pages that a refresh reads before it starts the listing again. */
const maxRefreshPages = 5

/** New pages that do not overlap with the loaded items yet. */
interface UnconnectedPages<A> {
  readonly items: Array<A>
  readonly count: number
  readonly next: Cursor | null
}

/**
 * `page` loads the page after a cursor. One load reads at least `size` items if they exist. Each page is kept on
 * arrival, so that the next call continues after a failure.
 */
export const makeListing = <A, E, R>(options: {
  readonly page: (from: Cursor | undefined) => Effect.Effect<Page<A>, E, R>
  readonly key: (item: A) => string
  readonly size: number
  /** Default: `desc`, newest first. */
  readonly order?: Order
}): Effect.Effect<Listing<A, E | Endless>, never, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const lock = yield* Semaphore.make(1)
    let state: Listed<A> & { readonly items: Array<A>; readonly next: Cursor | null } = {
      items: [],
      hasMore: false,
      asOf: undefined,
      next: null
    }
    /** Cursor with which the last loaded page was requested. */
    let lastFrom: Cursor | undefined
    /**
     * Keys of `state.items`. Kept, because building this set for each of a thousand pages would cost more than the
     * pages.
     */
    let keys = new Set<string>()
    /** Pages of a failed refresh: the next refresh continues below them. */
    let unconnected: UnconnectedPages<A> | undefined

    const load = (from: Cursor | undefined) => Effect.provideContext(options.page(from), context)

    /** If several items share a key, the first one wins. */
    const takeUnknown = (items: ReadonlyArray<A>) =>
      items.filter((item) => {
        const { size } = keys
        return keys.add(options.key(item)).size > size
      })

    const replace = Effect.fnUntraced(function* (items: ReadonlyArray<A>, next: Cursor | null) {
      const asOf = yield* Clock.currentTimeMillis
      keys = new Set()
      state = { items: takeUnknown(items), next, hasMore: next !== null, asOf }
      return state
    })

    /** Replaces the first `count` items. Updates the set of keys instead of building it again. */
    const replaceFirst = Effect.fnUntraced(function* (count: number, items: ReadonlyArray<A>) {
      const asOf = yield* Clock.currentTimeMillis
      for (const item of state.items.slice(0, count)) keys.delete(options.key(item))
      const moved = new Set(items.map(options.key).filter((key) => keys.delete(key)))
      const rest = state.items.slice(count)
      const kept = moved.size === 0 ? rest : rest.filter((item) => !moved.has(options.key(item)))
      state = { ...state, items: [...takeUnknown(items), ...kept], asOf }
      return state
    })

    const loadItems = Effect.fnUntraced(function* (count: number) {
      let missing = count
      /** Cursors of consecutive pages without a new item. */
      const barren = new Set<Cursor>()
      while (missing > 0 && state.next !== null) {
        const from = state.next
        const { items, next }: Page<A> = yield* load(from)
        const unknown = takeUnknown(items)
        // In place: copying all items for each page would cost as much as the page.
        state.items.push(...unknown)
        state = { ...state, next, hasMore: next !== null }
        lastFrom = from
        missing -= unknown.length
        if (unknown.length > 0) barren.clear()
        else if (barren.has(from) || barren.size === maxBarrenPages) return yield* new Endless()
        barren.add(from)
      }
      return state
    })

    const restart = Effect.gen(function* () {
      const { items, next } = yield* load(undefined)
      yield* replace(items, next)
      lastFrom = undefined
      return yield* loadItems(options.size - items.length)
    })

    /** Reads new pages until one contains a loaded item, then puts them above the loaded items. */
    const connect = Effect.fnUntraced(function* (start: UnconnectedPages<A> | undefined) {
      let pages: UnconnectedPages<A> = start ?? { items: [], count: 0, next: null }
      do {
        const { items, next }: Page<A> = yield* load(pages.next ?? undefined)
        pages.items.push(...items)
        pages = { items: pages.items, count: pages.count + 1, next }
        unconnected = pages
        const found = items.map(options.key)
        if (found.some((key) => keys.has(key))) {
          unconnected = undefined
          const last = found.at(-1)
          const reached =
            last !== undefined && keys.has(last) ? state.items.findIndex((item) => options.key(item) === last) + 1 : 0
          const again = new Set(pages.items.map(options.key))
          const gone = state.items.slice(0, reached).filter((item) => !again.has(options.key(item))).length
          // If a few items are missing, they were deleted. If many are missing, the listing has changed too much and is
          // replaced.
          return gone > pages.items.length
            ? yield* replace(pages.items, next)
            : yield* replaceFirst(reached, pages.items)
        }
      } while (pages.next !== null && pages.count < maxRefreshPages)
      unconnected = undefined
      return yield* replace(pages.items, pages.next)
    })

    const refresh = Effect.gen(function* () {
      if (state.items.length === 0) return yield* restart
      if (options.order === "asc") {
        const { items, next } = yield* load(lastFrom)
        const again = new Set(items.map(options.key))
        yield* replace([...state.items.filter((item) => !again.has(options.key(item))), ...items], next)
        return yield* loadItems(options.size - items.length)
      }
      const left = unconnected
      if (left !== undefined) {
        yield* Effect.onError(connect(left), () =>
          Effect.sync(() => {
            // The cursor may have expired: if the refresh made no progress, the next one starts at the top.
            if (unconnected === left) unconnected = undefined
          })
        )
      }
      return yield* connect(undefined)
    })

    return {
      now: () => state,
      first: lock.withPermit(Effect.suspend(() => (state.asOf === undefined ? restart : Effect.succeed(state)))),
      more: lock.withPermit(Effect.suspend(() => (state.asOf === undefined ? restart : loadItems(options.size)))),
      refresh: lock.withPermit(refresh)
    }
  })

/** Loads a new listing with as many items as the earlier one, for lists whose items can change anywhere. */
export const reloadListing = Effect.fnUntraced(function* <A, E, R>(
  before: Listing<A, E> | undefined,
  make: Effect.Effect<Listing<A, E>, never, R>
): Effect.fn.Return<Listing<A, E>, E, R> {
  const next = yield* make
  const count = before?.now().items.length ?? 0
  while ((yield* next.more).items.length < count && next.now().hasMore);
  return next
})

/**
 * Merges listings, newest first. An item is shown once every listing has loaded all items up to its time, so that only
 * new items can appear above visible ones.
 */
export const mergeListings = <A, E>(options: {
  readonly listings: ReadonlyArray<Listing<A, E>>
  readonly key: (item: A) => string
  /** A string that sorts by time. */
  readonly time: (item: A) => string
  readonly combine: (a: A, b: A) => A
  readonly size: number
}): Listing<A, E> => {
  const { key, listings, time } = options

  // Cached until one of the listings changes.
  let merged: { readonly of: ReadonlyArray<Listed<A>>; readonly listed: Listed<A> } | undefined

  const now = (): Listed<A> => {
    const states = listings.map((listing) => listing.now())
    if (merged?.of.every((state, index) => state === states[index]) !== true) {
      merged = { of: states, listed: merge(states) }
    }
    return merged.listed
  }

  const merge = (states: ReadonlyArray<Listed<A>>): Listed<A> => {
    const open = states.filter(({ hasMore }) => hasMore)
    const horizon = open.map(lastTime).reduce((latest, at) => (at > latest ? at : latest), "")
    const byKey = new Map<string, A>()
    for (const item of states.flatMap(({ items }) => items)) {
      const twin = byKey.get(key(item))
      byKey.set(key(item), twin === undefined ? item : options.combine(twin, item))
    }
    const items = [...byKey.values()]
      .filter((item) => time(item) >= horizon)
      .toSorted((a, b) => (time(a) < time(b) ? 1 : time(a) > time(b) ? -1 : 0))
    const times = states.flatMap(({ asOf }) => (asOf === undefined ? [] : [asOf]))
    const isWhole = times.length > 0 && times.length === states.length
    return { items, hasMore: open.length > 0, asOf: isWhole ? Math.min(...times) : undefined }
  }

  const lastTime = ({ items }: Listed<A>) => {
    const last = items.at(-1)
    return last === undefined ? "" : time(last)
  }

  const all = (each: (listing: Listing<A, E>) => Effect.Effect<Listed<A>, E>) =>
    Effect.map(Effect.forEach(listings, each, { concurrency: 2, discard: true }), now)

  return {
    now,
    first: all((listing) => listing.first),
    more: Effect.gen(function* () {
      const before = now().items.length
      for (;;) {
        const open = listings.filter((listing) => listing.now().hasMore)
        if (open.length === 0 || now().items.length >= before + options.size) return now()
        const behind = open.reduce((newest, listing) =>
          lastTime(listing.now()) > lastTime(newest.now()) ? listing : newest
        )
        yield* behind.more
      }
    }),
    refresh: all((listing) => listing.refresh)
  }
}

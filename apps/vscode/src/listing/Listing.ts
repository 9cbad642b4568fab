/** A paged listing as a view holds it: what was loaded, whether there is more, and how old it is. */
import type { Cursor, Order, Page } from "@threat-exposure/core/domain/Page"
import { Clock, Effect, Semaphore } from "effect"

export interface Listed<A> {
  /** The same list grows when more is loaded. */
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
  /** When the newest page came, in milliseconds since 1970; undefined before anything came. */
  readonly asOf: number | undefined
}

export interface Listing<A, E> {
  /** The loaded items. Sends no request. */
  readonly now: () => Listed<A>
  /** Loads the first page unless something is there already. */
  readonly first: Effect.Effect<Listed<A>, E>
  readonly more: Effect.Effect<Listed<A>, E>
  /** Asks for what is new and keeps what was loaded before it. A failure leaves everything as it was. */
  readonly refresh: Effect.Effect<Listed<A>, E>
}

/** The maximum number of pages that a refresh reads to find a known item. */
const mostNewPages = 5

/** `page` gives the page after a cursor; `size` is how many items one load brings at least, where there are as many. */
export const makeListing = <A, E, R>(options: {
  readonly page: (from: Cursor | undefined) => Effect.Effect<Page<A>, E, R>
  readonly key: (item: A) => string
  readonly size: number
  /** `desc`, where none is given: the newest first. */
  readonly order?: Order
}): Effect.Effect<Listing<A, E>, never, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const oneAtATime = yield* Semaphore.make(1)
    let state: Listed<A> & { readonly items: Array<A>; readonly next: Cursor | null } = {
      items: [],
      hasMore: false,
      asOf: undefined,
      next: null
    }
    /** What the last page was asked for with. */
    let last: Cursor | undefined
    /** The keys of the loaded items: to build it again for each of a thousand pages would cost more than the pages. */
    let keys = new Set<string>()

    const page = (from: Cursor | undefined) => Effect.provideContext(options.page(from), context)

    const pages = Effect.fnUntraced(function* (from: Cursor | undefined) {
      const items: Array<A> = []
      let cursor = from
      for (;;) {
        const { items: found, next }: Page<A> = yield* page(cursor)
        last = cursor
        items.push(...found)
        if (next === null || items.length >= options.size) return { items, next }
        cursor = next
      }
    })

    /** The first of those with one key wins. */
    const unknown = (items: ReadonlyArray<A>) =>
      items.filter((item) => {
        const { size } = keys
        return keys.add(options.key(item)).size > size
      })

    const set = Effect.fnUntraced(function* (items: ReadonlyArray<A>, next: Cursor | null) {
      keys = new Set()
      state = { items: unknown(items), next, hasMore: next !== null, asOf: yield* Clock.currentTimeMillis }
      return state
    })

    const append = (items: ReadonlyArray<A>, next: Cursor | null) => {
      // In place: a copy of all items for each page would cost as much as the page.
      state.items.push(...unknown(items))
      state = { ...state, next, hasMore: next !== null }
      return state
    }

    const restart = Effect.flatMap(pages(undefined), ({ items, next }) => set(items, next))

    const first = Effect.suspend(() => (state.asOf === undefined ? restart : Effect.succeed(state)))

    const more = Effect.suspend(() => {
      if (state.asOf === undefined) return restart
      if (state.next === null) return Effect.succeed(state)
      return Effect.map(pages(state.next), ({ items, next }) => append(items, next))
    })

    const refresh = Effect.gen(function* () {
      if (state.items.length === 0) return yield* restart
      if (options.order === "asc") {
        const { items, next } = yield* pages(last)
        const again = new Set(items.map(options.key))
        return yield* set([...state.items.filter((item) => !again.has(options.key(item))), ...items], next)
      }
      const known = new Map(state.items.map((item, index) => [options.key(item), index]))
      const fresh: Array<A> = []
      let cursor: Cursor | undefined
      for (let read = 0; read < mostNewPages; read++) {
        const { items, next }: Page<A> = yield* page(cursor)
        fresh.push(...items)
        if (items.some((item) => known.has(options.key(item)))) {
          const reached = Math.max(-1, ...items.slice(-1).map((item) => known.get(options.key(item)) ?? -1))
          const again = new Set(fresh.map(options.key))
          const gone = state.items.slice(0, reached + 1).filter((item) => !again.has(options.key(item))).length
          // A few missing items were deleted; if many are missing, the listing has moved on, so it is loaded again.
          return gone > fresh.length
            ? yield* set(fresh, next)
            : yield* set([...fresh, ...state.items.slice(reached + 1)], state.next)
        }
        if (next === null) return yield* set(fresh, null)
        cursor = next
      }
      return yield* set(fresh, cursor ?? null)
    })

    return {
      now: () => state,
      first: oneAtATime.withPermit(first),
      more: oneAtATime.withPermit(more),
      refresh: oneAtATime.withPermit(refresh)
    }
  })

/**
 * Several listings as one, newest first: an item is shown once every listing has been read down to its time, so that
 * nothing appears above what is there already but what is new.
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

  // Rebuilt only if one of the listings has changed.
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

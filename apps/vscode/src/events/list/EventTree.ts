/** Creates the rows of a listing of events: grouped, with new events marked, and a row to load more. */
import { Clock, Effect } from "effect"
import type { Listed, Listing } from "../../listing/Listing.ts"
import { count, number, t } from "../../words/Localisation.ts"
import type { Failure } from "../../editor/Problem.ts"
import { RowAction } from "../../editor/tree/Subject.ts"
import { TreeNode } from "../../editor/tree/TreeNode.ts"
import type { ServiceView } from "../../connection/ServiceView.ts"
import { eventRow } from "./EventRow.ts"
import { leakRow } from "./LeakRow.ts"
import type { AnyEvent } from "../AnyEvent.ts"
import { EventSubject, LeakOfDaySubject } from "../EventSubjects.ts"
import { groupEvents, type Grouping, withLeaksOfDay } from "./EventGroups.ts"

export interface EventDisplay {
  readonly grouping: Grouping
  readonly masked: boolean
  readonly isNew: (uid: string) => boolean
}

/** Maximum number of rows without folders: the editor receives all rows of an expanded row at once. */
const maxFlat = 400
/** The size of the folders into which more rows are split. */
const chunk = 100

export interface EventRowsOptions {
  readonly owner: string
  readonly listing: Listing<AnyEvent, Failure>
  readonly look: EventDisplay
  readonly view: ServiceView
}

/** The number of loaded events; "10+" means that there are more. */
export const loadedText = (listing: EventRowsOptions["listing"] | undefined): string => {
  const listed = listing?.now()
  return listed?.asOf === undefined ? "" : `${number(listed.items.length)}${listed.hasMore ? "+" : ""}`
}

/**
 * Delay before a folder is drawn again. If the editor does not have its rows yet, it would forget them, and clicks and
 * menus would reach no row.
 */
const waitForRows = "500 millis"

/**
 * Creates the rows of a folder, and draws the folder again if the number of loaded events in its own row has changed.
 */
export const countedRows = <R>(
  folder: {
    readonly id: string
    readonly view: ServiceView
    /** Undefined before the rows are created. */
    readonly listing: () => EventRowsOptions["listing"] | undefined
  },
  rows: Effect.Effect<ReadonlyArray<TreeNode>, Failure, R>
): Effect.Effect<ReadonlyArray<TreeNode>, Failure, R> =>
  Effect.suspend(() => {
    // Compare with the text that the row shows. Some listings load while they are created, and the row must be drawn
    // again.
    const before = loadedText(folder.listing())
    return Effect.tap(rows, () =>
      loadedText(folder.listing()) === before
        ? Effect.void
        : Effect.forkDetach(Effect.delay(folder.view.tree.refresh(folder.id), waitForRows))
    )
  })

/** Creates the rows. Loads the first page if nothing is loaded yet. */
export const eventRows = (options: EventRowsOptions): Effect.Effect<ReadonlyArray<TreeNode>, Failure> =>
  Effect.flatMap(options.listing.first, (listed) => rowsOfListed(options, listed))

/** Rows of events that are already loaded, after a failure: other identifiers may have answered. */
export const loadedEventRows = (options: EventRowsOptions): Effect.Effect<ReadonlyArray<TreeNode>> =>
  Effect.suspend(() => {
    const listed = options.listing.now()
    return listed.items.length === 0 ? Effect.succeed([]) : rowsOfListed(options, listed)
  })

const rowsOfListed = ({ listing, look, owner, view }: EventRowsOptions, { hasMore, items }: Listed<AnyEvent>) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const rowOf = (parent: string, event: AnyEvent) =>
      new TreeNode(
        eventRow(event, {
          id: `${parent}/${event.metadata.uid}`,
          now,
          masked: look.masked,
          isNew: look.isNew(event.metadata.uid)
        }),
        { subject: new EventSubject(event) }
      )

    const rowsOf = (parent: string, events: ReadonlyArray<AnyEvent>): ReadonlyArray<TreeNode> => {
      for (const { metadata } of events) view.noteTime(owner, metadata.estimated_created_at, now)
      return withLeaksOfDay(events).map((entry) => {
        if ("metadata" in entry) return rowOf(parent, entry)
        const id = `${parent}/leak:${entry.key}`
        const isNew = entry.events.some(({ metadata }) => look.isNew(metadata.uid))
        return new TreeNode(leakRow(entry, { id, now, masked: look.masked, isNew }), {
          subject: new LeakOfDaySubject(entry.events),
          children: Effect.sync(() => entry.events.map((event) => rowOf(id, event)))
        })
      })
    }

    const inChunks = (parent: string, events: ReadonlyArray<AnyEvent>): ReadonlyArray<TreeNode> =>
      events.length <= maxFlat
        ? rowsOf(parent, events)
        : Array.from({ length: Math.ceil(events.length / chunk) }, (_, index) => {
            const size = Math.min(chunk, events.length - index * chunk)
            const id = `${parent}/${index * chunk}`
            return new TreeNode(
              {
                id,
                label: t("{0} to {1}", number(index * chunk + 1), number(index * chunk + size)),
                icon: { id: "list-unordered" },
                state: "closed"
              },
              { children: Effect.sync(() => rowsOf(id, events.slice(index * chunk, index * chunk + size))) }
            )
          })

    const rows =
      look.grouping === "none"
        ? inChunks(owner, items)
        : groupEvents(items, look.grouping).map((group) => {
            const id = `${owner}/${look.grouping}:${group.key}`
            const size = group.events.length
            const inWords = hasMore
              ? count(size, "{0} event loaded so far", "{0} events loaded so far")
              : count(size, "{0} event", "{0} events")
            return new TreeNode(
              {
                id,
                label: group.label,
                // Number of loaded events; "+" means that there are more.
                description: `${number(size)}${hasMore ? "+" : ""}`,
                tooltip: () => `${group.label}\n${inWords}`,
                accessibleLabel: `${group.label}, ${inWords}`,
                icon: group.icon,
                // The editor requests the children of all expanded rows at once.
                state: items.length <= maxFlat ? "open" : "closed"
              },
              { children: Effect.sync(() => inChunks(id, group.events)) }
            )
          })
    if (items.length === 0 && !hasMore) return [nothingRow(owner)]
    return hasMore ? [...rows, moreRow(owner, items.length, listing, view)] : rows
  })

const nothingRow = (owner: string) =>
  new TreeNode({ id: `${owner}/nothing`, label: t("No events match."), icon: { id: "pass" }, state: "leaf" })

/** A row to load more. `owner` is the id of the parent row or, at the top level, the view's name and a colon. */
export const moreRow = (owner: string, loaded: number, listing: Listing<unknown, Failure>, view: ServiceView) => {
  const owners = owner.endsWith(":") ? [] : [owner]
  const load = view.refresh(listing.more, () => listing.now().asOf, ...owners)
  return new TreeNode(
    {
      id: `${owner}/more`,
      label: t("Load More"),
      description: t("{0} shown", number(loaded)),
      icon: { id: "ellipsis" },
      state: "leaf",
      kinds: ["more"],
      command: { name: "events.loadMore", title: t("Load More") }
    },
    { subject: new RowAction(load) }
  )
}

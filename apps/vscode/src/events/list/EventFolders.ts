/** Creates the rows of the folders in the Events view, and holds the listing of each. */
import { Effect } from "effect"
import type { ServiceView } from "../../connection/ServiceView.ts"
import { TreeNode } from "../../editor/tree/TreeNode.ts"
import type { AnyEvent } from "../AnyEvent.ts"
import type { EventCache } from "../EventCache.ts"
import type { EventFolder } from "./EventFolder.ts"
import { asOfAll, currentListing, type EventListing, refreshLoaded } from "./EventListings.ts"
import {
  countedRows,
  type EventDisplay,
  eventRows,
  type EventRowsOptions,
  loadedEventRows,
  loadedText
} from "./EventTree.ts"

export class EventFolders {
  readonly #cache: EventCache["Service"]
  readonly #display: () => EventDisplay
  readonly #listings = new Map<string, EventListing>()

  constructor(cache: EventCache["Service"], display: () => EventDisplay) {
    this.#cache = cache
    this.#display = display
  }

  /** Ids of the folders that have a listing. */
  get ids(): ReadonlyArray<string> {
    return [...this.#listings.keys()]
  }

  has(id: string): boolean {
    return this.#listings.has(id)
  }

  get hasContent(): boolean {
    return [...this.#listings.values()].some((listing) => {
      const { asOf, items } = listing.now()
      return asOf !== undefined || items.length > 0
    })
  }

  get events(): ReadonlyMap<string, AnyEvent> {
    return new Map(
      [...this.#listings.values()].flatMap((listing) => listing.now().items.map((event) => [event.metadata.uid, event]))
    )
  }

  readonly asOf = () => asOfAll(this.#listings.values())

  readonly refresh = Effect.suspend(() => refreshLoaded(this.#listings.values()))

  /** Discards the listings of these folders, by default of all: they load again when they are drawn. */
  forget(...ids: ReadonlyArray<string>): void {
    if (ids.length === 0) this.#listings.clear()
    for (const id of ids) this.#listings.delete(id)
  }

  row(
    view: ServiceView,
    { description, filter, icon, id, isOpen, isSecret, kinds, label, make, subject }: EventFolder
  ) {
    const listings = this.#listings
    const listingOf = Effect.suspend(() => {
      const made = listings.get(id)
      return made === undefined
        ? Effect.map(make, (listing) => {
            const current = currentListing(listing, this.#cache, filter)
            listings.set(id, current)
            return current
          })
        : Effect.succeed(made)
    })
    const optionsOf = (listing: EventListing): EventRowsOptions => {
      const display = this.#display()
      return { owner: id, listing, look: { ...display, masked: display.masked || isSecret === true }, view }
    }
    return new TreeNode(
      {
        id,
        label,
        // A getter, because the editor reads it at each drawing of the row.
        get description() {
          return [loadedText(listings.get(id)), description()].filter((part) => part !== "").join(" · ")
        },
        icon: { id: icon },
        state: isOpen ? "open" : "closed",
        kinds
      },
      {
        subject,
        children: view.under(
          id,
          countedRows(
            { id, view, listing: () => listings.get(id) },
            Effect.flatMap(listingOf, (listing) => eventRows(optionsOf(listing)))
          ),
          Effect.suspend(() => {
            const listing = listings.get(id)
            return listing === undefined ? Effect.succeed([]) : loadedEventRows(optionsOf(listing))
          })
        )
      }
    )
  }
}

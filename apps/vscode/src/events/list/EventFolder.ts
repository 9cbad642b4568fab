/** The folders of the Events view: selection, searches, and all identifiers. */
import type { EventQuery } from "@threat-exposure/core/domain/Event"
import type { Effect } from "effect"
import type { Subject } from "../../editor/tree/Subject.ts"
import type { IdentifierEntry } from "../../register/RegisterEntries.ts"
import { count, number, t } from "../../words/Localisation.ts"
import type { EventCache } from "../EventCache.ts"
import { AllIdentifiersSubject, SavedSearchSubject, SelectionSubject } from "../EventSubjects.ts"
import { defaultFilter, type EventFilter } from "../search/EventFilter.ts"
import { describeQuery, type SavedSearch } from "../search/SavedSearch.ts"
import { type EventListing, type EventListings, maxIdentifiers } from "./EventListings.ts"
import { describeSelection, type EventSelection, listingOfSelection } from "./EventSelection.ts"

export interface EventFolder {
  readonly id: string
  readonly label: string
  readonly description: () => string
  readonly icon: string
  readonly isOpen: boolean
  /** Whether the query contains a secret, which the labels of events would show: they are masked. */
  readonly isSecret?: boolean
  readonly kinds: ReadonlyArray<string>
  readonly subject: Subject
  /** Filter by state that the view applies to the events. */
  readonly filter: EventFilter
  readonly make: Effect.Effect<EventListing>
}

export const selectionId = "events:selection"
export const unsavedId = "events:unsavedSearch"
export const allId = "events:all"

export interface FolderOptions {
  /** Filter of the view. */
  readonly filter: EventFilter
  /** Masks names if masking is on. */
  readonly hide: (text: string) => string
  readonly source: EventListings["Service"]
}

/** Folder of the loaded events that a summary links to. */
export const selectionFolder = (
  selection: EventSelection,
  cache: EventCache["Service"],
  { hide }: FolderOptions
): EventFolder => ({
  id: selectionId,
  label: describeSelection(selection, hide),
  description: () => t("of the loaded events"),
  icon: "graph",
  isOpen: true,
  kinds: ["selection"],
  subject: new SelectionSubject(),
  // Summaries count open events, independently of the filter of the view.
  filter: defaultFilter,
  make: listingOfSelection(cache, selection)
})

export const unsavedFolder = (
  search: SavedSearch,
  query: EventQuery,
  { filter, hide, source }: FolderOptions
): EventFolder => {
  const isSecret = query.type === "secret" || query.type === "credentials"
  return {
    id: unsavedId,
    label: describeQuery(query, hide),
    description: () => t("not saved"),
    icon: "search-fuzzy",
    isOpen: true,
    isSecret,
    kinds: ["unsavedSearch", "exportable", ...(isSecret ? [] : ["keepable"])],
    subject: new SavedSearchSubject(search),
    filter,
    make: source.ofSearch(search, filter)
  }
}

export const identifiersFolder = (
  identifiers: ReadonlyArray<IdentifierEntry>,
  /** Listings by the id of their identifier. */
  listings: Map<number, EventListing>,
  showProgress: (text: string | undefined) => Effect.Effect<void>,
  { filter, source }: FolderOptions
): EventFolder => ({
  id: allId,
  label: t("All Identifiers"),
  description: () =>
    source.lacksTenant() && identifiers.length > maxIdentifiers
      ? t("the first {0} of {1}", number(maxIdentifiers), number(identifiers.length))
      : count(identifiers.length, "{0} identifier", "{0} identifiers"),
  icon: "organization",
  isOpen: true,
  kinds: ["exportable"],
  subject: new AllIdentifiersSubject(),
  filter,
  make: source.ofAll(identifiers, filter, listings, (answered, total) =>
    showProgress(answered < total ? t("Identifiers loaded: {0} of {1}", number(answered), number(total)) : undefined)
  )
})

export const searchFolder = (
  search: SavedSearch,
  isOpen: boolean,
  { filter, hide, source }: FolderOptions
): EventFolder => ({
  id: `events:search:${search.name}`,
  label: hide(search.name),
  description: () => {
    const words = search.query === undefined ? t("everything") : describeQuery(search.query, hide)
    // The description adds only what the name does not say.
    return words === search.name ? "" : words
  },
  icon: "search",
  isOpen,
  kinds: ["savedSearch", "exportable"],
  subject: new SavedSearchSubject(search),
  filter,
  make: source.ofSearch(search, filter)
})

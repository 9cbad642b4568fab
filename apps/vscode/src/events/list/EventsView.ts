/** The Events view: saved searches as folders, and what was matched to the identifiers known here. */
import { Clock, Effect, Layer, Option, Predicate, Schema, Stream } from "effect"
import { Commands, ofKind } from "../../editor/Commands.ts"
import { Editor } from "../../editor/Editor.ts"
import { Register } from "../../register/Register.ts"
import { nextChange } from "../../words/Dates.ts"
import { count, number, t } from "../../words/Localisation.ts"
import { maskText } from "../../words/Mask.ts"
import { masking, Settings } from "../../editor/Settings.ts"
import { recall } from "../../editor/Memento.ts"
import { RowAction, type Subject } from "../../editor/tree/Subject.ts"
import { Trees } from "../../editor/tree/Trees.ts"
import { TreeNode } from "../../editor/tree/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../../connection/ServiceView.ts"
import { defaultFilter, describe, type EventFilter, isDefault, keptFilter } from "../search/EventFilter.ts"
import { describeSelection, EventSelection, listingOfSelection } from "./EventSelection.ts"
import { countedRows, eventRows, type EventRowsOptions, loadedEventRows, loadedText } from "./EventTree.ts"
import { watchNews } from "./NewEvents.ts"
import {
  asOfAll,
  currentListing,
  type EventListing,
  EventListings,
  maxIdentifiers,
  refreshLoaded
} from "./EventListings.ts"
import { describeQuery, type Fault, readSearches, type SavedSearch } from "../search/SavedSearch.ts"
import { AllIdentifiersSubject, SavedSearchSubject, SelectionSubject } from "../EventSubjects.ts"
import { EventCache } from "../EventCache.ts"
import { Triage } from "../triage/Triage.ts"
import { registerTriage } from "../triage/TriageCommands.ts"
import { type AnyEvent, stateOf } from "../AnyEvent.ts"
import { type Grouping, groupings } from "./EventGroups.ts"
import * as eventSettings from "../EventSettings.ts"

const groupingNames: Readonly<Record<Grouping, string>> = {
  none: "No grouping",
  severity: "Severity",
  type: "Type",
  day: "Day",
  source: "Source"
}

/** A summary counts open events, whatever the filter of the view is. */
const selectionId = "events:selection"

const form = Effect.promise(() => import("../search/EventForms.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventListings
    const seen = yield* EventCache
    const trees = yield* Trees

    let filter = yield* keptFilter
    let grouping: Grouping = yield* recall("here", "events.grouping", Schema.Literals(groupings), "none")
    let masked = false
    /** By uid: events that a background refresh found and nobody has opened yet. */
    const scope = yield* Effect.scope
    /** The identifiers that the rows were drawn from. */
    let drawnIds = ""
    const fresh = new Set<string>()
    /** A search that is not saved: a search by secret cannot be. */
    let unsavedSearch: SavedSearch | undefined
    /** The loaded events that a summary links to. */
    let selection: EventSelection | undefined
    const listings = new Map<string, EventListing>()
    const ofIdentifiers = new Map<number, EventListing>()
    const hide = (text: string) => (masked ? maskText(text) : text)
    /** Details that the name does not contain. */
    const describeSearch = ({ name, query }: SavedSearch) => {
      const words = query === undefined ? t("everything") : describeQuery(query, hide)
      return words === name ? "" : words
    }
    const forget = () => {
      listings.clear()
      ofIdentifiers.clear()
    }

    const listingOf = Effect.fnUntraced(function* (id: string, make: Effect.Effect<EventListing>) {
      const made = listings.get(id) ?? currentListing(yield* make, seen, id === selectionId ? defaultFilter : filter)
      listings.set(id, made)
      return made
    })

    const folder = (
      view: ServiceView,
      row: {
        readonly id: string
        readonly label: string
        readonly description: string
        readonly icon: string
        readonly isOpen: boolean
        /** The match is a secret, and the labels would show it. */
        readonly isSecret?: boolean
        readonly kinds: ReadonlyArray<string>
      },
      subject: Subject,
      make: Effect.Effect<EventListing>
    ) => {
      const optionsOf = (listing: EventListing): EventRowsOptions => ({
        owner: row.id,
        listing,
        look: { grouping, masked: masked || row.isSecret === true, isNew: (uid) => fresh.has(uid) },
        view
      })
      return new TreeNode(
        {
          id: row.id,
          label: row.label,
          // Read each time that the row is drawn.
          get description() {
            return [loadedText(listings.get(row.id)), row.description].filter((part) => part !== "").join(" · ")
          },
          icon: { id: row.icon },
          state: row.isOpen ? "open" : "closed",
          kinds: row.kinds
        },
        {
          subject,
          children: view.under(
            row.id,
            countedRows(
              { id: row.id, view, listing: () => listings.get(row.id) },
              Effect.flatMap(listingOf(row.id, make), (listing) => eventRows(optionsOf(listing)))
            ),
            Effect.suspend(() => {
              const listing = listings.get(row.id)
              return listing === undefined ? Effect.succeed([]) : loadedEventRows(optionsOf(listing))
            })
          )
        }
      )
    }

    const view: ServiceView = yield* makeServiceView({
      name: "events",
      loading: t("Loading events"),
      hasContent: () =>
        [...listings.values()].some((listing) => listing.now().asOf !== undefined || listing.now().items.length > 0),
      reset: Effect.suspend(() => {
        forget()
        fresh.clear()
        unsavedSearch = undefined
        selection = undefined
        return showBadge
      }),
      roots: Effect.fnUntraced(function* (view) {
        masked = yield* settings.get(masking)
        const identifiers = yield* register.identifiers
        drawnIds = identifiers.map(({ id }) => id).join()
        const searches = yield* settings.get(eventSettings.savedSearches)
        // Not awaited: the view is drawn again once they are listed.
        if (identifiers.length + searches.length === 0) yield* Effect.forkIn(Effect.ignore(register.isListed), scope)
        const { faults } = readSearches(yield* editor.setting("savedSearches"))
        yield* showFilter
        const isSecret = unsavedSearch?.query?.type === "secret" || unsavedSearch?.query?.type === "credentials"
        return [
          ...(selection === undefined
            ? []
            : [
                folder(
                  view,
                  {
                    id: selectionId,
                    label: describeSelection(selection, hide),
                    description: t("of the loaded events"),
                    icon: "graph",
                    isOpen: true,
                    kinds: ["selection"]
                  },
                  new SelectionSubject(),
                  listingOfSelection(seen, selection)
                )
              ]),
          ...(unsavedSearch?.query === undefined
            ? []
            : [
                folder(
                  view,
                  {
                    id: "events:unsavedSearch",
                    label: describeQuery(unsavedSearch.query, hide),
                    description: t("not saved"),
                    icon: "search-fuzzy",
                    isOpen: true,
                    isSecret,
                    kinds: ["unsavedSearch", "exportable", ...(isSecret ? [] : ["keepable"])]
                  },
                  new SavedSearchSubject(unsavedSearch),
                  source.ofSearch(unsavedSearch, filter)
                )
              ]),
          ...(identifiers.length === 0
            ? []
            : [
                folder(
                  view,
                  {
                    id: "events:all",
                    label: t("All Identifiers"),
                    description:
                      identifiers.length > maxIdentifiers
                        ? t("the first {0} of {1}", number(maxIdentifiers), number(identifiers.length))
                        : count(identifiers.length, "{0} identifier", "{0} identifiers"),
                    icon: "organization",
                    isOpen: true,
                    kinds: ["exportable"]
                  },
                  new AllIdentifiersSubject(),
                  source.ofIdentifiers(identifiers, filter, ofIdentifiers, (asked, total) =>
                    view.showProgress(
                      asked < total ? t("{0} of {1} identifiers loaded", number(asked), number(total)) : undefined
                    )
                  )
                )
              ]),
          ...searches.map((search, index) =>
            folder(
              view,
              {
                id: `events:search:${search.name}`,
                label: hide(search.name),
                description: describeSearch(search),
                icon: "search",
                isOpen: identifiers.length === 0 && index === 0,
                kinds: ["savedSearch", "exportable"]
              },
              new SavedSearchSubject(search),
              source.ofSearch(search, filter)
            )
          ),
          ...faults.map(faultRow)
        ]
      })
    })

    const showBadge = Effect.suspend(() => {
      const open = [...fresh].filter((uid) => {
        const event = seen.get(uid)
        return event === undefined || stateOf(event) === "open"
      }).length
      const tooltip = count(open, "{0} new open event", "{0} new open events")
      return view.tree.setBadge(open === 0 ? undefined : { value: open, tooltip })
    })

    const showFilter = Effect.suspend(() =>
      Effect.andThen(
        editor.setContext("events.filtered", !isDefault(filter)),
        view.tree.setDescription(describe(filter))
      )
    )

    const startAgain = Effect.suspend(() => {
      forget()
      return view.retry
    })

    const setFilter = Effect.fnUntraced(function* (next: EventFilter) {
      filter = next
      yield* editor.remember("here", "events.filter", next)
      yield* showFilter
      yield* startAgain
    })

    // The ages on the rows are as of the last drawing.
    yield* Stream.tick("1 minute").pipe(
      Stream.drop(1),
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          const now = yield* Clock.currentTimeMillis
          const ages = [...events().values()].map(({ metadata }) => metadata.estimated_created_at)
          if (nextChange(ages, now - 60_000) > now || !(yield* view.tree.visible)) return
          yield* view.tree.refresh(...listings.keys())
        })
      ),
      Effect.forkScoped
    )

    const asOf = () => asOfAll(listings.values())

    const events = () =>
      new Map(
        [...listings.values()].flatMap((listing) => listing.now().items.map((event) => [event.metadata.uid, event]))
      )

    const refresh = Effect.suspend(() => refreshLoaded(listings.values()))

    yield* commands.on("events.loadMore", ({ args: [id] }) => {
      const subject = Predicate.isString(id) ? trees.row(id)?.subject : undefined
      return subject instanceof RowAction ? subject.run : Effect.void
    })
    yield* commands.on("events.refresh", () =>
      Effect.suspend(() => {
        fresh.clear()
        return Effect.andThen(showBadge, view.refresh(refresh, asOf, ...listings.keys()))
      })
    )

    yield* commands.on(
      "events.filter",
      Effect.fnUntraced(function* () {
        const { editFilter } = yield* form
        const asked = editFilter(filter, t("Filter Events"), "identifiers")
        yield* setFilter(yield* Effect.provideService(asked, Editor, editor))
      })
    )
    yield* commands.on("events.clearFilter", () => setFilter(defaultFilter))

    yield* commands.on(
      "events.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Events By") }
        )
        yield* view.tree.refresh(...listings.keys())
        yield* editor.remember("here", "events.grouping", grouping)
      })
    )

    yield* commands.on(
      "events.searchBy",
      Effect.fnUntraced(function* () {
        const { askSearch } = yield* form
        const { filter, query } = yield* askSearch(editor)
        unsavedSearch = { name: describeQuery(query), query, filters: filter }
        listings.delete("events:unsavedSearch")
        yield* view.retry
        yield* editor.execute("threatExposure.events.focus")
      })
    )

    yield* commands.on("events.closeSearch", ({ subjects }) =>
      Effect.suspend(() => {
        if (ofKind(subjects, SelectionSubject).length > 0) {
          selection = undefined
          listings.delete(selectionId)
        } else {
          unsavedSearch = undefined
          listings.delete("events:unsavedSearch")
        }
        return view.retry
      })
    )

    yield* commands.on("events.showSelection", ({ args: [given] }) =>
      Effect.suspend(() => {
        const next = Schema.decodeUnknownOption(EventSelection)(given)
        if (Option.isNone(next)) return Effect.void
        selection = next.value
        listings.delete(selectionId)
        return Effect.andThen(view.retry, editor.execute("threatExposure.events.focus"))
      })
    )

    yield* seen.opened.pipe(
      Stream.filter((uid) => fresh.delete(uid)),
      Stream.runForEach(() => Effect.andThen(showBadge, view.tree.refresh(...listings.keys()))),
      Effect.forkScoped
    )

    // The events behind a number are loaded while it is looked at.
    yield* Stream.debounce(seen.changes, "500 millis").pipe(
      Stream.filter(() => listings.has(selectionId)),
      Stream.runForEach(() => view.tree.refresh(selectionId)),
      Effect.forkScoped
    )
    yield* registerTriage(view.tree)
    yield* seen.amended.pipe(
      Stream.runForEach(() => Effect.andThen(showBadge, view.tree.refresh(...listings.keys()))),
      Effect.forkScoped
    )
    let unsentSince: number | undefined
    yield* (yield* Triage).unsent.pipe(
      Stream.switchMap((unsent) =>
        Stream.fromEffect(
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            unsentSince = unsent === 0 ? undefined : (unsentSince ?? now)
            // A few changes are sent too quickly for a message.
            if (unsentSince !== undefined) yield* Effect.sleep(Math.max(0, unsentSince + 1000 - now))
            return unsent
          })
        )
      ),
      Stream.runForEach((unsent) =>
        view.showProgress(unsent === 0 ? undefined : count(unsent, "Sending {0} change", "Sending {0} changes"))
      ),
      Effect.forkScoped
    )

    yield* settings.changesOf(eventSettings.savedSearches, eventSettings.pageSize).pipe(
      Stream.runForEach(() => startAgain),
      Effect.forkScoped
    )

    yield* register.changes.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          const ids = (yield* register.identifiers).map(({ id }) => id).join()
          if (ids === drawnIds) return
          listings.delete("events:all")
          yield* view.retry
        })
      ),
      Effect.forkScoped
    )

    yield* watchNews(
      view,
      Effect.gen(function* () {
        let news: ReadonlyArray<AnyEvent> = []
        // Only of the loaded events: the rest was not requested.
        if (listings.size > 0) {
          const before = events()
          // Before it is drawn, and also where one of the folders fails.
          const note = Effect.sync(() => {
            news = [...events().values()].filter(({ metadata }) => !before.has(metadata.uid))
            for (const { metadata } of news) fresh.add(metadata.uid)
          })
          yield* view.renew(Effect.ensuring(refresh, note), asOf, ...listings.keys())
        }
        yield* showBadge
        return news
      })
    )
  })
)

const faultRow = ({ entry, fault }: Fault) =>
  new TreeNode({
    id: `events:fault:${entry}`,
    label: t("Saved search {0}", entry),
    description: fault,
    tooltip: () => t("Saved search {0} in the settings is ignored: {1}", entry, fault),
    icon: { id: "warning" },
    state: "leaf",
    command: { name: "events.editSettings", title: t("Open Settings") }
  })

/** The Events view: saved searches as folders, and the events of the known identifiers. */
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { Commands, ofKind } from "../../editor/Commands.ts"
import { Editor } from "../../editor/Editor.ts"
import { Register } from "../../register/Register.ts"
import { t } from "../../words/Localisation.ts"
import { maskText } from "../../words/Mask.ts"
import { masking, Settings } from "../../editor/Settings.ts"
import { recall } from "../../editor/Memento.ts"
import { RowAction } from "../../editor/tree/Subject.ts"
import { TreeNode } from "../../editor/tree/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../../connection/ServiceView.ts"
import { defaultFilter, describe, type EventFilter, isDefault, keptFilter } from "../search/EventFilter.ts"
import {
  allId,
  type FolderOptions,
  identifiersFolder,
  searchFolder,
  selectionFolder,
  selectionId,
  unsavedFolder,
  unsavedId
} from "./EventFolder.ts"
import { EventFolders } from "./EventFolders.ts"
import { type EventListing, EventListings } from "./EventListings.ts"
import { EventSelection } from "./EventSelection.ts"
import { FreshEvents } from "./FreshEvents.ts"
import { watchNews } from "./NewEvents.ts"
import { describeQuery, type Fault, readSearches, type SavedSearch } from "../search/SavedSearch.ts"
import { SelectionSubject } from "../EventSubjects.ts"
import { EventCache } from "../EventCache.ts"
import { registerTriage } from "../triage/TriageCommands.ts"
import type { AnyEvent } from "../AnyEvent.ts"
import { type Grouping, groupings } from "./EventGroups.ts"
import * as eventSettings from "../EventSettings.ts"

const groupingNames: Readonly<Record<Grouping, string>> = {
  none: "No grouping",
  severity: "Severity",
  type: "Type",
  day: "Day",
  source: "Source"
}

const form = Effect.promise(() => import("../search/EventForms.ts"))

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventListings
    const seen = yield* EventCache

    let filter = yield* keptFilter
    let grouping: Grouping = yield* recall("here", "events.grouping", Schema.Literals(groupings), "none")
    let masked = false
    /** The basis of the rows that were last drawn: whether identifiers may be listed, and their ids. */
    let drawn = ""
    const basisOf = (identifiers: ReadonlyArray<{ readonly id: number }>) =>
      [
        ...(register.refusal("identifiers")?._tag === "Forbidden" ? ["forbidden"] : []),
        ...identifiers.map(({ id }) => id)
      ].join()
    const fresh = new FreshEvents(seen)
    /** A search that is not saved, such as one by secret, which cannot be saved. */
    let unsavedSearch: SavedSearch | undefined
    /** The loaded events that a summary linked to. */
    let selection: EventSelection | undefined
    const folders = new EventFolders(seen, () => ({ grouping, masked, isNew: fresh.has }))
    const ofIdentifiers = new Map<number, EventListing>()
    const hide = (text: string) => (masked ? maskText(text) : text)
    const forget = () => {
      folders.forget()
      ofIdentifiers.clear()
    }

    const view: ServiceView = yield* makeServiceView({
      name: "events",
      loading: t("Loading events"),
      hasContent: () => folders.hasContent,
      reset: Effect.suspend(() => {
        forget()
        fresh.clear()
        unsavedSearch = undefined
        selection = undefined
        return showBadge
      }),
      roots: Effect.fnUntraced(function* (view) {
        masked = yield* settings.get(masking)
        const searches = yield* settings.get(eventSettings.savedSearches)
        if ((yield* register.identifiers).length === 0) {
          // The view is empty only if the service says that there is no identifier.
          const hasOthers = searches.length > 0 || unsavedSearch !== undefined || selection !== undefined
          yield* hasOthers ? Effect.ignore(register.isListed) : register.isListed
        }
        const identifiers = yield* register.identifiers
        drawn = basisOf(identifiers)
        const showsAll = drawn !== ""
        const { faults } = readSearches(yield* editor.setting("savedSearches"))
        yield* showFilter
        const options: FolderOptions = { filter, hide, source }
        const shown = [
          ...(selection === undefined ? [] : [selectionFolder(selection, seen, options)]),
          ...(unsavedSearch?.query === undefined ? [] : [unsavedFolder(unsavedSearch, unsavedSearch.query, options)]),
          ...(showsAll ? [identifiersFolder(identifiers, ofIdentifiers, view.showProgress, options)] : []),
          ...searches.map((search, index) => searchFolder(search, !showsAll && index === 0, options))
        ]
        return [...shown.map((folder) => folders.row(view, folder)), ...faults.map(faultRow)]
      })
    })

    const showBadge = Effect.suspend(() => fresh.showBadge(view.tree))

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

    yield* commands.on("events.loadMore", ({ subjects }) => ofKind(subjects, RowAction)[0]?.run ?? Effect.void)
    yield* commands.on("events.refresh", () =>
      Effect.suspend(() => {
        fresh.clear()
        return Effect.andThen(showBadge, view.refresh(folders.refresh, folders.asOf, ...folders.ids))
      })
    )

    yield* commands.on(
      "events.filter",
      Effect.fnUntraced(function* () {
        const { editFilter } = yield* form
        const editing = editFilter(filter, t("Filter Events"), "identifiers")
        yield* setFilter(yield* Effect.provideService(editing, Editor, editor))
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
        yield* view.tree.refresh(...folders.ids)
        yield* editor.remember("here", "events.grouping", grouping)
      })
    )

    yield* commands.on(
      "events.searchBy",
      Effect.fnUntraced(function* () {
        const { askSearch } = yield* form
        const { filter, query } = yield* askSearch(editor)
        unsavedSearch = { name: describeQuery(query), query, filters: filter }
        folders.forget(unsavedId)
        yield* view.retry
        yield* editor.execute("threatExposure.events.focus")
      })
    )

    yield* commands.on("events.closeSearch", ({ subjects }) =>
      Effect.suspend(() => {
        if (ofKind(subjects, SelectionSubject).length > 0) {
          selection = undefined
          folders.forget(selectionId)
        } else {
          unsavedSearch = undefined
          folders.forget(unsavedId)
        }
        return view.retry
      })
    )

    yield* commands.on("events.showSelection", ({ args: [given] }) =>
      Effect.suspend(() => {
        const next = Schema.decodeUnknownOption(EventSelection)(given)
        if (Option.isNone(next)) return Effect.void
        selection = next.value
        folders.forget(selectionId)
        return Effect.andThen(view.retry, editor.execute("threatExposure.events.focus"))
      })
    )

    yield* seen.opened.pipe(
      Stream.filter(fresh.open),
      Stream.runForEach(() => Effect.andThen(showBadge, view.tree.refresh(...folders.ids))),
      Effect.forkScoped
    )

    // More events may load while the selection is shown.
    yield* Stream.debounce(seen.changes, "500 millis").pipe(
      Stream.filter(() => folders.has(selectionId)),
      Stream.runForEach(() => view.tree.refresh(selectionId)),
      Effect.forkScoped
    )
    yield* registerTriage(view)
    yield* seen.amended.pipe(
      Stream.runForEach(() => Effect.andThen(showBadge, view.tree.refresh(...folders.ids))),
      Effect.forkScoped
    )
    yield* settings.changesOf(eventSettings.savedSearches, eventSettings.pageSize).pipe(
      Stream.runForEach(() => startAgain),
      Effect.forkScoped
    )

    yield* register.changes.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          if (basisOf(yield* register.identifiers) === drawn) return
          // The listing of the tenant does not depend on its identifiers.
          if (source.lacksTenant()) folders.forget(allId)
          yield* view.retry
        })
      ),
      Effect.forkScoped
    )

    // The tenant has other events once an identifier is created, changed or deleted.
    yield* register.outdated.pipe(
      Stream.filter(() => folders.has(allId)),
      Stream.runForEach(() => {
        folders.forget(allId)
        return view.retry
      }),
      Effect.forkScoped
    )

    yield* watchNews(
      view,
      Effect.gen(function* () {
        let news: ReadonlyArray<AnyEvent> = []
        // Checks loaded folders only: the others were never requested.
        if (folders.ids.length > 0) {
          const before = folders.events
          // Runs before the view is drawn, also if one of the folders fails.
          const note = Effect.sync(() => {
            news = [...folders.events.values()].filter(({ metadata }) => !before.has(metadata.uid))
            for (const { metadata } of news) fresh.add(metadata.uid)
          })
          yield* view.renew(Effect.ensuring(folders.refresh, note), folders.asOf, ...folders.ids)
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

/** The Events view: saved searches as folders, and what was matched to the identifiers known here. */
import { Events } from "@threat-exposure/core/client/Events"
import { isAtLeast } from "@threat-exposure/core/domain/Severity"
import type { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Duration, Effect, Layer, Option, Predicate, Ref, Schema, Stream } from "effect"
import { filled } from "../Checks.ts"
import { Commands } from "../Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../Editor.ts"
import { Register } from "../identifiers/Register.ts"
import { count, t } from "../Localisation.ts"
import { Pages } from "../pages/Pages.ts"
import { Settings } from "../Settings.ts"
import { stored } from "../Stored.ts"
import { TreeNode } from "../tree/TreeNode.ts"
import { makeView, type View } from "../tree/View.ts"
import { describe, EventFilter, isEmpty, nameOfType, noFilter } from "./EventFilter.ts"
import { askQuery, describeQuery, editFilter } from "./EventFilterEditor.ts"
import { eventRows } from "./EventFolder.ts"
import { eventPage, termsOf } from "./EventPage.ts"
import { type AnyEvent, type Grouping, groupings, localTime, severityIcon, severityOf, titleOf } from "./EventRow.ts"
import { type EventListing, EventSource } from "./EventSource.ts"
import type { SavedSearch } from "./SavedSearch.ts"
import { SeenEvents } from "./SeenEvents.ts"

const groupingNames: Readonly<Record<Grouping, string>> = {
  none: "No grouping",
  severity: "Severity",
  type: "Type",
  day: "Day",
  source: "Source"
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const profiles = yield* Profiles
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventSource
    const seen = yield* SeenEvents
    const pages = yield* Pages

    let filter: EventFilter = yield* stored("here", "events.filter", EventFilter, noFilter)
    let grouping: Grouping = yield* stored("here", "events.grouping", Schema.Literals(groupings), "none")
    let masked = yield* settings.get("masking")
    const fresh = new Set<string>()
    /** A search that is not kept: one by a secret cannot be. */
    let passing: SavedSearch | undefined
    const listings = new Map<string, EventListing>()

    const listingOf = Effect.fnUntraced(function* (id: string, make: Effect.Effect<EventListing>) {
      const made = listings.get(id) ?? (yield* make)
      listings.set(id, made)
      return made
    })

    const folder = (
      view: View,
      row: {
        readonly id: string
        readonly label: string
        readonly description?: string
        readonly icon: string
        readonly isOpen: boolean
        /** What matched is a secret, and the labels would show it. */
        readonly isSecret?: boolean
        readonly kinds: ReadonlyArray<string>
      },
      subject: TreeNode["subject"],
      make: Effect.Effect<EventListing>
    ) =>
      new TreeNode(
        {
          id: row.id,
          label: row.label,
          description: row.description,
          icon: { id: row.icon },
          state: row.isOpen ? "open" : "closed",
          kinds: row.kinds
        },
        subject,
        view.under(
          row.id,
          Effect.flatMap(listingOf(row.id, make), (listing) =>
            eventRows({
              owner: row.id,
              listing,
              look: { grouping, masked: masked || row.isSecret === true, isNew: (uid) => fresh.has(uid) },
              view
            })
          )
        )
      )

    const view: View = yield* makeView({
      name: "events",
      hasContent: () => [...listings.values()].some((listing) => listing.now().asOf !== undefined),
      reset: Effect.sync(() => {
        listings.clear()
        fresh.clear()
        passing = undefined
      }),
      roots: Effect.fnUntraced(function* (view) {
        const identifiers = yield* register.identifiers
        const searches = yield* settings.get("savedSearches")
        yield* showFilter
        const isSecret = passing?.query?.type === "secret" || passing?.query?.type === "credentials"
        return [
          ...(passing?.query === undefined
            ? []
            : [
                folder(
                  view,
                  {
                    id: "events:passing",
                    label: t("This Search"),
                    description: describeQuery(passing.query),
                    icon: "search-fuzzy",
                    isOpen: true,
                    isSecret,
                    kinds: ["exportable"]
                  },
                  { _tag: "SavedSearch", search: passing },
                  source.ofSearch(passing, filter)
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
                    description: String(identifiers.length),
                    icon: "organization",
                    isOpen: true,
                    kinds: ["exportable"]
                  },
                  { _tag: "AllIdentifiers" },
                  source.ofIdentifiers(identifiers, filter)
                )
              ]),
          ...searches.map((search, index) =>
            folder(
              view,
              {
                id: `events:search:${search.name}`,
                label: search.name,
                description: search.query === undefined ? t("everything") : describeQuery(search.query),
                icon: "search",
                isOpen: identifiers.length === 0 && index === 0,
                kinds: ["savedSearch", "exportable"]
              },
              { _tag: "SavedSearch", search },
              source.ofSearch(search, filter)
            )
          )
        ]
      })
    })

    const showFilter = Effect.suspend(() =>
      Effect.andThen(editor.setContext("events.filtered", !isEmpty(filter)), viewDescription(describe(filter)))
    )
    const viewDescription = (text: string) => Effect.suspend(() => view.tree.setDescription(text))

    const startAgain = Effect.suspend(() => {
      listings.clear()
      return view.retry
    })

    const setFilter = Effect.fnUntraced(function* (next: EventFilter) {
      filter = next
      yield* editor.store("here", "events.filter", next)
      yield* showFilter
      yield* startAgain
    })

    const asOf = () => {
      const ages = [...listings.values()].flatMap((listing) => listing.now().asOf ?? [])
      return ages.length === 0 ? undefined : Math.min(...ages)
    }

    const uids = () =>
      new Set([...listings.values()].flatMap((listing) => listing.now().items.map(({ metadata }) => metadata.uid)))

    /** Asks every loaded folder for what is new, and gives the new events. */
    const renew = Effect.gen(function* () {
      const before = uids()
      const loaded = [...listings.values()].filter((listing) => listing.now().asOf !== undefined)
      yield* view.renew(
        Effect.forEach(loaded, (listing) => listing.refresh, { discard: true }),
        asOf
      )
      const events = new Map(
        loaded.flatMap((listing) => listing.now().items.map((event) => [event.metadata.uid, event]))
      )
      return [...events.values()].filter(({ metadata }) => !before.has(metadata.uid))
    })

    const clearNews = Effect.suspend(() => {
      fresh.clear()
      return view.tree.setBadge(undefined)
    })

    yield* commands.on("events.refresh", () => Effect.andThen(clearNews, renew))

    yield* commands.on("events.filter", () =>
      Effect.flatMap(
        Effect.provideService(editFilter(filter, t("Filter Events"), "identifiers"), Editor, editor),
        setFilter
      )
    )
    yield* commands.on("events.clearFilter", () => setFilter(noFilter))

    yield* commands.on(
      "events.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Events By") }
        )
        yield* editor.store("here", "events.grouping", grouping)
        yield* view.tree.refresh()
      })
    )

    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    const saveSearch = Effect.fnUntraced(function* (before: SavedSearch | undefined) {
      const title = before === undefined ? t("New Saved Search") : t("Edit Saved Search")
      const searches = yield* settings.get("savedSearches")
      const keep =
        before?.query === undefined
          ? false
          : yield* editor.pick(
              [
                { label: t("Keep the query: {0}", describeQuery(before.query)), value: true },
                { label: t("Another query"), value: false }
              ],
              { title }
            )
      const query = keep ? before?.query : yield* ask(askQuery(title, "saved"))
      const filters = yield* ask(editFilter(before?.filters ?? {}, title, "global"))
      const name = yield* editor.ask({
        title,
        prompt: t("Name of the search"),
        value: before?.name ?? (query === undefined ? "" : describeQuery(query)),
        check: (text) =>
          filled(text) ??
          (text.trim() !== before?.name && searches.some((search) => search.name === text.trim())
            ? t("There is a search of this name already")
            : undefined)
      })
      const search: SavedSearch = {
        name: name.trim(),
        ...(query === undefined ? {} : { query }),
        ...(isEmpty(filters) ? {} : { filters }),
        ...(before?.order === undefined ? {} : { order: before.order })
      }
      const next =
        before === undefined
          ? [...searches, search]
          : searches.map((each) => (each.name === before.name ? search : each))
      yield* settings.set("savedSearches", next)
    })

    yield* commands.on(
      "events.searchBy",
      Effect.fnUntraced(function* () {
        const title = t("Search Events")
        const query = yield* ask(askQuery(title, "any"))
        passing = { name: t("This Search"), query, filters: yield* ask(editFilter(noFilter, title, "global")) }
        listings.delete("events:passing")
        yield* view.retry
        yield* editor.execute("threatExposure.events.focus")
      })
    )
    yield* commands.on("events.saveSearch", () => saveSearch(undefined))
    yield* commands.on("events.editSearch", ({ subjects: [subject] }) =>
      subject?._tag === "SavedSearch" ? saveSearch(subject.search) : Effect.void
    )
    yield* commands.on(
      "events.deleteSearch",
      Effect.fnUntraced(function* ({ subjects }) {
        const names = new Set(
          subjects.flatMap((subject) => (subject._tag === "SavedSearch" ? [subject.search.name] : []))
        )
        const searches = yield* settings.get("savedSearches")
        yield* settings.set(
          "savedSearches",
          searches.filter(({ name }) => !names.has(name))
        )
      })
    )

    yield* commands.on(
      "events.search",
      Effect.fnUntraced(function* () {
        const uid = yield* editor.search(
          {
            title: t("Search Events"),
            placeholder: t("At least three letters; each search uses quota"),
            pause: 600,
            atLeast: 3
          },
          (text) =>
            Effect.gen(function* () {
              const listing = yield* source.ofSearch({ query: { type: "query_string", query_string: text } }, filter)
              const { items } = yield* listing.first
              return items.length === 0
                ? [{ label: t("No events match."), value: "" }]
                : items.map((event) => ({
                    label: masked ? nameOfType(event.metadata.type) : titleOf(event).text,
                    description: `${t(severityOf(event))} · ${nameOfType(event.metadata.type)}`,
                    detail: localTime(event.metadata.estimated_created_at),
                    icon: severityIcon(severityOf(event)).id,
                    value: event.metadata.uid
                  }))
            }).pipe(
              Effect.catch((failure) =>
                Effect.as(editor.log("error", `search: ${failure.message}`), [{ label: failure.message, value: "" }])
              )
            )
        )
        if (uid !== "") yield* open(uid)
      })
    )

    const open = (uid: string) => {
      const event = seen.get(uid)
      const title = event === undefined || masked ? undefined : titleOf(event).text
      return pages.open("event", uid, title ?? (event === undefined ? uid : nameOfType(event.metadata.type)))
    }

    yield* commands.on("events.openPage", ({ args: [uid] }) => (Predicate.isString(uid) ? open(uid) : Effect.void))

    yield* commands.on(
      "events.goTo",
      Effect.fnUntraced(function* () {
        const uid = yield* editor.ask({
          title: t("Go to Event"),
          prompt: t("The event's uid, such as leak/source/1234"),
          check: filled
        })
        yield* open(uid.trim())
      })
    )
    yield* editor.onUri((path) => (path.startsWith("/event/") ? open(path.slice("/event/".length)) : Effect.void))

    yield* commands.on("events.openInBrowser", ({ subjects }) =>
      Effect.forEach(subjects, (subject) => {
        const url = subject._tag === "Event" ? subject.event.metadata.svc_url : undefined
        return url === undefined || !/^https?:\/\//u.test(url) ? Effect.void : editor.openInBrowser(url)
      })
    )

    const details = new Map<string, TypedEvent>()
    yield* pages.renderedBy(
      "event",
      Effect.fnUntraced(function* (uid, isRevealed) {
        const event =
          details.get(uid) ??
          (yield* connections.ask(
            Effect.gen(function* () {
              const events = yield* Events
              return yield* events.get(uid)
            })
          ))
        details.set(uid, event)
        const first = details.keys().next().value
        if (details.size > mostDetails && first !== undefined) details.delete(first)
        return {
          written: eventPage(event, seen.get(uid), { isRevealed, masked }),
          terms: masked ? [] : termsOf(seen.get(uid))
        }
      })
    )

    yield* settings.changesOf("savedSearches", "events.pageSize").pipe(
      Stream.runForEach(() => startAgain),
      Effect.forkScoped
    )
    yield* settings.changesOf("masking").pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          masked = yield* settings.get("masking")
          yield* view.tree.refresh()
          yield* Effect.forEach(details.keys(), (uid) => pages.changed("event", uid))
        })
      ),
      Effect.forkScoped
    )
    let known = (yield* register.identifiers).map(({ id }) => id).join()
    yield* register.changes.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          const ids = (yield* register.identifiers).map(({ id }) => id).join()
          if (ids === known) return
          known = ids
          listings.delete("events:all")
          yield* view.retry
        })
      ),
      Effect.forkScoped
    )

    // In the background: only what is loaded, only while somebody can see it.
    const isToasting = yield* Ref.make(false)
    const look = Effect.gen(function* () {
      const connection = yield* profiles.now
      const isWatched = connection._tag === "SignedIn" && (yield* view.tree.visible) && (yield* editor.focused)
      if (!isWatched || listings.size === 0) return
      const news = yield* renew
      for (const { metadata } of news) fresh.add(metadata.uid)
      if (news.length === 0) return
      yield* view.tree.refresh()
      yield* view.tree.setBadge({ value: fresh.size, tooltip: count(fresh.size, "{0} new event", "{0} new events") })
      yield* toast(news)
    })

    const toast = Effect.fnUntraced(function* (news: ReadonlyArray<AnyEvent>) {
      const least = yield* settings.get("notifications.severity")
      const worthy = least === "off" ? [] : news.filter((event) => isAtLeast(severityOf(event), least))
      if (least === "off" || worthy.length === 0 || (yield* Ref.getAndSet(isToasting, true))) return
      yield* editor
        .notify(
          "info",
          `${count(worthy.length, "{0} new event", "{0} new events")} (${t("{0} or higher", t(least))})`,
          t("Show"),
          t("Don't Show Again")
        )
        .pipe(
          Effect.flatMap(
            Option.match({
              onNone: () => Effect.void,
              onSome: (answer) =>
                answer === t("Show")
                  ? Effect.asVoid(editor.execute("threatExposure.events.focus"))
                  : settings.set("notifications.severity", "off")
            })
          ),
          Effect.ensuring(Ref.set(isToasting, false)),
          Effect.forkDetach
        )
    })

    yield* Stream.concat(Stream.make(undefined), settings.changesOf("refresh.minutes")).pipe(
      Stream.mapEffect(() => settings.get("refresh.minutes")),
      Stream.switchMap((minutes) =>
        minutes === 0 ? Stream.empty : Stream.tick(Duration.minutes(minutes)).pipe(Stream.drop(1))
      ),
      Stream.runForEach(() => look),
      Effect.forkScoped
    )
  })
)

/** Details of so many events are kept for pages that are drawn again. */
const mostDetails = 50

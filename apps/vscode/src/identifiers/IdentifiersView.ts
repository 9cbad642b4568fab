/** The Identifiers view: monitored assets, each with its events and policies. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { maxIdentifiers } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Effect, Layer, Schema, Stream } from "effect"
import { Commands } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { describe, EventFilter, isEmpty, noFilter } from "../events/search/EventFilter.ts"
import { countedRows, eventRows, loadedText, moreRow } from "../events/list/EventTree.ts"
import { asOfAll, type EventListing, EventListings, refreshLoaded } from "../events/list/EventListings.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { policyNode } from "../policies/PolicyTree.ts"
import { policyOf } from "../policies/Policy.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { recall } from "../editor/Memento.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import type { Failure } from "../editor/Problem.ts"
import { type Listing, makeListing, reloadListing } from "../listing/Listing.ts"
import {
  applyFilter,
  describeIdentifierFilter,
  everything,
  IdentifierFilter,
  isNarrowed,
  orders
} from "./IdentifierFilter.ts"
import { identifierRow, IdentifierSubject } from "./IdentifierRow.ts"
import { lackingRow } from "../register/LackingRow.ts"
import { inGroups, inTypes, noGroupsRow, noMatchRow } from "./IdentifierTree.ts"
import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import type { IdentifierEntry } from "../register/RegisterEntries.ts"
import { Register } from "../register/Register.ts"

const part = Effect.promise(() => import("./IdentifierPart.ts"))

const groupings = ["group", "type", "none"] as const
type Grouping = (typeof groupings)[number]
const groupingNames: Readonly<Record<Grouping, string>> = { none: "No grouping", type: "Type", group: "Group" }
const orderNames: Readonly<Record<(typeof orders)[number], string>> = { name: "Name", type: "Type", id: "ID" }

/** Stored filter for the events of identifiers. */
export const keptIdentifierFilter = recall("here", "identifiers.filter", EventFilter, noFilter)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventListings
    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    let filter = yield* keptIdentifierFilter
    let shown = yield* recall("here", "identifiers.shown", IdentifierFilter, everything)
    let grouping: Grouping = yield* recall("here", "identifiers.grouping", Schema.Literals(groupings), "group")
    let masked = false
    const hide = (name: string) => (masked ? maskText(name) : name)
    let listing: Listing<KnownIdentifier, Failure> | undefined
    const listings = new Map<string, EventListing>()

    const policiesOf = Effect.fnUntraced(function* (identifier: IdentifierEntry) {
      const found = yield* connections.ask(
        Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(identifier.id))
      )
      yield* register.learn({
        policies: found.map(({ matching_policy: { uuid, name } }) => ({ uuid, name, origin: "assignment" as const }))
      })
      return found
    })

    const identifierNode = (view: ServiceView, identifier: KnownIdentifier): TreeNode => {
      const id = `identifiers:${identifier.id}`
      const events = `${id}/events`
      const rules = `${id}/policies`
      return new TreeNode(identifierRow(identifier, { id, hide }), {
        subject: new IdentifierSubject(identifier),
        children: Effect.succeed([
          new TreeNode(
            {
              id: events,
              label: t("Events"),
              // A getter, because the editor reads it at each drawing of the row.
              get description() {
                return loadedText(listings.get(events))
              },
              icon: { id: "pulse" },
              state: "open"
            },
            {
              children: view.under(
                events,
                countedRows(
                  { id: events, view, listing: () => listings.get(events) },
                  Effect.gen(function* () {
                    const listing = listings.get(events) ?? (yield* source.ofIdentifier(identifier, filter))
                    listings.set(events, listing)
                    return yield* eventRows({
                      owner: events,
                      listing,
                      look: { grouping: "none", masked, isNew: () => false },
                      view
                    })
                  })
                )
              )
            }
          ),
          new TreeNode(
            { id: rules, label: t("Policies"), icon: { id: "law" }, state: "closed" },
            {
              children: view.under(
                rules,
                Effect.map(policiesOf(identifier), (found) =>
                  found.length === 0
                    ? [
                        new TreeNode({
                          id: `${rules}/nothing`,
                          label: t("No policy: every event counts."),
                          icon: { id: "pass" },
                          state: "leaf"
                        })
                      ]
                    : found.map((assigned) =>
                        policyNode(`${rules}/`, policyOf(assigned, identifier), { identifier: identifier.id })
                      )
                )
              )
            }
          )
        ])
      })
    }

    const makeIdentifierListing = Effect.suspend(() => {
      const { types, ...others } = shown
      const query = types.length === 0 ? others : { ...others, types }
      return makeListing<KnownIdentifier, Failure, never>({
        size: maxIdentifiers,
        key: ({ id }) => String(id),
        page: (from) => register.page(query, from)
      })
    })

    const isRefused = () => register.refusal("identifiers") !== undefined

    /** Loads as many identifiers as are shown, which stay visible meanwhile. */
    const reload = Effect.gen(function* () {
      listing = yield* reloadListing(listing, makeIdentifierListing)
    }).pipe(Effect.catchIf(isNotServed, () => Effect.void))

    const remembered = Effect.map(register.identifiers, (known) => applyFilter(known, shown))

    const load = Effect.gen(function* () {
      if (isRefused()) return yield* remembered
      listing ??= yield* makeIdentifierListing
      return (yield* listing.first).items
    }).pipe(Effect.catchIf(isNotServed, () => remembered))

    /** Why the groups are not listed, because identifiers are useful without the names of their groups. */
    let groupsFailure: Failure | undefined
    const groupsIfAny = Effect.suspend(() => {
      groupsFailure = undefined
      return register.groups
    }).pipe(
      Effect.catch((failure) => {
        groupsFailure = failure
        return Effect.as(editor.log("error", `identifiers: ${failure._tag}: ${failure.message}`), [])
      })
    )

    const view: ServiceView = yield* makeServiceView({
      name: "identifiers",
      loading: t("Loading identifiers"),
      hasContent: () => listing?.now().asOf !== undefined || isRefused(),
      reset: Effect.sync(() => {
        listing = undefined
        listings.clear()
      }),
      roots: Effect.fnUntraced(function* (view) {
        masked = yield* settings.get(masking)
        yield* showFilter
        const [known, groups] = yield* Effect.all([load, grouping === "group" ? groupsIfAny : Effect.succeed([])], {
          concurrency: 2
        })
        const refusal = register.refusal("identifiers")
        if (refusal?._tag === "Forbidden" && known.length === 0 && !isNarrowed(shown))
          return yield* Effect.fail(refusal)
        const isListed = refusal === undefined
        const noGroups =
          grouping === "group" && isListed && known.length > 0
            ? (groupsFailure ?? register.refusal("groups"))
            : undefined
        yield* editor.setContext("identifiers.known", known.length > 0)
        yield* editor.setContext("identifiers.listed", isListed)
        const nodeOf = (identifier: KnownIdentifier) => identifierNode(view, identifier)
        const hasMore = isListed && listing?.now().hasMore === true
        return [
          ...(grouping === "none"
            ? known.map(nodeOf)
            : grouping === "type"
              ? inTypes(known, { hasMore, nodeOf })
              : // With a filter, do not show empty groups: their members may be filtered out.
                inGroups(known, groups, { hasMore, nodeOf, showsEmpty: isListed && !isNarrowed(shown) })),
          ...(isListed && listing?.now().hasMore === true
            ? [moreRow("identifiers:", known.length, listing, view)]
            : []),
          ...(known.length === 0 && isNarrowed(shown) ? [noMatchRow] : []),
          ...(refusal === undefined ? [] : [lackingRow("identifiers", refusal, known.length, whatIsKnown)]),
          ...(noGroups === undefined ? [] : [noGroupsRow(noGroups)])
        ]
      })
    })

    const showFilter = Effect.suspend(() =>
      Effect.andThen(
        editor.setContext("identifiers.filtered", !isEmpty(filter) || isNarrowed(shown)),
        Effect.suspend(() =>
          view.tree.setDescription(
            [describeIdentifierFilter(shown), describe(filter)].filter((part) => part !== "").join(" · ")
          )
        )
      )
    )

    const setFilter = Effect.fnUntraced(function* (next: EventFilter) {
      filter = next
      listings.clear()
      yield* editor.remember("here", "identifiers.filter", next)
      yield* showFilter
      yield* view.retry
    })

    yield* commands.on(
      "identifiers.filter",
      Effect.fnUntraced(function* () {
        const { editFilter } = yield* Effect.promise(() => import("../events/search/EventForms.ts"))
        yield* setFilter(yield* ask(editFilter(filter, t("Filter Events of Identifiers"), "identifiers")))
      })
    )
    const show = Effect.fnUntraced(function* (next: IdentifierFilter) {
      shown = next
      listing = undefined
      yield* editor.remember("here", "identifiers.shown", next)
      yield* showFilter
      yield* view.retry
    })
    yield* commands.on(
      "identifiers.filterIdentifiers",
      Effect.fnUntraced(function* () {
        const { askIdentifierFilter } = yield* part
        yield* show(yield* ask(askIdentifierFilter(shown)))
      })
    )
    yield* commands.on(
      "identifiers.sortBy",
      Effect.fnUntraced(function* () {
        const order_by = yield* editor.pick(
          orders.map((order) => ({ label: t(orderNames[order]), picked: order === shown.order_by, value: order })),
          { title: t("Sort Identifiers By") }
        )
        yield* show({ ...shown, order_by })
      })
    )
    yield* commands.on("identifiers.clearFilter", () =>
      Effect.andThen(show({ ...everything, order_by: shown.order_by }), setFilter(noFilter))
    )
    const asOf = () => {
      const ages = [listing?.now().asOf, asOfAll(listings.values())].filter((age) => age !== undefined)
      return ages.length === 0 ? undefined : Math.min(...ages)
    }
    yield* commands.on("identifiers.refresh", () =>
      view.refresh(
        Effect.suspend(() =>
          register.forgetGroups.pipe(Effect.andThen(reload), Effect.andThen(refreshLoaded(listings.values())))
        ),
        asOf
      )
    )
    yield* commands.on(
      "identifiers.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Identifiers By") }
        )
        yield* editor.remember("here", "identifiers.grouping", grouping)
        yield* view.tree.refresh()
      })
    )

    yield* register.changes.pipe(
      Stream.filter(isRefused),
      Stream.runForEach(() => view.tree.refresh()),
      Effect.forkScoped
    )
    yield* register.outdated.pipe(
      Stream.runForEach(() => view.renew(reload, asOf)),
      Effect.forkScoped
    )
  })
)

const whatIsKnown = () =>
  t(
    "These were created here, added by ID, named by an event or a policy, or listed in the settings. Create another one, or add one that you know by its ID."
  )

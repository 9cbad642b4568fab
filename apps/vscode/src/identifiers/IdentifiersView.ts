/** The Identifiers view: monitored assets, each with its events and policies. */
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { Effect, Layer, Schema, Stream } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { describe, EventFilter, isEmpty, noFilter } from "../events/EventFilter.ts"
import { countedRows, eventRows, loadedText } from "../events/EventTree.ts"
import { asOfAll, type EventListing, EventListings, refreshLoaded } from "../events/EventListings.ts"
import { capitalized, number, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { Pages } from "../editor/Pages.ts"
import { PageWriter } from "../editor/PageWriter.ts"
import { policyNode } from "../policies/PolicyTree.ts"
import { kindText, policyOf } from "../policies/Policy.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { recall } from "../editor/Memento.ts"
import { TreeNode } from "../editor/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import { IdentifierSubject, originText } from "./IdentifierRow.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { type IdentifierEntry, typeOrder } from "../register/RegisterEntries.ts"
import { Register } from "../register/Register.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localTime } from "../words/Dates.ts"

const groupings = ["none", "type", "group"] as const
type Grouping = (typeof groupings)[number]
const groupingNames: Readonly<Record<Grouping, string>> = { none: "No grouping", type: "Type", group: "Group" }

/** The stored filter of the events of identifiers. */
export const keptIdentifierFilter = recall("here", "identifiers.filter", EventFilter, noFilter)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventListings
    const pages = yield* Pages
    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    let filter = yield* keptIdentifierFilter
    let grouping: Grouping = yield* recall("here", "identifiers.grouping", Schema.Literals(groupings), "none")
    let masked = false
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

    const identifierNode = (view: ServiceView, identifier: IdentifierEntry): TreeNode => {
      const id = `identifiers:${identifier.id}`
      const name = masked ? maskText(identifier.name) : identifier.name
      const origin = originText(identifier.origin)
      const facts = [...(identifier.type === undefined ? [] : [nameOfType(identifier.type)]), origin]
      const events = `${id}/events`
      const rules = `${id}/policies`
      return new TreeNode(
        {
          id,
          label: name,
          // The icon shows the type.
          description: origin,
          tooltip: () => [name, ...facts, t("ID {0}", identifier.id)].join("\n"),
          icon: iconOf(identifier.type),
          state: "closed",
          kinds: ["identifier", "copyable", "exportable"],
          accessibleLabel: [name, ...facts].join(", ")
        },
        {
          subject: new IdentifierSubject(identifier),
          children: Effect.succeed([
            new TreeNode(
              {
                id: events,
                label: t("Events"),
                // Read each time that the row is drawn.
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
                      : found.map((assigned) => policyNode(`${rules}/`, policyOf(assigned, identifier)))
                  )
                )
              }
            )
          ])
        }
      )
    }

    const view: ServiceView = yield* makeServiceView({
      name: "identifiers",
      loading: t("Loading events"),
      // The register is there without the service: it is always shown.
      hasContent: () => true,
      reset: Effect.sync(() => listings.clear()),
      roots: Effect.fnUntraced(function* (view) {
        masked = yield* settings.get(masking)
        yield* showFilter
        const known = (yield* register.identifiers).toSorted(
          (a, b) => typeOrder(a.type) - typeOrder(b.type) || a.name.localeCompare(b.name)
        )
        yield* editor.setContext("identifiers.known", known.length > 0)
        if (grouping === "none") return known.map((identifier) => identifierNode(view, identifier))
        const keyOf = (identifier: IdentifierEntry) => (grouping === "type" ? identifier.type : identifier.group) ?? ""
        return [...Map.groupBy(known, keyOf)].map(
          ([key, members]) =>
            new TreeNode(
              {
                id: `identifiers:${grouping}:${key}`,
                label:
                  key === ""
                    ? grouping === "type"
                      ? t("Unknown type")
                      : t("No group")
                    : grouping === "type"
                      ? capitalized(nameOfType(key))
                      : key,
                description: number(members.length),
                icon: grouping === "type" ? iconOf(key) : { id: "folder" },
                state: "open"
              },
              { children: Effect.sync(() => members.map((identifier) => identifierNode(view, identifier))) }
            )
        )
      })
    })

    const showFilter = Effect.suspend(() =>
      Effect.andThen(
        editor.setContext("identifiers.filtered", !isEmpty(filter)),
        Effect.suspend(() => view.tree.setDescription(describe(filter)))
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
        const { editFilter } = yield* Effect.promise(() => import("../events/EventFilterForm.ts"))
        yield* setFilter(yield* ask(editFilter(filter, t("Filter Events of Identifiers"), "identifiers")))
      })
    )
    yield* commands.on("identifiers.clearFilter", () => setFilter(noFilter))
    yield* commands.on("identifiers.refresh", () =>
      view.refresh(
        Effect.suspend(() => refreshLoaded(listings.values())),
        () => asOfAll(listings.values())
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

    yield* commands.on(
      "identifiers.openPage",
      Effect.fnUntraced(function* ({ subjects }) {
        const [subject] = ofKind(subjects, IdentifierSubject)
        if (subject === undefined) return
        const { id, name } = subject.identifier
        yield* pages.open("identifier", String(id), (yield* settings.get(masking)) ? t("Identifier") : name)
      })
    )
    yield* pages.renderedBy(
      "identifier",
      Effect.fnUntraced(function* (id) {
        const identifier = (yield* register.identifiers).find((known) => String(known.id) === id)
        const page = new PageWriter()
        if (identifier === undefined) {
          return {
            written: page
              .heading(1, t("Identifier {0}", id))
              .paragraph(t("This identifier is no longer in the list."))
              .done()
          }
        }
        page.heading(1, (yield* settings.get(masking)) ? maskText(identifier.name) : identifier.name)
        page.field(t("Type"), identifier.type === undefined ? t("unknown") : nameOfType(identifier.type))
        page.field(t("ID"), id)
        page.field(t("Source"), originText(identifier.origin))
        if (identifier.group !== undefined) page.field(t("Group"), identifier.group)
        page.field(t("Searched in"), placesOf(identifier))
        const found = yield* policiesOf(identifier)
        page.heading(2, t("Policies"))
        if (found.length === 0) page.paragraph(t("No policy: every event counts."))
        else {
          page.table(
            [t("Name"), t("Kind"), t("Assigned"), t("Past events removed")],
            found.map(({ matching_policy, assigned_at, clean_past_events }) => [
              matching_policy.name,
              kindText(matching_policy),
              assigned_at === null ? "" : localTime(assigned_at),
              clean_past_events ? t("yes") : t("no")
            ])
          )
        }
        return { written: page.done() }
      })
    )

    yield* register.changes.pipe(
      Stream.runForEach(() => view.tree.refresh()),
      Effect.forkScoped
    )
  })
)

/** An identifier that names no places is looked for in all of them. */
const placesOf = ({ searchTypes }: IdentifierEntry) => {
  if (searchTypes === undefined) return t("unknown")
  return searchTypes.length === 0 ? t("everywhere") : searchTypes.map(nameOfType).join(", ")
}

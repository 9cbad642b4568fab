/** The Identifiers view: what is watched over, each with its events and its policies. */
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import type { AssignedPolicy } from "@threat-exposure/core/domain/MatchingPolicy"
import {
  hiddenName,
  identifierTypes,
  type IdentifierType,
  type NewIdentifier,
  searchTypes
} from "@threat-exposure/core/domain/Identifier"
import { Effect, Layer, Schema, Stream } from "effect"
import { Commands } from "../Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../Editor.ts"
import { describe, EventFilter, isEmpty, nameOfType, noFilter } from "../events/EventFilter.ts"
import { editFilter } from "../events/EventFilterEditor.ts"
import { eventRows } from "../events/EventFolder.ts"
import { localTime } from "../events/EventRow.ts"
import { type EventListing, EventSource } from "../events/EventSource.ts"
import { currentLanguage, t } from "../Localisation.ts"
import { maskText } from "../Mask.ts"
import { Pages } from "../pages/Pages.ts"
import { PageWriter } from "../pages/PageWriter.ts"
import { policyNode } from "../policies/PolicyNode.ts"
import { policyRow } from "../policies/PolicyRow.ts"
import type { Failure } from "../Problem.ts"
import { Settings } from "../Settings.ts"
import { stored } from "../Stored.ts"
import type { Icon } from "../tree/Row.ts"
import { TreeNode } from "../tree/TreeNode.ts"
import { makeView, type View } from "../tree/View.ts"
import { type KnownIdentifier, type Origin, typeOrder } from "./Known.ts"
import { Register } from "./Register.ts"

const groupings = ["none", "type", "group"] as const
type Grouping = (typeof groupings)[number]
const groupingNames: Readonly<Record<Grouping, string>> = { none: "No grouping", type: "Type", group: "Group" }

/** Each shows where the identifier is known from. */
export const originText = (origin: Origin): string =>
  ({
    created: t("created here"),
    entered: t("entered by id"),
    assignment: t("seen in an assignment"),
    event: t("seen in an event")
  })[origin]

const icons: Readonly<Record<string, string>> = {
  domain: "globe",
  email: "mail",
  username: "account",
  name: "person",
  identity: "person",
  keyword: "symbol-string",
  search_query: "search",
  github_repository: "repo",
  secret: "lock",
  ip: "server",
  bin: "credit-card",
  azure_tenant: "azure",
  phone_number: "device-mobile"
}
const iconOf = (type: string | undefined): Icon => ({ id: icons[type ?? ""] ?? "eye" })

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const settings = yield* Settings
    const register = yield* Register
    const source = yield* EventSource
    const pages = yield* Pages
    const ask = <A, E>(effect: Effect.Effect<A, E, Editor>) => Effect.provideService(effect, Editor, editor)

    let filter: EventFilter = yield* stored("here", "identifiers.filter", EventFilter, noFilter)
    let grouping: Grouping = yield* stored("here", "identifiers.grouping", Schema.Literals(groupings), "none")
    let masked = yield* settings.get("masking")
    const listings = new Map<string, EventListing>()
    const policies = new Map<number, ReadonlyArray<AssignedPolicy>>()

    const policiesOf = Effect.fnUntraced(function* (identifier: KnownIdentifier) {
      const found = yield* connections.ask(
        Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(identifier.id))
      )
      policies.set(identifier.id, found)
      yield* register.learn({
        policies: found.map(({ matching_policy: { uuid, name } }) => ({ uuid, name, origin: "assignment" as const }))
      })
      return found
    })

    const identifierNode = (view: View, identifier: KnownIdentifier): TreeNode => {
      const id = `identifiers:${identifier.id}`
      const name = masked ? maskText(identifier.name) : identifier.name
      const facts = [
        ...(identifier.type === undefined ? [] : [nameOfType(identifier.type)]),
        originText(identifier.origin)
      ]
      const events = `${id}/events`
      const rules = `${id}/policies`
      return new TreeNode(
        {
          id,
          label: name,
          description: facts.join(" · "),
          tooltip: [name, ...facts, t("Number {0}", identifier.id)].join("\n"),
          icon: iconOf(identifier.type),
          state: "closed",
          kinds: ["identifier", "copyable", "exportable"],
          accessibleLabel: [name, ...facts].join(", ")
        },
        { _tag: "Identifier", identifier },
        Effect.succeed([
          new TreeNode(
            { id: events, label: t("Events"), icon: { id: "pulse" }, state: "open" },
            { _tag: "Plain" },
            view.under(
              events,
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
          ),
          new TreeNode(
            { id: rules, label: t("Policies"), icon: { id: "law" }, state: "closed" },
            { _tag: "Plain" },
            view.under(
              rules,
              Effect.map(policiesOf(identifier), (found) =>
                found.length === 0
                  ? [
                      new TreeNode(
                        {
                          id: `${rules}/nothing`,
                          label: t("No policy: every event counts."),
                          icon: { id: "pass" },
                          state: "leaf"
                        },
                        { _tag: "Plain" }
                      )
                    ]
                  : found.map((assigned) => policyNode(`${rules}/`, policyRow(assigned, identifier)))
              )
            )
          )
        ])
      )
    }

    const view: View = yield* makeView({
      name: "identifiers",
      // The register is there without the service: it is always shown.
      hasContent: () => true,
      reset: Effect.sync(() => {
        listings.clear()
        policies.clear()
      }),
      roots: Effect.fnUntraced(function* (view) {
        yield* showFilter
        const known = (yield* register.identifiers).toSorted(
          (a, b) => typeOrder(a.type) - typeOrder(b.type) || a.name.localeCompare(b.name)
        )
        if (grouping === "none") return known.map((identifier) => identifierNode(view, identifier))
        const keyOf = (identifier: KnownIdentifier) => (grouping === "type" ? identifier.type : identifier.group) ?? ""
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
                      ? nameOfType(key)
                      : key,
                description: String(members.length),
                icon: grouping === "type" ? iconOf(key) : { id: "folder" },
                state: "open"
              },
              { _tag: "Plain" },
              Effect.sync(() => members.map((identifier) => identifierNode(view, identifier)))
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
      yield* editor.store("here", "identifiers.filter", next)
      yield* showFilter
      yield* view.retry
    })

    yield* commands.on("identifiers.filter", () =>
      Effect.flatMap(ask(editFilter(filter, t("Filter Events of Identifiers"), "identifiers")), setFilter)
    )
    yield* commands.on("identifiers.clearFilter", () => setFilter(noFilter))
    yield* commands.on("identifiers.refresh", () => {
      const loaded = [...listings.values()].filter((listing) => listing.now().asOf !== undefined)
      const ages = loaded.map((listing) => listing.now().asOf ?? 0)
      return view.renew(
        Effect.forEach(loaded, (listing) => listing.refresh, { discard: true }),
        () => (ages.length === 0 ? undefined : Math.min(...ages))
      )
    })
    yield* commands.on(
      "identifiers.groupBy",
      Effect.fnUntraced(function* () {
        grouping = yield* editor.pick(
          groupings.map((name) => ({ label: t(groupingNames[name]), picked: name === grouping, value: name })),
          { title: t("Group Identifiers By") }
        )
        yield* editor.store("here", "identifiers.grouping", grouping)
        yield* view.tree.refresh()
      })
    )

    const create = Effect.fnUntraced(function* (
      given: { readonly type?: IdentifierType; readonly name?: string } = {}
    ): Effect.fn.Return<void, Failure | Cancelled> {
      const title = t("Create Identifier")
      const type =
        given.type ??
        (yield* editor.pick(
          identifierTypes.map((name) => ({ label: nameOfType(name), icon: iconOf(name).id, value: name })),
          { title, placeholder: t("What do you want to watch over?") }
        ))
      const value = yield* editor.ask({
        title,
        prompt: promptOf(type),
        value: given.name,
        password: type === "secret",
        check: (text) => faultOf(type, text.trim())
      })
      const name =
        type === "secret"
          ? yield* editor.ask({
              title,
              prompt: t("A name for this secret, which does not tell it"),
              check: (text) => (text.trim() === "" ? t("This cannot be empty") : undefined)
            })
          : value.trim()
      const chosen = yield* editor.pickMany(
        searchTypes
          .map((each) => ({ label: nameOfType(each), value: each }))
          .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
        { title, placeholder: t("Where to look; none means everywhere") }
      )
      const request: NewIdentifier = {
        name,
        type,
        data: dataOf(type, value.trim()),
        ...(chosen.length === 0 ? {} : { search_types: chosen })
      }
      const made = yield* editor.progress(t("Creating the identifier"), () =>
        connections.ask(Effect.flatMap(Identifiers, (service) => service.create(request)))
      )
      yield* register.learn({
        identifiers: [
          {
            id: made.id,
            name: made.name === hiddenName ? name : made.name,
            type: made.type,
            ...(made.search_types.length === 0 ? {} : { searchTypes: made.search_types }),
            origin: "created"
          }
        ]
      })
      yield* Effect.forkDetach(
        editor.notify("info", t("The identifier {0} was created.", made.name === hiddenName ? name : made.name))
      )
    })

    yield* commands.on("identifiers.create", ({ subjects: [subject] }) => {
      if (subject?._tag !== "Recommendation") return create()
      return create()
    })
    yield* commands.on("recommendations.createIdentifier", ({ subjects: [subject] }) => {
      if (subject?._tag !== "Recommendation") return Effect.void
      const { data } = subject.recommendation
      const type = identifierTypes.find((known) => known === data["type"])
      const value = Object.entries(data).find(([key, each]) => key !== "type" && typeof each === "string")?.[1]
      return create({ ...(type === undefined ? {} : { type }), ...(typeof value === "string" ? { name: value } : {}) })
    })

    yield* commands.on(
      "identifiers.addById",
      Effect.fnUntraced(function* () {
        const title = t("Add Known Identifier")
        const id = yield* editor.ask({
          title,
          prompt: t("The number that the service gave the identifier"),
          check: (text) => (/^\d{1,15}$/u.test(text.trim()) ? undefined : t("This is not a whole number"))
        })
        // Its events prove that it is there, and may tell its name.
        const [first] = yield* editor.progress(t("Looking for identifier {0}", id.trim()), () =>
          Effect.flatMap(source.ofIdentifier({ id: Number(id), name: id, origin: "entered" }, noFilter), ({ first }) =>
            Effect.map(first, ({ items }) => items)
          )
        )
        const seen = first !== undefined && "identifiers" in first ? first.identifiers : []
        const name = yield* editor.ask({
          title,
          prompt: t("A name to show"),
          value: seen.find((each) => each.id === Number(id))?.name ?? id.trim(),
          check: (text) => (text.trim() === "" ? t("This cannot be empty") : undefined)
        })
        yield* register.put({ id: Number(id), name: name.trim(), origin: "entered" })
      })
    )

    yield* commands.on(
      "identifiers.createGroup",
      Effect.fnUntraced(function* () {
        const title = t("Create Identifier Group")
        const name = yield* editor.ask({
          title,
          prompt: t("Name of the group"),
          check: (text) => (text.trim() === "" ? t("This cannot be empty") : undefined)
        })
        const group = yield* editor.progress(title, () =>
          connections.ask(Effect.flatMap(IdentifierGroups, (service) => service.create({ name: name.trim() })))
        )
        yield* register.learn({ groups: [{ id: group.id, name: group.name ?? name.trim() }] })
        yield* Effect.forkDetach(editor.notify("info", t("The group {0} was created.", group.name ?? name.trim())))
      })
    )
    yield* commands.on(
      "identifiers.group",
      Effect.fnUntraced(function* ({ subjects }) {
        const chosen = subjects.flatMap((subject) => (subject._tag === "Identifier" ? [subject.identifier] : []))
        const groups = yield* register.groups
        const names = [
          ...new Set([
            ...groups.map(({ name }) => name),
            ...(yield* register.identifiers).flatMap(({ group }) => group ?? [])
          ])
        ]
        const group = yield* editor.pick<string | undefined>(
          [
            ...names.map((name) => ({ label: name, icon: "folder", value: name })),
            { label: t("No group"), icon: "circle-slash", value: undefined }
          ],
          {
            title: t("Put into Group"),
            placeholder: t("Groups are shown here only: the service offers no way to put an identifier into one")
          }
        )
        for (const identifier of chosen) {
          const { group: _, ...rest } = identifier
          yield* register.put(group === undefined ? rest : { ...rest, group })
        }
      })
    )
    yield* commands.on(
      "identifiers.forget",
      Effect.fnUntraced(function* ({ subjects }) {
        const chosen = subjects.flatMap((subject) => (subject._tag === "Identifier" ? [subject.identifier] : []))
        if (chosen.length === 0) return
        yield* editor.confirm(
          chosen.length === 1
            ? t("Forget the identifier {0}?", chosen[0]?.name ?? "")
            : t("Forget {0} identifiers?", chosen.length),
          t("Only this list forgets it: the service goes on watching. Its number leads back to it."),
          t("Forget")
        )
        yield* register.forgetIdentifiers(chosen.map(({ id }) => id))
      })
    )

    yield* commands.on("identifiers.openPage", ({ subjects: [subject] }) =>
      subject?._tag === "Identifier"
        ? pages.open("identifier", String(subject.identifier.id), masked ? t("Identifier") : subject.identifier.name)
        : Effect.void
    )
    yield* pages.renderedBy(
      "identifier",
      Effect.fnUntraced(function* (id) {
        const identifier = (yield* register.identifiers).find((known) => String(known.id) === id)
        const page = new PageWriter(false)
        if (identifier === undefined) {
          return {
            written: page.heading(1, t("Identifier {0}", id)).paragraph(t("It is not known here any more.")).done()
          }
        }
        page.heading(1, masked ? maskText(identifier.name) : identifier.name)
        page.field(t("Type"), identifier.type === undefined ? t("unknown") : nameOfType(identifier.type))
        page.field(t("Number"), id)
        page.field(t("Known from"), originText(identifier.origin))
        if (identifier.group !== undefined) page.field(t("Group"), identifier.group)
        page.field(t("Looks in"), identifier.searchTypes?.map(nameOfType).join(", ") ?? t("not known"))
        const found = yield* policiesOf(identifier)
        page.heading(2, t("Policies"))
        if (found.length === 0) page.paragraph(t("No policy: every event counts."))
        else {
          page.table(
            [t("Name"), t("Kind"), t("Assigned"), t("Past events removed")],
            found.map(({ matching_policy, assigned_at, clean_past_events }) => [
              matching_policy.name,
              nameOfType(matching_policy.policy_type.toLowerCase()),
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
    yield* settings.changesOf("masking").pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          masked = yield* settings.get("masking")
          yield* view.tree.refresh()
        })
      ),
      Effect.forkScoped
    )
  })
)

const promptOf = (type: IdentifierType): string => {
  switch (type) {
    case "domain":
      return t("The domain, such as example.com")
    case "email":
      return t("The address, such as someone@example.com")
    case "github_repository":
      return t("The repository, as owner/name")
    case "name":
      return t("First and last name")
    case "secret":
      return t("The secret itself; it is sent to the service, which keeps watching for it")
    default:
      return nameOfType(type)
  }
}

const faultOf = (type: IdentifierType, text: string): string | undefined => {
  if (text === "") return t("This cannot be empty")
  if (type === "domain" && !/^[^\s@/:]+\.[^\s@/:]+$/u.test(text))
    return t("This is not a domain: write it as example.com")
  if (type === "email" && !/^[^\s@]+@[^\s@]+$/u.test(text)) return t("This is not an e-mail address")
  if (type === "github_repository" && !/^[^\s/]+\/[^\s/]+$/u.test(text)) return t("Write it as owner/name")
  return undefined
}

/** SPEC shows the shape of a domain only; the others follow the fields of the query of the same name (SPEC 4.2). */
const dataOf = (type: IdentifierType, value: string): Readonly<Record<string, unknown>> => {
  switch (type) {
    case "domain":
      return { type, fqdn: value }
    case "github_repository": {
      const [owner = "", name = ""] = value.split("/")
      return { type, repo_owner: owner, repo_name: name }
    }
    case "name": {
      const words = value.split(/\s+/u)
      return {
        type,
        first_name: words.slice(0, -1).join(" ") || value,
        last_name: words.length > 1 ? words.at(-1) : ""
      }
    }
    case "search_query":
      return { type, query_string: value }
    case "azure_tenant":
      return { type, tenant_id: value }
    default:
      return { type, [type]: value }
  }
}

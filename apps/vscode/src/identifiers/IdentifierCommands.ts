/** Creates identifiers and groups, adds known ones, groups them and forgets them. */
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import {
  hiddenName,
  identifierTypes,
  type IdentifierType,
  type NewIdentifier,
  searchTypes
} from "@threat-exposure/core/domain/Identifier"
import { Effect, Layer } from "effect"
import { filled, whole } from "../editor/Validation.ts"
import { Commands } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { nameOfType, noFilter } from "../events/EventFilter.ts"
import { EventListings } from "../events/EventListings.ts"
import { currentLanguage, t } from "../words/Localisation.ts"
import type { Failure } from "../editor/Problem.ts"
import { iconOf } from "./IdentifierRow.ts"
import { Register } from "../register/Register.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const register = yield* Register
    const source = yield* EventListings

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
        check: (text) => filled(text) ?? faultOf(type, text.trim())
      })
      const name =
        type === "secret"
          ? yield* editor.ask({
              title,
              prompt: t("A name for this secret, which does not tell it"),
              check: filled
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
        connections.send(Effect.flatMap(Identifiers, (service) => service.create(request)))
      )
      yield* register.learn({
        identifiers: [
          {
            id: made.id,
            name: made.name === hiddenName ? name : made.name,
            type: made.type,
            searchTypes: made.search_types,
            origin: "created"
          }
        ]
      })
      yield* Effect.forkDetach(
        editor.notify("info", t("The identifier {0} was created.", made.name === hiddenName ? name : made.name))
      )
    })

    yield* commands.on("identifiers.create", () => create())
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
          check: whole
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
          check: filled
        })
        const before = (yield* register.identifiers).find((known) => known.id === Number(id))
        yield* register.put({
          ...before,
          id: Number(id),
          name: name.trim(),
          origin: before?.origin === "created" ? before.origin : "entered"
        })
      })
    )

    yield* commands.on(
      "identifiers.createGroup",
      Effect.fnUntraced(function* () {
        const title = t("Create Identifier Group")
        const name = yield* editor.ask({
          title,
          prompt: t("Name of the group"),
          check: filled
        })
        const group = yield* editor.progress(title, () =>
          connections.send(Effect.flatMap(IdentifierGroups, (service) => service.create({ name: name.trim() })))
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
          t(
            "Only this list forgets: the service goes on watching. An identifier comes back when an event or a policy names it, or when you add its number."
          ),
          t("Forget")
        )
        yield* register.forgetIdentifiers(chosen.map(({ id }) => id))
      })
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
      return t("To watch for: {0}", nameOfType(type))
  }
}

const faultOf = (type: IdentifierType, text: string): string | undefined => {
  if (type === "domain" && !/^[^\s@/:]+\.[^\s@/:]+$/u.test(text))
    return t("This is not a domain: write it as example.com")
  if (type === "email" && !/^[^\s@]+@[^\s@]+$/u.test(text)) return t("This is not an e-mail address")
  if (type === "github_repository" && !/^[^\s/]+\/[^\s/]+$/u.test(text)) return t("Write it as owner/name")
  return undefined
}

/** The `data` of each type that docs/api.md#identifier lists. */
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

/** The questions for a new identifier. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import {
  hiddenName,
  identifierTypes,
  type IdentifierType,
  type NewIdentifier,
  searchTypes
} from "@threat-exposure/core/domain/Identifier"
import { Effect } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import type { Failure } from "../editor/Problem.ts"
import { filled } from "../editor/Validation.ts"
import { Register } from "../register/Register.ts"
import { currentLanguage, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { iconOf } from "./IdentifierRow.ts"

/** Asks for an identifier and creates it; `given` stands in for questions that are answered already. */
export const createIdentifier = Effect.fnUntraced(function* (
  given: { readonly type?: IdentifierType; readonly name?: string } = {}
): Effect.fn.Return<void, Failure | Cancelled, Connections | Editor | Register> {
  const connections = yield* Connections
  const editor = yield* Editor
  const register = yield* Register
  const title = t("Create Identifier")
  const type =
    given.type ??
    (yield* editor.pick(
      identifierTypes.map((name) => ({ label: nameOfType(name), icon: iconOf(name).id, value: name })),
      { title, placeholder: t("What do you want to monitor?") }
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
          prompt: t("A name for this secret that does not reveal it"),
          check: filled
        })
      : value.trim()
  const twin = (yield* register.identifiers).find((known) => known.type === type && sameName(known.name, name))
  if (twin !== undefined) {
    yield* editor.confirm(
      t("Create {0} a second time?", twin.name),
      t(
        "An identifier of this type and name is known here already, with the ID {0}. Its events would be found twice.",
        twin.id
      ),
      t("Create Again")
    )
  }
  const chosen = yield* editor.pickMany(
    searchTypes
      .filter((each) => !isPlural(each))
      .map((each) => ({ label: nameOfType(each), value: each }))
      .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
    { title, placeholder: t("Where to search (none means everywhere)") }
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

/** Domains and addresses are the same in any case. */
const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

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
      return t("The secret itself; it is sent to the service, which monitors it")
    default:
      return t("Value to monitor: {0}", nameOfType(type))
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

/** The API knows some places by two names; one is offered. */
const isPlural = (type: string) => searchTypes.some((other) => type === `${other}s`)

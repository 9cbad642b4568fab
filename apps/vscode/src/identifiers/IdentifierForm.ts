/** The questions for a new identifier. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import {
  redactedName,
  identifierTypes,
  type IdentifierType,
  type NewIdentifier,
  searchTypes
} from "@threat-exposure/core/domain/Identifier"
import { Effect } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf } from "../editor/Form.ts"
import type { Failure } from "../editor/Problem.ts"
import { filled } from "../editor/Validation.ts"
import { Register } from "../register/Register.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import type { IdentifierEntry } from "../register/RegisterEntries.ts"
import { capitalized, currentLanguage, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"

interface Answers {
  readonly type: IdentifierType
  /** The value to monitor, as it was typed. */
  readonly value: string
  /** The name of a secret, which its value would reveal. */
  readonly secretName: string
  readonly searchTypes: NonNullable<NewIdentifier["search_types"]>
}

/** Asks for an identifier and creates it; `given` answers questions in advance. */
export const createIdentifier = Effect.fnUntraced(function* (
  given: { readonly type?: IdentifierType; readonly name?: string } = {}
): Effect.fn.Return<void, Failure | Cancelled, Connections | Editor | Register> {
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const answers = yield* form(steps(editor, yield* register.identifiers, given.type === undefined), {
    type: given.type ?? identifierTypes[0],
    value: given.name ?? "",
    secretName: "",
    searchTypes: []
  })
  const { searchTypes, type, value } = answers
  const { name } = nameOf(answers)
  const request: NewIdentifier = {
    name,
    type,
    data: dataOf(type, value.trim()),
    ...(searchTypes.length === 0 ? {} : { search_types: searchTypes })
  }
  const made = yield* editor.progress(t("Creating the identifier"), () =>
    send(Effect.flatMap(Identifiers, (service) => service.createV2(request)))
  )
  yield* register.learn({
    identifiers: [
      {
        id: made.id,
        name: made.name === redactedName ? name : made.name,
        type: made.type,
        searchTypes: made.search_types,
        origin: "created"
      }
    ]
  })
  yield* Effect.forkDetach(
    editor.notify("info", t("The identifier “{0}” was created.", made.name === redactedName ? name : made.name))
  )
})

const steps = (
  editor: Editor["Service"],
  known: ReadonlyArray<IdentifierEntry>,
  isTypeAsked: boolean
): ReadonlyArray<FormStep<Answers>> => {
  const { pick, pickMany, text } = stepsOf<Answers>(editor, t("Create Identifier"))
  const confirmed = ({ ask, isAsked }: FormStep<Answers>): FormStep<Answers> => ({
    isAsked,
    ask: (...asked) => Effect.tap(ask(...asked), (answers) => confirmTwin(editor, known, nameOf(answers)))
  })
  return [
    pick<IdentifierType>({
      isAsked: () => isTypeAsked,
      choices: () =>
        identifierTypes.map((name) => ({ label: capitalized(nameOfType(name)), icon: iconOf(name).id, value: name })),
      get: ({ type }) => type,
      question: () => ({ placeholder: t("What do you want to monitor?") }),
      // A secret is not offered again where everybody can read it.
      set: (answers, type) =>
        type === answers.type ? answers : { ...answers, type, value: answers.type === "secret" ? "" : answers.value }
    }),
    confirmed(
      text({
        question: ({ type, value }) => ({
          prompt: promptOf(type),
          value,
          password: type === "secret",
          check: (given) => filled(given) ?? faultOf(type, given.trim())
        }),
        set: (answers, value) => ({ ...answers, value })
      })
    ),
    confirmed(
      text({
        isAsked: ({ type }) => type === "secret",
        question: ({ secretName }) => ({
          prompt: t("A name for this secret that does not reveal it"),
          value: secretName,
          check: filled
        }),
        set: (answers, secretName) => ({ ...answers, secretName })
      })
    ),
    pickMany<(typeof searchTypes)[number]>({
      choices: () =>
        searchTypes
          .filter((each) => !isPlural(each))
          .map((each) => ({ label: capitalized(nameOfType(each)), value: each }))
          .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
      question: () => ({ placeholder: t("Where to search (none means everywhere)") }),
      get: (answers) => answers.searchTypes,
      set: (answers, chosen) => ({ ...answers, searchTypes: chosen })
    })
  ]
}
/** The name that distinguishes an identifier from the others of its type. */
const nameOf = ({ secretName, type, value }: Answers) => ({ type, name: type === "secret" ? secretName : value.trim() })

const confirmTwin = Effect.fnUntraced(function* (
  editor: Editor["Service"],
  known: ReadonlyArray<IdentifierEntry>,
  { name, type }: { readonly type: IdentifierType; readonly name: string }
) {
  const twin = known.find((each) => each.type === type && sameName(each.name, name))
  if (twin === undefined) return
  yield* editor.confirm(
    t("Create “{0}” a second time?", twin.name),
    t(
      "An identifier of this type and name is known here already, with the ID {0}. Its events would be found twice.",
      twin.id
    ),
    t("Create Again")
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

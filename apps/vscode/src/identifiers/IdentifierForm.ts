/** Questions for a new identifier, and for changes of one. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { globalEventTypes } from "@threat-exposure/core/domain/Event"
import {
  redactedName,
  identifierTypes,
  type IdentifierType,
  type NewIdentifier,
  searchTypes
} from "@threat-exposure/core/domain/Identifier"
import { Severity, severities } from "@threat-exposure/core/domain/Severity"
import { Effect, Schema } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { form, type FormStep, stepsOf, submit } from "../editor/form/Form.ts"
import type { Failure } from "../editor/Problem.ts"
import { filled } from "../editor/form/Validation.ts"
import { Register } from "../register/Register.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { type KnownIdentifier, valueOf } from "../register/KnownIdentifier.ts"
import type { IdentifierEntry } from "../register/RegisterEntries.ts"
import { capitalized, currentLanguage, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { changeIdentifier } from "./IdentifierChanges.ts"
import { dataOf, faultOf, monitoredTypeOf, monitoredTypes, newDataOf, promptOf } from "./IdentifierValue.ts"

interface Answers {
  readonly type: IdentifierType
  /** The value to monitor, as typed. */
  readonly value: string
  /** Name for a secret, because its value must not be shown. */
  readonly secretName: string
  readonly searchTypes: NonNullable<NewIdentifier["search_types"]>
  readonly limits: Limits
}

/** Empty lists mean all events. */
interface Limits {
  readonly categories: ReadonlyArray<string>
  readonly severities: ReadonlyArray<Severity>
}

/** Asks for an identifier and creates it; `given` contains answers that are already known. */
export const createIdentifier = Effect.fnUntraced(function* (
  given: { readonly type?: IdentifierType; readonly name?: string } = {}
): Effect.fn.Return<void, Failure | Cancelled, Connections | Editor | Register> {
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const isListed = yield* editor.progress(t("Loading identifiers"), () => register.isListed)
  const types = isListed ? monitoredTypes : identifierTypes
  const givenType = isListed ? monitoredTypeOf(given.type) : given.type
  const questions = steps(editor, yield* register.identifiers, {
    isListed,
    types,
    isTypeAsked: givenType === undefined
  })
  const first: Answers = {
    type: givenType ?? types[0],
    value: given.name ?? "",
    secretName: "",
    searchTypes: [],
    limits: { categories: [], severities: [] }
  }
  const create = (answers: Answers) => {
    const { limits, searchTypes, type, value } = answers
    const { name } = nameOf(answers)
    return send(
      Effect.flatMap(Identifiers, (service): Effect.Effect<{ readonly name: string | null }, Failure> => {
        const monitored = monitoredTypes.find((each) => each === type)
        return isListed && monitored !== undefined
          ? service.create({
              data: newDataOf(monitored, value.trim()),
              ...(type === "secret" ? { name } : {}),
              ...limits,
              emerging_categories: []
            })
          : Effect.tap(
              service.createV2({
                name,
                type,
                data: dataOf(type, value.trim()),
                ...(searchTypes.length === 0 ? {} : { search_types: searchTypes })
              }),
              (made) =>
                register.learn({
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
            )
      })
    )
  }
  const { created, name } = yield* submit(
    editor,
    (refused: Answers = first) => form(questions, refused),
    (answers) =>
      editor.progress(t("Creating the identifier"), () =>
        Effect.map(create(answers), (created) => ({ created, name: nameOf(answers).name }))
      )
  )
  yield* register.outdate
  const shown = created.name === null || created.name === redactedName ? name : created.name
  yield* Effect.forkDetach(editor.notify("info", t("The identifier “{0}” was created.", shown)))
})

/** Asks for changes of the name, the value and the limits of an identifier that the service lists. */
export const updateIdentifier = Effect.fnUntraced(function* ({
  listed,
  name
}: KnownIdentifier & { readonly listed: NonNullable<KnownIdentifier["listed"]> }): Effect.fn.Return<
  void,
  Failure | Cancelled,
  Connections | Editor | Register
> {
  const connection = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const { text } = stepsOf<Changes>(editor, t("Change Identifier"))
  const type = monitoredTypeOf(listed.data.type)
  const before = valueOf(listed.data)
  const questions: ReadonlyArray<FormStep<Changes>> = [
    text({
      question: ({ name }) => ({ prompt: t("A name to show"), value: name, check: filled }),
      set: (answers, name) => ({ ...answers, name })
    }),
    text({
      isAsked: () => type !== undefined && type !== "secret",
      question: ({ value }) => ({
        prompt: promptOf(type ?? "keyword"),
        value,
        check: (given) => filled(given) ?? faultOf(type ?? "keyword", given.trim())
      }),
      set: (answers, value) => ({ ...answers, value })
    }),
    ...limitSteps<Changes>(editor, t("Change Identifier"))
  ]
  const present: Changes = {
    name,
    value: before,
    limits: { categories: listed.categories, severities: listed.severities.filter(Schema.is(Severity)) }
  }
  yield* submit(
    editor,
    (refused: Changes = present) => form(questions, refused),
    (changes) =>
      editor.progress(t("Changing the identifier"), () =>
        changeIdentifier(connection, listed.id, {
          ...(changes.name === name ? {} : { name: changes.name.trim() }),
          ...(type === undefined || changes.value.trim() === before
            ? {}
            : { data: newDataOf(type, changes.value.trim()) }),
          ...changes.limits
        })
      )
  )
  yield* register.outdate
})

interface Changes {
  readonly name: string
  readonly value: string
  readonly limits: Limits
}

const limitSteps = <A extends { readonly limits: Limits }>(
  editor: Editor["Service"],
  title: string,
  isAsked: (answers: A) => boolean = () => true
): ReadonlyArray<FormStep<A>> => {
  const { pickMany } = stepsOf<A>(editor, title)
  return [
    pickMany<string>({
      isAsked,
      choices: ({ limits }) =>
        [...new Set([...globalEventTypes, ...limits.categories])]
          .map((type) => ({ label: capitalized(nameOfType(type)), value: type }))
          .toSorted((a, b) => a.label.localeCompare(b.label, currentLanguage())),
      question: () => ({ placeholder: t("Types of events (none means all)") }),
      get: ({ limits }) => limits.categories,
      set: (answers, categories) => ({ ...answers, limits: { ...answers.limits, categories } })
    }),
    pickMany<Severity>({
      isAsked,
      choices: () => severities.map((severity) => ({ label: capitalized(t(severity)), value: severity })),
      question: () => ({ placeholder: t("Severities of events (none means all)") }),
      get: ({ limits }) => limits.severities,
      set: (answers, chosen) => ({ ...answers, limits: { ...answers.limits, severities: chosen } })
    })
  ]
}

const steps = (
  editor: Editor["Service"],
  known: ReadonlyArray<IdentifierEntry>,
  options: {
    readonly isListed: boolean
    readonly isTypeAsked: boolean
    readonly types: ReadonlyArray<IdentifierType>
  }
): ReadonlyArray<FormStep<Answers>> => {
  const { pick, pickMany, text } = stepsOf<Answers>(editor, t("Create Identifier"))
  const withTwinCheck = ({ ask, isAsked }: FormStep<Answers>): FormStep<Answers> => ({
    isAsked,
    ask: (...asked) => Effect.tap(ask(...asked), (answers) => confirmTwin(editor, known, nameOf(answers)))
  })
  return [
    pick<IdentifierType>({
      isAsked: () => options.isTypeAsked,
      choices: () =>
        options.types.map((name) => ({ label: capitalized(nameOfType(name)), icon: iconOf(name).id, value: name })),
      get: ({ type }) => type,
      question: () => ({ placeholder: t("What do you want to monitor?") }),
      // If the type changes, forget a secret: the next question would show it in clear text.
      set: (answers, type) =>
        type === answers.type ? answers : { ...answers, type, value: answers.type === "secret" ? "" : answers.value }
    }),
    withTwinCheck(
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
    withTwinCheck(
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
    ...limitSteps<Answers>(editor, t("Create Identifier"), () => options.isListed),
    pickMany<(typeof searchTypes)[number]>({
      isAsked: () => !options.isListed,
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

/** The name that identifies a duplicate; that of a secret is never its value. */
const nameOf = ({ secretName, type, value }: Answers): { readonly type: IdentifierType; readonly name: string } => ({
  type,
  name: type === "secret" ? secretName : value.trim()
})

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

/** Names are compared case-insensitively. */
const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The API has singular and plural names for some places; only the singular is offered. */
const isPlural = (type: string) => searchTypes.some((other) => type === `${other}s`)

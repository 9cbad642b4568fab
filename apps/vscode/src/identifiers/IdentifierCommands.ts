/** Creates identifiers and groups, adds known identifiers, groups and forgets them. */
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Effect, Layer } from "effect"
import { filled, whole } from "../editor/Validation.ts"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { form, stepsOf } from "../editor/Form.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { identifiersOf } from "../events/AnyEvent.ts"
import { noFilter } from "../events/EventFilter.ts"
import { EventListings } from "../events/EventListings.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { IdentifierSubject } from "./IdentifierRow.ts"
import { Register } from "../register/Register.ts"

const identifierForm = Effect.promise(() => import("./IdentifierForm.ts"))

/** The answers to the questions for an identifier that the service knows. */
interface Known {
  /** The ID, as it was typed. */
  readonly text: string
  /** The name that the service gives it, else its ID. */
  readonly usual: string
  /** Undefined until it was typed. */
  readonly name: string | undefined
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const register = yield* Register
    const source = yield* EventListings
    const settings = yield* Settings

    const context = yield* Effect.context<Connections | Editor | Register>()
    yield* commands.on("identifiers.create", () =>
      Effect.flatMap(identifierForm, ({ createIdentifier }) => Effect.provideContext(createIdentifier(), context))
    )
    yield* commands.on(
      "identifiers.addById",
      Effect.fnUntraced(function* () {
        const { text } = stepsOf<Known>(editor, t("Add Known Identifier"))
        const asking = text({
          question: ({ text }) => ({ prompt: t("ID of the identifier"), value: text, check: whole }),
          set: (answers, typed) => (typed === answers.text ? answers : { ...answers, text: typed, name: undefined })
        })
        const { name = "", text: typed } = yield* form<Known, Failure>(
          [
            {
              ask: (...asked) =>
                Effect.flatMap(
                  asking.ask(...asked),
                  Effect.fnUntraced(function* (answers) {
                    const id = Number(answers.text)
                    // Its events prove that it exists, and may contain its name.
                    const [first] = yield* editor.progress(t("Looking for identifier {0}", answers.text.trim()), () =>
                      Effect.flatMap(
                        source.ofIdentifier({ id, name: answers.text, origin: "entered" }, noFilter),
                        ({ first }) => Effect.map(first, ({ items }) => items)
                      ).pipe(
                        Effect.catchTag("NotFound", () =>
                          Effect.fail(new NotPossible({ message: t("Identifier {0} not found.", answers.text.trim()) }))
                        )
                      )
                    )
                    const seen = first === undefined ? [] : identifiersOf(first)
                    return { ...answers, usual: seen.find((each) => each.id === id)?.name ?? answers.text.trim() }
                  })
                )
            },
            text({
              question: ({ name, usual }) => ({ prompt: t("A name to show"), value: name ?? usual, check: filled }),
              set: (answers, name) => ({ ...answers, name })
            })
          ],
          { text: "", usual: "", name: undefined }
        )
        const id = Number(typed)
        const before = (yield* register.identifiers).find((known) => known.id === id)
        yield* register.put({
          ...before,
          id,
          name: name.trim(),
          origin: before?.origin === "created" ? before.origin : "entered"
        })
      })
    )

    yield* commands.on(
      "identifiers.createGroup",
      Effect.fnUntraced(function* () {
        const { send } = yield* connections.asNow
        const title = t("Create Identifier Group")
        const name = yield* editor.ask({
          title,
          prompt: t("Name of the group"),
          check: filled
        })
        const group = yield* editor.progress(title, () =>
          send(Effect.flatMap(IdentifierGroups, (service) => service.create({ name: name.trim() })))
        )
        yield* register.learn({ groups: [{ id: group.id, name: group.name ?? name.trim() }] })
        yield* Effect.forkDetach(editor.notify("info", t("The group “{0}” was created.", group.name ?? name.trim())))
      })
    )
    yield* commands.on(
      "identifiers.group",
      Effect.fnUntraced(function* ({ subjects }) {
        const chosen = ofKind(subjects, IdentifierSubject).map(({ identifier }) => identifier)
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
            title: t("Move to Group"),
            placeholder: t("Groups are local to this editor: the service cannot assign identifiers to groups")
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
        const chosen = ofKind(subjects, IdentifierSubject).map(({ identifier }) => identifier)
        const [first, ...others] = chosen
        if (first === undefined) return
        const name = (yield* settings.get(masking)) ? maskText(first.name) : first.name
        yield* editor.confirm(
          others.length === 0 ? t("Forget the identifier “{0}”?", name) : t("Forget {0} identifiers?", chosen.length),
          t(
            "This removes it from the list only: the service keeps monitoring it. It reappears when an event or a policy names it, or when you add its ID."
          ),
          t("Forget")
        )
        yield* register.forgetIdentifiers(chosen.map(({ id }) => id))
      })
    )
  })
)

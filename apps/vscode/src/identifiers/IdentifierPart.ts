/** Bundle part that the first change of an identifier or group loads: implements the commands of rows. */
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import type { MonitoredIdentifierUpdate } from "@threat-exposure/core/domain/MonitoredIdentifier"
import { Effect } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Call, ofKind } from "../editor/Commands.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { hiding, type Settings } from "../editor/Settings.ts"
import { form, stepsOf } from "../editor/form/Form.ts"
import { filled, whole } from "../editor/form/Validation.ts"
import { identifiersOf as identifiersOfEvent } from "../events/AnyEvent.ts"
import { noFilter } from "../events/search/EventFilter.ts"
import { EventListings } from "../events/list/EventListings.ts"
import { ruleText } from "../policies/Policy.ts"
import { PolicyList } from "../policies/PolicyList.ts"
import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import { Register } from "../register/Register.ts"
import { count, t } from "../words/Localisation.ts"
import { groupCommands } from "./GroupCommands.ts"
import { changeEach, changeIdentifier } from "./IdentifierChanges.ts"
import { createIdentifier, updateIdentifier } from "./IdentifierForm.ts"
import { IdentifierSubject } from "./IdentifierRow.ts"

export { askIdentifierFilter } from "./IdentifierFilterForm.ts"
export { createIdentifier }

type Services = Connections | Editor | EventListings | PolicyList | Register | Settings
type Run = (call: Call) => Effect.Effect<unknown, Failure | Cancelled, Services>

const identifiersOf = ({ subjects }: Call): ReadonlyArray<KnownIdentifier> =>
  ofKind(subjects, IdentifierSubject).map(({ identifier }) => identifier)

/** Applies the same changes to each identifier; the service then matches them again. */
const change = (title: string, changes: Partial<MonitoredIdentifierUpdate>): Run =>
  Effect.fnUntraced(function* (call) {
    const connection = yield* (yield* Connections).asNow
    yield* changeEach(identifiersOf(call), title, ({ id }) => changeIdentifier(connection, id, changes))
  })

/** Answers about an identifier that already exists at the service. */
interface Known {
  /** The ID as typed. */
  readonly text: string
  /** Default name: that at the service, or else the ID. */
  readonly usual: string
  /** Undefined until the person enters it. */
  readonly name: string | undefined
}

const addById: Run = Effect.fnUntraced(function* () {
  const editor = yield* Editor
  const register = yield* Register
  const source = yield* EventListings
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
              // Load its events to check that it exists; they may contain its name.
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
              const seen = first === undefined ? [] : identifiersOfEvent(first)
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

const create: Run = () => createIdentifier()

const update: Run = Effect.fnUntraced(function* (call) {
  const [identifier] = identifiersOf(call)
  if (identifier?.listed !== undefined) yield* updateIdentifier({ ...identifier, listed: identifier.listed })
})

const remove: Run = Effect.fnUntraced(function* (call) {
  const editor = yield* Editor
  const register = yield* Register
  const { send } = yield* (yield* Connections).asNow
  const hide = yield* hiding
  const identifiers = identifiersOf(call)
  const [first] = identifiers
  if (first === undefined) return
  yield* editor.confirm(
    identifiers.length === 1
      ? t("Delete the identifier “{0}”?", hide(first.name))
      : t("Delete {0} identifiers?", identifiers.length),
    [
      ...(identifiers.length === 1 ? [] : [namesText(identifiers, hide)]),
      t("The service stops monitoring it, and deletes its matches with events. Disable it to keep them.")
    ].join("\n\n"),
    t("Delete")
  )
  const deleted: Array<number> = []
  yield* changeEach(
    identifiers,
    t("Deleting"),
    ({ id }) =>
      Effect.tap(send(Effect.flatMap(Identifiers, (service) => service.delete(id))), () =>
        Effect.sync(() => deleted.push(id))
      ),
    Effect.suspend(() => register.noteDeleted(deleted))
  )
})

/** Up to five names for a dialog. */
const namesText = (named: ReadonlyArray<{ readonly name: string }>, hide: (name: string) => string) => {
  const shown = named.slice(0, 5).map(({ name }) => hide(name))
  return named.length > 5 ? `${shown.join(", ")} …` : shown.join(", ")
}

/** Lets the person choose policies; those that all of the identifiers already have are preselected. */
const assignPolicies: Run = Effect.fnUntraced(function* (call) {
  const identifiers = identifiersOf(call)
  const [first] = identifiers
  if (first === undefined) return
  const { ask, send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const hide = yield* hiding
  const policies = yield* PolicyList
  const [before, all] = yield* editor.progress(t("Loading policies"), () =>
    Effect.all(
      [
        Effect.forEach(
          identifiers,
          ({ id }) =>
            ask(Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(id))).pipe(
              Effect.map((found) => ({ id, uuids: new Set(found.map(({ matching_policy }) => matching_policy.uuid)) }))
            ),
          { concurrency: 2 }
        ),
        policies.all
      ],
      { concurrency: 2 }
    )
  )
  if (all.length === 0) return yield* new NotPossible({ message: t("There is no policy yet: create one first.") })
  const isOfAll = (uuid: string) => before.every(({ uuids }) => uuids.has(uuid))
  const chosen = new Set(
    yield* editor.pickMany(
      all.map((policy) => ({
        label: policy.name ?? policy.uuid,
        description: ruleText(policy.policy),
        picked: isOfAll(policy.uuid),
        value: policy.uuid
      })),
      {
        title:
          identifiers.length === 1
            ? t("Policies of “{0}”", hide(first.name))
            : t("Policies of {0} identifiers", identifiers.length),
        placeholder: t("An event must match each of them (none means that every event counts)")
      }
    )
  )
  const changes = all.flatMap(({ uuid }) => {
    const isAssigned = chosen.has(uuid)
    if (isAssigned === isOfAll(uuid)) return []
    const ids = before.flatMap(({ id, uuids }) => (uuids.has(uuid) === isAssigned ? [] : [id]))
    return [{ uuid, isAssigned, assignment: { identifier_ids: ids } }]
  })
  if (changes.length === 0) return
  yield* changeEach(changes, t("Assign Policies"), ({ assignment, isAssigned, uuid }) =>
    send(
      Effect.flatMap(MatchingPolicies, (service) =>
        isAssigned ? service.assign(uuid, assignment) : service.unassign(uuid, assignment)
      )
    )
  )
  yield* Effect.forkDetach(
    editor.notify("info", t("{0} changed.", count(changes.length, "{0} policy", "{0} policies")))
  )
})

const forget: Run = Effect.fnUntraced(function* (call) {
  const register = yield* Register
  const hide = yield* hiding
  const chosen = identifiersOf(call)
  const [first, ...others] = chosen
  if (first === undefined) return
  yield* (yield* Editor).confirm(
    others.length === 0
      ? t("Forget the identifier “{0}”?", hide(first.name))
      : t("Forget {0} identifiers?", chosen.length),
    t(
      "This removes it from the list only: the service keeps monitoring it. It reappears when an event or a policy names it, or when you add its ID."
    ),
    t("Forget")
  )
  yield* register.forgetIdentifiers(chosen.map(({ id }) => id))
})

/** Keys are names of commands without the prefix `identifiers.`. */
export const identifierCommands = {
  addById,
  create,
  update,
  enable: change(t("Enabling"), { is_disabled: false }),
  disable: change(t("Disabling"), { is_disabled: true }),
  delete: remove,
  assignPolicies,
  forget,
  ...groupCommands
}

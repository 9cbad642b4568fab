/** Commands on groups, and the command that moves identifiers into a group. */
import { IdentifierGroups } from "@threat-exposure/core/client/IdentifierGroups"
import { Effect } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Call, ofKind } from "../editor/Commands.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { filled } from "../editor/form/Validation.ts"
import type { KnownIdentifier } from "../register/KnownIdentifier.ts"
import { type IdentifierGroup, Register } from "../register/Register.ts"
import { t } from "../words/Localisation.ts"
import { changeEach, changeIdentifier } from "./IdentifierChanges.ts"
import { GroupSubject, IdentifierSubject } from "./IdentifierRow.ts"
import { whyNoGroups } from "./IdentifierTree.ts"

type Run = (call: Call) => Effect.Effect<unknown, Failure | Cancelled, Connections | Editor | Register>

const groupsOf = ({ subjects }: Call): ReadonlyArray<IdentifierGroup> =>
  ofKind(subjects, GroupSubject).map(({ group }) => group)

const askGroupName = Effect.fnUntraced(function* (title: string, value = "") {
  const editor = yield* Editor
  return (yield* editor.ask({ title, prompt: t("Name of the group"), value, check: filled })).trim()
})

const createNamedGroup = Effect.fnUntraced(function* (title: string) {
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const name = yield* askGroupName(title)
  const created = yield* editor.progress(title, () =>
    send(Effect.flatMap(IdentifierGroups, (service) => service.create({ name })))
  )
  const group = { id: created.id, name: created.name ?? name }
  yield* register.learn({ groups: [group] })
  yield* register.outdate
  yield* Effect.forkDetach(editor.notify("info", t("The group “{0}” was created.", group.name)))
  return group
})

const createGroup: Run = () => createNamedGroup(t("Create Identifier Group"))

const renameGroup: Run = Effect.fnUntraced(function* (call) {
  const [group] = groupsOf(call)
  if (group === undefined) return
  const { send } = yield* (yield* Connections).asNow
  const title = t("Rename Group")
  const name = yield* askGroupName(title, group.name)
  yield* changeEach([group], title, ({ id }) =>
    send(Effect.flatMap(IdentifierGroups, (service) => service.update(id, { name })))
  )
})

const deleteGroup: Run = Effect.fnUntraced(function* (call) {
  const groups = groupsOf(call)
  const [first] = groups
  if (first === undefined) return
  const { send } = yield* (yield* Connections).asNow
  yield* (yield* Editor).confirm(
    groups.length === 1 ? t("Delete the group “{0}”?", first.name) : t("Delete {0} groups?", groups.length),
    t("Its identifiers stay, without a group."),
    t("Delete")
  )
  yield* changeEach(groups, t("Deleting"), ({ id }) =>
    send(Effect.flatMap(IdentifierGroups, (service) => service.delete(id)))
  )
})

const moveToGroup: Run = Effect.fnUntraced(function* (call) {
  const connection = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const identifiers = ofKind(call.subjects, IdentifierSubject).map(({ identifier }) => identifier)
  const title = t("Move to Group")
  const groups = yield* editor.progress(t("Loading groups"), () => register.groups)
  if (register.refusal("identifiers") !== undefined) return yield* moveHere(identifiers, groups)
  const refusal = register.refusal("groups")
  if (refusal !== undefined) return yield* new NotPossible({ message: whyNoGroups(refusal) })
  const chosen = yield* editor.pick<IdentifierGroup | "new" | "none">(
    [
      ...groups.map((group) => ({ label: group.name, icon: "folder", value: group })),
      { label: t("New group…"), icon: "new-folder", value: "new" },
      { label: t("No group"), icon: "circle-slash", value: "none" }
    ],
    { title }
  )
  const group = chosen === "new" ? yield* createNamedGroup(title) : chosen
  const group_id = group === "none" ? null : group.id
  yield* changeEach(identifiers, title, ({ id }) => changeIdentifier(connection, id, { group_id }))
})

/** For services that do not list identifiers: their groups exist only in this editor. */
const moveHere = Effect.fnUntraced(function* (
  identifiers: ReadonlyArray<KnownIdentifier>,
  groups: ReadonlyArray<IdentifierGroup>
) {
  const register = yield* Register
  const names = new Set([
    ...groups.map(({ name }) => name),
    ...(yield* register.identifiers).flatMap(({ group }) => group ?? [])
  ])
  const group = yield* (yield* Editor).pick<string | undefined>(
    [
      ...Array.from(names, (name) => ({ label: name, icon: "folder", value: name })),
      { label: t("No group"), icon: "circle-slash", value: undefined }
    ],
    {
      title: t("Move to Group"),
      placeholder: t("Groups are local to this editor: the service does not list identifiers")
    }
  )
  for (const identifier of identifiers) {
    const { group: _, ...rest } = identifier
    yield* register.put(group === undefined ? rest : { ...rest, group })
  }
})

/** Keys are names of commands without the prefix `identifiers.`. */
export const groupCommands = { createGroup, renameGroup, deleteGroup, group: moveToGroup }

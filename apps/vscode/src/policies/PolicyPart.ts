/** Bundle part that the first change of a policy loads: implements the commands of rows. */
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import {
  type MatchingPolicyUpdate,
  maxAssignments,
  type NewMatchingPolicy,
  type PolicyAssignment
} from "@threat-exposure/core/domain/MatchingPolicy"
import { Effect } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Call, ofKind } from "../editor/Commands.ts"
import { type Cancelled, Editor } from "../editor/Editor.ts"
import { form, stepsOf, submit } from "../editor/form/Form.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { hiding, type Settings } from "../editor/Settings.ts"
import { firstPage, type Listed, type Listing, makeListing } from "../listing/Listing.ts"
import { Register } from "../register/Register.ts"
import { count, number, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { type Policy, ruleText } from "./Policy.ts"
import { askNewPolicy, askPolicyUpdate } from "./PolicyForm.ts"
import { PolicyList } from "./PolicyList.ts"
import { AssignmentSubject, PolicySubject } from "./PolicyTree.ts"

type Services = Connections | Editor | PolicyList | Register | Settings
type Run = (call: Call) => Effect.Effect<unknown, Failure | Cancelled, Services>

const policiesOf = ({ subjects }: Call): ReadonlyArray<Policy> =>
  ofKind(subjects, PolicySubject).map(({ policy }) => policy)

const create: Run = Effect.fnUntraced(function* () {
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const created = yield* submit(
    editor,
    (refused?: NewMatchingPolicy) => askNewPolicy(editor, refused),
    (policy) =>
      editor.progress(t("Create Policy"), () =>
        send(Effect.flatMap(MatchingPolicies, (service) => service.create(policy)))
      )
  )
  yield* (yield* Register).learn({ policies: [{ uuid: created.uuid, name: created.name, origin: "created" }] })
  yield* (yield* PolicyList).outdate
  yield* Effect.forkDetach(
    editor.notify("info", t("The policy “{0}” was created. It has no effect until it is assigned.", created.name))
  )
})

const update: Run = Effect.fnUntraced(function* (call) {
  const [policy] = policiesOf(call)
  if (policy === undefined) return
  const { ask, send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const current = yield* editor.progress(t("Loading policies"), () =>
    ask(Effect.flatMap(MatchingPolicies, (service) => service.get(policy.uuid)))
  )
  yield* submit(
    editor,
    (refused?: MatchingPolicyUpdate) => askPolicyUpdate(editor, { ...current, ...refused }),
    (changed) =>
      editor.progress(t("Change Policy"), () =>
        send(Effect.flatMap(MatchingPolicies, (service) => service.update(policy.uuid, changed)))
      )
  )
  yield* (yield* PolicyList).outdate
})

export type AssignmentListing = Listing<PolicyAssignment, Failure>

/** Lists the assignments of a policy, and adds their identifiers to the register. */
export const assignmentListing = Effect.fnUntraced(function* (
  uuid: string
): Effect.fn.Return<AssignmentListing, never, Connections | Register> {
  const connections = yield* Connections
  const register = yield* Register
  return yield* makeListing<PolicyAssignment, Failure, never>({
    size: maxAssignments,
    key: ({ identifier_id }) => String(identifier_id),
    page: (from) =>
      connections
        .ask(
          Effect.flatMap(MatchingPolicies, (service) =>
            firstPage(
              service.pagesOfAssignments(uuid, { size: maxAssignments, ...(from === undefined ? {} : { from }) })
            )
          )
        )
        .pipe(
          Effect.tap(({ items }) =>
            register.learn({
              identifiers: items.map(({ identifier_id, identifier_name }) => ({
                id: identifier_id,
                name: identifier_name ?? String(identifier_id),
                origin: "assignment" as const
              }))
            })
          )
        )
  })
})

export const firstAssignments = (uuid: string) => Effect.flatMap(assignmentListing(uuid), ({ first }) => first)

const addById: Run = Effect.fnUntraced(function* () {
  const editor = yield* Editor
  const uuid = (yield* editor.ask({
    title: t("Add Known Policy"),
    prompt: t("UUID of the policy"),
    check: (text) => (/^[\w-]{1,64}$/u.test(text.trim()) ? undefined : t("This is not a UUID"))
  })).trim()
  yield* editor.progress(t("Looking for policy {0}", uuid), () =>
    Effect.catchTag(firstAssignments(uuid), "NotFound", () =>
      Effect.fail(new NotPossible({ message: t("Policy {0} not found.", uuid) }))
    )
  )
  yield* (yield* Register).learn({ policies: [{ uuid, origin: "entered" }] })
  yield* (yield* PolicyList).outdate
})

/** Answers about the assignment of a policy. */
interface Assignment {
  readonly policy: Policy
  readonly ids: ReadonlyArray<number>
  /** Whether to remove past events that do not match. */
  readonly clean: boolean
}

const assignmentOf = (policy: Policy): Assignment => ({
  policy,
  ids: policy.identifiers.map(({ id }) => id),
  clean: false
})

const assign: Run = Effect.fnUntraced(function* (call) {
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const list = yield* PolicyList
  const [given] = policiesOf(call)
  const policies = given === undefined ? yield* editor.progress(t("Loading policies"), () => list.all) : [given]
  const [first] = policies
  if (first === undefined) {
    return yield* new NotPossible({ message: t("No policy is known here yet: add one by its ID.") })
  }
  const identifiers = yield* editor.progress(t("Loading identifiers"), () => register.allIdentifiers)
  if (identifiers.length === 0) {
    return yield* new NotPossible({ message: t("No identifier is known here yet: create one first.") })
  }
  const hide = yield* hiding
  const { pick, pickMany } = stepsOf<Assignment>(editor, t("Assign Policy"))
  const titled = ({ policy }: Assignment) => t("Assign “{0}”", policy.name ?? policy.uuid)
  const assignment = yield* form(
    [
      pick<Policy>({
        isAsked: () => given === undefined,
        choices: () =>
          policies.map((policy) => ({
            label: policy.name ?? policy.uuid,
            description: ruleText(policy.policy),
            value: policy
          })),
        get: ({ policy }) => policy,
        question: () => ({ placeholder: t("Which policy?") }),
        set: (answers, policy) => (policy === answers.policy ? answers : assignmentOf(policy))
      }),
      pickMany<number>({
        choices: () =>
          identifiers.map(({ id, name, type }) => ({
            label: hide(name),
            description: type === undefined ? String(id) : `${nameOfType(type)} · ${id}`,
            value: id
          })),
        get: ({ ids }) => ids,
        question: (answers) => ({
          title: titled(answers),
          placeholder: t("Select identifiers (existing assignments stay)")
        }),
        set: (answers, ids) => ({ ...answers, ids })
      }),
      pick<boolean>({
        isAsked: ({ ids }) => ids.length > 0,
        choices: () => [
          {
            label: t("Keep past events"),
            detail: t("The policy applies to new events; past events stay."),
            value: false
          },
          {
            label: t("Remove past events that do not match"),
            detail: t("Removes the past events that the policy does not match; this cannot be undone."),
            value: true
          }
        ],
        question: (answers) => ({ title: titled(answers) }),
        get: ({ clean }) => clean,
        set: (answers, clean) => ({ ...answers, clean })
      })
    ],
    assignmentOf(first)
  )
  const { clean, ids, policy } = assignment
  if (ids.length === 0) return
  yield* editor.progress(titled(assignment), () =>
    send(
      Effect.flatMap(MatchingPolicies, (service) =>
        service.assign(policy.uuid, { identifier_ids: ids, clean_past_events: clean })
      )
    )
  )
  yield* Effect.forkDetach(
    editor.notify(
      "info",
      t("“{0}” is assigned to {1}.", policy.name ?? policy.uuid, count(ids.length, "{0} identifier", "{0} identifiers"))
    )
  )
  yield* list.outdate
})

/** Works on rows of an identifier under a policy, and of a policy under an identifier. */
const unassign: Run = Effect.fnUntraced(function* ({ subjects }) {
  const { send } = yield* (yield* Connections).asNow
  const assignments = [
    ...ofKind(subjects, AssignmentSubject),
    ...ofKind(subjects, PolicySubject).flatMap(({ assignedTo, policy: { uuid } }) =>
      assignedTo === undefined ? [] : [{ uuid, identifier: assignedTo }]
    )
  ]
  const byPolicy = Map.groupBy(assignments, ({ uuid }) => uuid)
  yield* (yield* Editor)
    .progress(t("Unassigning"), () =>
      Effect.forEach(
        byPolicy,
        ([uuid, some]) =>
          send(
            Effect.flatMap(MatchingPolicies, (service) =>
              service.unassign(uuid, { identifier_ids: some.map(({ identifier }) => identifier) })
            )
          ),
        { discard: true }
      )
    )
    .pipe(Effect.ensuring((yield* PolicyList).outdate))
  yield* (yield* Register).outdate
})

const remove: Run = Effect.fnUntraced(function* (call) {
  const policies = policiesOf(call)
  const names = policies.map(({ name, uuid }) => name ?? uuid)
  const [first] = names
  if (first === undefined) return
  const { send } = yield* (yield* Connections).asNow
  const editor = yield* Editor
  const register = yield* Register
  const list = yield* PolicyList
  const assignments = yield* editor.progress(t("Reading the assignments of {0}", names.join(", ")), () =>
    Effect.forEach(policies, ({ uuid }) => firstAssignments(uuid))
  )
  yield* editor.confirm(
    names.length === 1 ? t("Delete the policy “{0}”?", first) : t("Delete {0} policies?", names.length),
    [...(names.length === 1 ? [] : [names.join(", ")]), lossText(assignments, yield* hiding)].join("\n\n"),
    t("Delete")
  )
  yield* editor
    .progress(t("Deleting"), () =>
      Effect.forEach(
        policies,
        ({ uuid }) =>
          Effect.andThen(
            send(Effect.flatMap(MatchingPolicies, (service) => service.delete(uuid))),
            register.forgetPolicy(uuid)
          ),
        { discard: true }
      )
    )
    .pipe(Effect.ensuring(list.outdate))
})

/** Describes the assignments that are deleted together with policies. */
const lossText = (assignments: ReadonlyArray<Listed<PolicyAssignment>>, hide: (name: string) => string): string => {
  const names = new Map(
    assignments
      .flatMap(({ items }) => items)
      .map(({ identifier_id, identifier_name }) => [identifier_id, identifier_name ?? String(identifier_id)] as const)
  )
  const kept = t("The service keeps no copy.")
  if (names.size === 0) return `${t("Assigned to no identifier.")} ${kept}`
  const isCut = assignments.some(({ hasMore }) => hasMore)
  const shown = [...names.values()].slice(0, 5).map(hide).join(", ")
  return [
    t(
      "Assigned to {0}: {1}.",
      isCut ? t("{0} identifiers or more", number(names.size)) : count(names.size, "{0} identifier", "{0} identifiers"),
      names.size > 5 ? `${shown} …` : shown
    ),
    t("An identifier without a policy matches every event again."),
    kept
  ].join(" ")
}

const forget: Run = Effect.fnUntraced(function* (call) {
  const register = yield* Register
  for (const { uuid } of policiesOf(call)) yield* register.forgetPolicy(uuid)
  yield* (yield* PolicyList).outdate
})

/** Keys are names of commands without the prefix `policies.`. */
export const policyCommands = { addById, assign, create, delete: remove, forget, unassign, update }

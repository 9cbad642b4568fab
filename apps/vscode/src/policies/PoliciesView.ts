/** The Policies view: the policies of the identifiers known here, and whom each is assigned to. */
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import type { PolicyAssignment } from "@threat-exposure/core/domain/MatchingPolicy"
import { Clock, Effect, Layer, Stream } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { form, stepsOf } from "../editor/Form.ts"
import { Register } from "../register/Register.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { nameOfIdentifier } from "../register/RegisterEntries.ts"
import { count, number, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { Pages } from "../editor/Pages.ts"
import { PageWriter } from "../editor/PageWriter.ts"
import { NotPossible } from "../editor/Problem.ts"
import type { Icon } from "../editor/Row.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { TreeNode } from "../editor/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import { policyNode, PolicySubject } from "./PolicyTree.ts"
import { joinPolicies, kindText, type Policy, policyOf, ruleText } from "./Policy.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localDate, localTime } from "../words/Dates.ts"

/** The maximum number of assignments shown; of the others, only the number is. */
const maxAssignments = 100

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const register = yield* Register
    const settings = yield* Settings
    const pages = yield* Pages
    const busy = new Set<string>()
    let loaded: ReadonlyArray<Policy> | undefined
    let asOf: number | undefined
    const hiding = Effect.map(settings.get(masking), (masked) => (masked ? maskText : (text: string) => text))

    const load = Effect.gen(function* () {
      const identifiers = yield* register.identifiers
      const found = yield* Effect.forEach(
        identifiers,
        (identifier) =>
          connections.ask(Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(identifier.id))).pipe(
            Effect.map((policies) => policies.map((assigned) => policyOf(assigned, identifier))),
            // An identifier that was entered by hand may not exist.
            Effect.catchTag("NotFound", () => Effect.succeed([]))
          ),
        { concurrency: 2 }
      )
      const known = yield* register.policies
      const rows = joinPolicies(
        found.flat(),
        known.map(({ uuid, name }) => ({ uuid, name, policy: undefined, identifiers: [] }))
      )
      loaded = rows
      asOf = yield* Clock.currentTimeMillis
      yield* register.learn({
        policies: found
          .flat()
          .flatMap(({ uuid, name }) => (name === undefined ? [] : [{ uuid, name, origin: "assignment" as const }]))
      })
      // `register.learn` may have reset the view.
      return rows
    })

    const assignmentsOf = Effect.fnUntraced(function* (uuid: string) {
      const found = yield* connections.ask(
        Effect.flatMap(MatchingPolicies, (service) =>
          Stream.runCollect(Stream.take(service.assignments(uuid, { size: maxAssignments }), maxAssignments))
        )
      )
      yield* register.learn({
        identifiers: found.map(({ identifier_id, identifier_name }) => ({
          id: identifier_id,
          name: identifier_name ?? String(identifier_id),
          origin: "assignment" as const
        }))
      })
      return found
    })

    const view: ServiceView = yield* makeServiceView({
      name: "policies",
      loading: t("Loading policies"),
      hasContent: () => loaded !== undefined,
      reset: Effect.sync(() => {
        loaded = undefined
        busy.clear()
      }),
      roots: Effect.fnUntraced(function* (view) {
        const hide = yield* hiding
        const rows = loaded ?? (yield* load)
        return rows.map((row) =>
          policyNode("policies:", row, {
            isBusy: busy.has(row.uuid),
            kinds: ["known"],
            children: view.under(
              `policies:${row.uuid}`,
              Effect.zipWith(assignmentsOf(row.uuid), register.identifiers, (assignments, known) =>
                assignments.length === 0
                  ? [plain(`policies:${row.uuid}/nothing`, t("Assigned to no identifier."), { id: "circle-slash" })]
                  : assignments.map((assignment) => {
                      const { identifier_id: id, identifier_name } = assignment
                      const name = nameOfIdentifier({ id, name: identifier_name ?? String(id) })
                      return plain(
                        `policies:${row.uuid}/${assignment.identifier_id}`,
                        hide(name),
                        iconOf(known.find((each) => each.id === id)?.type),
                        [
                          assignment.assigned_at === null ? [] : [t("assigned {0}", localDate(assignment.assigned_at))],
                          assignment.clean_past_events ? [t("past events removed")] : []
                        ]
                          .flat()
                          .join(" · ")
                      )
                    })
              )
            )
          })
        )
      })
    })

    yield* commands.on("policies.refresh", () => view.refresh(load, () => asOf))

    yield* commands.on(
      "policies.addById",
      Effect.fnUntraced(function* () {
        const uuid = (yield* editor.ask({
          title: t("Add Known Policy"),
          prompt: t("UUID of the policy"),
          check: (text) => (/^[\w-]{1,64}$/u.test(text.trim()) ? undefined : t("This is not a UUID"))
        })).trim()
        yield* editor.progress(t("Looking for policy {0}", uuid), () =>
          Effect.catchTag(assignmentsOf(uuid), "NotFound", () =>
            Effect.fail(new NotPossible({ message: t("Policy {0} not found.", uuid) }))
          )
        )
        yield* register.learn({ policies: [{ uuid, origin: "entered" }] })
        loaded = undefined
        yield* view.retry
      })
    )

    yield* commands.on(
      "policies.assign",
      Effect.fnUntraced(function* ({ subjects }) {
        const { send } = yield* connections.asNow
        const given = ofKind(subjects, PolicySubject)[0]?.policy
        const policies =
          given !== undefined ? [given] : (loaded ?? (yield* editor.progress(t("Loading policies"), () => load)))
        const [first] = policies
        if (first === undefined) {
          return yield* new NotPossible({ message: t("No policy is known here yet: add one by its ID.") })
        }
        const identifiers = yield* register.identifiers
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
        const title = titled(assignment)
        yield* editor.progress(title, () =>
          send(
            Effect.flatMap(MatchingPolicies, (service) =>
              service.assign(policy.uuid, { identifier_ids: ids, clean_past_events: clean })
            )
          )
        )
        yield* Effect.forkDetach(
          editor.notify(
            "info",
            t(
              "“{0}” is assigned to {1}.",
              policy.name ?? policy.uuid,
              count(ids.length, "{0} identifier", "{0} identifiers")
            )
          )
        )
        loaded = undefined
        yield* view.retry
      })
    )

    yield* commands.on(
      "policies.delete",
      Effect.fnUntraced(function* ({ subjects }) {
        const policies = ofKind(subjects, PolicySubject).map(({ policy }) => policy)
        const names = policies.map(({ name, uuid }) => name ?? uuid)
        const [first] = names
        if (first === undefined) return
        const { send } = yield* connections.asNow
        const assignments = yield* editor.progress(t("Reading the assignments of {0}", names.join(", ")), () =>
          Effect.forEach(policies, ({ uuid }) => assignmentsOf(uuid))
        )
        yield* editor.confirm(
          names.length === 1 ? t("Delete the policy “{0}”?", first) : t("Delete {0} policies?", names.length),
          [...(names.length === 1 ? [] : [names.join(", ")]), lossText(assignments, yield* hiding)].join("\n\n"),
          t("Delete")
        )
        for (const { uuid } of policies) busy.add(uuid)
        yield* view.tree.refresh()
        yield* Effect.forEach(
          policies,
          Effect.fnUntraced(function* ({ uuid }) {
            yield* send(Effect.flatMap(MatchingPolicies, (service) => service.delete(uuid)))
            busy.delete(uuid)
            loaded = loaded?.filter((row) => row.uuid !== uuid)
            yield* register.forgetPolicy(uuid)
          }),
          { discard: true }
        ).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              for (const { uuid } of policies) busy.delete(uuid)
              return view.retry
            })
          )
        )
      })
    )

    yield* commands.on(
      "policies.forget",
      Effect.fnUntraced(function* ({ subjects }) {
        for (const { policy } of ofKind(subjects, PolicySubject)) {
          yield* register.forgetPolicy(policy.uuid)
          loaded = loaded?.filter(({ uuid }) => uuid !== policy.uuid)
        }
        yield* view.retry
      })
    )

    yield* commands.on("policies.openPage", ({ subjects }) => {
      const [subject] = ofKind(subjects, PolicySubject)
      return subject === undefined
        ? Effect.void
        : pages.open("policy", subject.policy.uuid, subject.policy.name ?? subject.policy.uuid)
    })
    yield* pages.renderedBy(
      "policy",
      Effect.fnUntraced(function* (uuid) {
        const rows = loaded ?? (yield* load)
        const row = rows.find((each) => each.uuid === uuid)
        const assignments = yield* assignmentsOf(uuid)
        const page = new PageWriter().heading(1, row?.name ?? uuid)
        page.field(t("UUID"), uuid)
        if (row?.policy !== undefined) {
          const { value, created_at, last_updated_at } = row.policy
          page.field(t("Kind"), kindText(row.policy))
          page.field(t("Rule"), ruleText(row.policy))
          if (created_at !== null) page.field(t("Created"), localTime(created_at))
          if (last_updated_at !== null) page.field(t("Changed"), localTime(last_updated_at))
          page.block(t("Value"), JSON.stringify(value, undefined, 2))
        } else page.field(t("Rule"), ruleText(undefined))
        page.heading(2, t("Assignments"))
        if (assignments.length === 0) page.paragraph(t("Assigned to no identifier."))
        else {
          page.table(
            [t("Identifier"), t("ID"), t("Assigned"), t("Past events removed")],
            assignments.map((assignment) => [
              assignment.identifier_name ?? "",
              String(assignment.identifier_id),
              assignment.assigned_at === null ? "" : localTime(assignment.assigned_at),
              assignment.clean_past_events ? t("yes") : t("no")
            ])
          )
        }
        return { written: page.done() }
      })
    )

    let known = (yield* register.identifiers).map(({ id }) => id).join()
    yield* register.changes.pipe(
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          const ids = (yield* register.identifiers).map(({ id }) => id).join()
          if (ids === known) return
          known = ids
          loaded = undefined
          yield* view.tree.refresh()
        })
      ),
      Effect.forkScoped
    )
  })
)

/** A policy as it is to be assigned. */
interface Assignment {
  readonly policy: Policy
  readonly ids: ReadonlyArray<number>
  /** Whether past events that do not match are removed. */
  readonly clean: boolean
}

const assignmentOf = (policy: Policy): Assignment => ({
  policy,
  ids: policy.identifiers.map(({ id }) => id),
  clean: false
})

/** The assignments that are deleted with policies. */
const lossText = (
  assignments: ReadonlyArray<ReadonlyArray<PolicyAssignment>>,
  hide: (name: string) => string
): string => {
  const names = new Map(
    assignments
      .flat()
      .map(({ identifier_id, identifier_name }) => [identifier_id, identifier_name ?? String(identifier_id)] as const)
  )
  const kept = t("The service keeps no copy.")
  if (names.size === 0) return `${t("Assigned to no identifier.")} ${kept}`
  const isCut = assignments.some(({ length }) => length >= maxAssignments)
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

const plain = (id: string, label: string, icon: Icon, description = "") =>
  new TreeNode({ id, label, description, icon, state: "leaf" })

/** The Policies view: rules that decide which events count, and the identifiers that they apply to. */
import { Effect, Layer, Stream } from "effect"
import { Commands } from "../editor/Commands.ts"
import type { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { moreRow } from "../events/list/EventTree.ts"
import { lackingRow } from "../register/LackingRow.ts"
import { Register } from "../register/Register.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { nameOfIdentifier } from "../register/RegisterEntries.ts"
import { t } from "../words/Localisation.ts"
import type { Icon } from "../editor/tree/Row.ts"
import { hiding, type Settings } from "../editor/Settings.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import { AssignmentSubject, policyNode } from "./PolicyTree.ts"
import type { Policy } from "./Policy.ts"
import type { AssignmentListing } from "./PolicyPart.ts"
import { PolicyList } from "./PolicyList.ts"
import { localDate } from "../words/Dates.ts"

const part = Effect.promise(() => import("./PolicyPart.ts"))

const inPart = ["addById", "assign", "create", "delete", "forget", "unassign", "update"] as const

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const register = yield* Register
    const list = yield* PolicyList
    const context = yield* Effect.context<Connections | Editor | PolicyList | Register | Settings>()

    /** Assignments by the uuid of the policy; cleared after a change or a refresh. */
    const assignments = new Map<string, AssignmentListing>()
    const forgetAssignments = Effect.sync(() => assignments.clear())
    const reload = Effect.andThen(forgetAssignments, list.reload)

    const assignmentsOf = Effect.fnUntraced(function* (uuid: string) {
      const { assignmentListing } = yield* part
      const listing = assignments.get(uuid) ?? (yield* Effect.provideContext(assignmentListing(uuid), context))
      assignments.set(uuid, listing)
      return listing
    })

    const assignmentNodes = Effect.fnUntraced(function* (
      view: ServiceView,
      { uuid }: Policy,
      hide: (name: string) => string
    ) {
      const listing = yield* assignmentsOf(uuid)
      const { hasMore, items } = yield* listing.first
      const known = yield* register.identifiers
      const owner = `policies:${uuid}`
      if (items.length === 0) {
        const icon: Icon = { id: "circle-slash" }
        return [new TreeNode({ id: `${owner}/nothing`, label: t("Assigned to no identifier."), icon, state: "leaf" })]
      }
      const rows = items.map(({ assigned_at, clean_past_events, identifier_id: id, identifier_name }) => {
        const facts = [
          ...(assigned_at === null ? [] : [t("assigned {0}", localDate(assigned_at))]),
          ...(clean_past_events ? [t("past events removed")] : [])
        ]
        return new TreeNode(
          {
            id: `${owner}/${id}`,
            label: hide(nameOfIdentifier({ id, name: identifier_name ?? String(id) })),
            description: facts.join(" · "),
            icon: iconOf(known.find((each) => each.id === id)?.type),
            state: "leaf",
            kinds: ["assignment"]
          },
          { subject: new AssignmentSubject(uuid, id) }
        )
      })
      return hasMore ? [...rows, moreRow(owner, items.length, listing, view)] : rows
    })

    const view: ServiceView = yield* makeServiceView({
      name: "policies",
      loading: t("Loading policies"),
      hasContent: () => list.asOf() !== undefined || list.refusal() !== undefined,
      reset: forgetAssignments,
      roots: Effect.fnUntraced(function* (view) {
        const hide = yield* Effect.provideContext(hiding, context)
        const policies = yield* list.load
        const refusal = list.refusal()
        if (refusal?._tag === "Forbidden" && policies.length === 0) return yield* Effect.fail(refusal)
        yield* editor.setContext("policies.listed", refusal === undefined)
        const listing = list.listing()
        return [
          ...policies.map((policy) =>
            policyNode("policies:", policy, {
              kinds: [refusal === undefined ? "listed" : "known"],
              children: view.under(`policies:${policy.uuid}`, assignmentNodes(view, policy, hide))
            })
          ),
          ...(refusal === undefined && listing?.now().hasMore === true
            ? [moreRow("policies:", policies.length, listing, view)]
            : []),
          ...(refusal === undefined ? [] : [lackingRow("policies", refusal, policies.length, whatIsKnown)])
        ]
      })
    })

    yield* commands.on("policies.refresh", () => view.refresh(reload, list.asOf))
    for (const name of inPart) {
      yield* commands.on(`policies.${name}`, (call) =>
        Effect.flatMap(part, ({ policyCommands }) => Effect.provideContext(policyCommands[name](call), context))
      )
    }
    yield* list.outdated.pipe(
      Stream.runForEach(() => view.renew(reload, list.asOf)),
      Effect.forkScoped
    )

    let known = (yield* register.identifiers).map(({ id }) => id).join()
    yield* register.changes.pipe(
      Stream.filter(() => list.refusal() !== undefined),
      Stream.runForEach(
        Effect.fnUntraced(function* () {
          const ids = (yield* register.identifiers).map(({ id }) => id).join()
          if (ids === known) return
          known = ids
          yield* list.outdate
        })
      ),
      Effect.forkScoped
    )
  })
)

const whatIsKnown = () => t("These are assigned to an identifier that is known here, or were added by their ID.")

/** The content of the page of an identifier, group, policy or recommendation. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Events } from "@threat-exposure/core/client/Events"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { MatchingPolicies } from "@threat-exposure/core/client/MatchingPolicies"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import type { ReportedSeverity } from "@threat-exposure/core/domain/Severity"
import type { Page } from "@threat-exposure/core/domain/Page"
import { Effect, Option, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { type Failure, NotPossible, problemOf } from "../editor/Problem.ts"
import type { Subject } from "../editor/tree/Subject.ts"
import { type AnyEvent, severityOf, titleOf } from "../events/AnyEvent.ts"
import { firstPage } from "../listing/Listing.ts"
import { GroupSubject, IdentifierSubject, limitsOf, originText } from "../identifiers/IdentifierRow.ts"
import { kindText, listedPolicy, type Policy, policyOf, ruleText } from "../policies/Policy.ts"
import { PolicyList } from "../policies/PolicyList.ts"
import { firstAssignments } from "../policies/PolicyPart.ts"
import { PolicySubject } from "../policies/PolicyTree.ts"
import { recommendedValueOf, RecommendationSubject } from "../recommendations/RecommendationSubject.ts"
import { type KnownIdentifier, listedIdentifier, valueOf } from "../register/KnownIdentifier.ts"
import { Register } from "../register/Register.ts"
import { nameOfIdentifier } from "../register/RegisterEntries.ts"
import { localTime } from "../words/Dates.ts"
import { count, number, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import type { RecordCommand } from "./RecordMessage.ts"
import type { RecordName } from "./RecordPanel.ts"

export interface RecordItem {
  readonly label: string
  readonly details: string
  readonly to: RecordName | { readonly uid: string }
  readonly severity?: ReportedSeverity
}

export interface RecordDocument {
  readonly title: string
  readonly type: string
  /** States such as "disabled". */
  readonly states: ReadonlyArray<string>
  /** The subject of the page's commands. */
  readonly subject: Subject
  readonly commands: ReadonlyArray<RecordCommand>
  readonly fields: ReadonlyArray<{ readonly label: string; readonly value: string; readonly to?: RecordName }>
  readonly lists: ReadonlyArray<RecordList>
}

interface RecordList {
  readonly heading: string
  readonly items: ReadonlyArray<RecordItem>
  /** Text for an empty list, or a note below the items. */
  readonly note: string | undefined
}

type Hide = (name: string) => string
type Load = (id: string, hide: Hide) => Effect.Effect<RecordDocument, Failure, Connections | PolicyList | Register>

export const loadRecord = ({ id, kind }: RecordName, hide: Hide): ReturnType<Load> => loads[kind](id, hide)

const field = (label: string, value: string | null | undefined) =>
  value === null || value === undefined || value === "" ? [] : [{ label, value }]

const missing = (message: string) => Effect.fail(new NotPossible({ message }))

/** The newest events, loaded with a single request. */
const eventsList = (pages: Stream.Stream<Page<AnyEvent>, Failure, Events>, hide: Hide) =>
  listOrWhy(t("Latest events"), newestEvents(pages, hide))

const newestEvents = (pages: Stream.Stream<Page<AnyEvent>, Failure, Events>, hide: Hide) =>
  Effect.gen(function* () {
    const { items, next } = yield* (yield* Connections).ask(firstPage(pages))
    return {
      heading: t("Latest events"),
      items: items.map((event): RecordItem => {
        const severity = severityOf(event)
        const at = event.metadata.estimated_created_at
        return {
          label: hide(titleOf(event).text),
          details: [t(severity), nameOfType(event.metadata.type), ...(at === null ? [] : [localTime(at)])].join(" · "),
          to: { uid: event.metadata.uid },
          severity
        }
      }),
      note: items.length === 0 ? t("No events match.") : next === null ? undefined : t("The view has the other events.")
    }
  })

/** A list that the service lacks, or that the key may not read, becomes a note: the page has more than that. */
const listOrWhy = <R>(
  heading: string,
  list: Effect.Effect<RecordList, Failure, R>
): Effect.Effect<RecordList, Failure, R> =>
  Effect.catchIf(list, isNotServed, (failure) =>
    Effect.succeed({
      heading,
      items: [],
      note: failure._tag === "NotFound" ? t("The service does not offer this.") : problemOf(failure).message
    })
  )

const policiesOf = (found: KnownIdentifier) =>
  Effect.gen(function* () {
    const { ask } = yield* Connections
    const policies = yield* ask(Effect.flatMap(MatchingPolicies, (service) => service.ofIdentifier(found.id)))
    return {
      heading: t("Policies"),
      items: policies.map((assigned): RecordItem => {
        const { name, policy, uuid } = policyOf(assigned, found)
        return { label: name ?? uuid, details: ruleText(policy), to: { kind: "policy", id: uuid } }
      }),
      note: policies.length === 0 ? t("No policy: every event counts.") : undefined
    }
  })

const identifier: Load = Effect.fnUntraced(function* (id, hide) {
  const { ask } = yield* Connections
  const register = yield* Register
  const isListed = yield* register.isListed
  const found: KnownIdentifier | undefined = isListed
    ? listedIdentifier(yield* ask(Effect.flatMap(Identifiers, (service) => service.get(Number(id)))))
    : (yield* register.identifiers).find((known) => String(known.id) === id)
  if (found === undefined) return yield* missing(t("This identifier is no longer in the list."))
  const { listed, origin, searchTypes, type } = found
  const [policies, groups, events] = yield* Effect.all(
    [
      listOrWhy(t("Policies"), policiesOf(found)),
      register.groups,
      eventsList(
        Stream.unwrap(Effect.map(Events, (service) => service.pagesOfIdentifier(found.id, { size: 10 }))),
        hide
      )
    ],
    { concurrency: 3 }
  )
  const groupId = listed?.group_id ?? undefined
  const group = groups.find((each) => each.id === groupId)
  const value = listed === undefined ? "" : valueOf(listed.data)
  const total = listed?.enrichments?.event_count
  return {
    title: hide(found.name),
    type: type === undefined ? t("Identifier") : nameOfType(type),
    states: listed === undefined ? [originText(origin)] : listed.is_disabled ? [t("disabled")] : [],
    subject: new IdentifierSubject(found),
    commands:
      listed === undefined
        ? ["identifiers.assignPolicies", "identifiers.group", "identifiers.forget"]
        : [
            "identifiers.update",
            "identifiers.assignPolicies",
            "identifiers.group",
            listed.is_disabled ? "identifiers.enable" : "identifiers.disable",
            "identifiers.delete"
          ],
    fields: [
      ...field(t("Value"), value === found.name ? "" : hide(value)),
      ...(groupId === undefined
        ? field(t("Group"), found.group)
        : [
            {
              label: t("Group"),
              value: group?.name ?? t("Group {0}", groupId),
              to: { kind: "group" as const, id: String(groupId) }
            }
          ]),
      ...field(t("Events"), total == null ? undefined : number(total)),
      ...field(t("Limits"), listed === undefined ? undefined : limitsOf(listed).join("; ")),
      ...field(t("Searched in"), searchTypes === undefined ? undefined : placesOf(searchTypes)),
      ...field(t("Changed"), listed?.updated_at === undefined ? undefined : localTime(listed.updated_at)),
      ...field(t("ID"), id)
    ],
    lists: [policies, events]
  }
})

/** An identifier without places is searched for everywhere. */
const placesOf = (searchTypes: ReadonlyArray<string>) =>
  searchTypes.length === 0 ? t("everywhere") : searchTypes.map(nameOfType).join(", ")

const group: Load = Effect.fnUntraced(function* (id, hide) {
  const register = yield* Register
  const [groups, all] = yield* Effect.all([register.groups, register.allIdentifiers], { concurrency: 2 })
  const found = groups.find((each) => String(each.id) === id)
  if (found === undefined) return yield* missing(t("This group is no longer in the list."))
  const members = all.filter(({ listed }) => listed?.group_id === found.id)
  const events = yield* eventsList(
    Stream.unwrap(Effect.map(Events, (service) => service.pagesOfGroup(found.id, { size: 10 }))),
    hide
  )
  return {
    title: found.name,
    type: t("Group"),
    states: [],
    subject: new GroupSubject(found),
    commands: ["identifiers.renameGroup", "identifiers.deleteGroup"],
    fields: field(t("ID"), id),
    lists: [
      {
        heading: t("Identifiers"),
        items: members.map(({ id, listed, name, type }): RecordItem => {
          const total = listed?.enrichments?.event_count
          return {
            label: hide(name),
            details: [
              ...(type === undefined ? [] : [nameOfType(type)]),
              ...(listed?.is_disabled === true ? [t("disabled")] : []),
              ...(total == null ? [] : [count(total, "{0} event", "{0} events")])
            ].join(" · "),
            to: { kind: "identifier", id: String(id) }
          }
        }),
        note: members.length === 0 ? t("The group has no identifier.") : undefined
      },
      events
    ]
  }
})

const assignmentsOf = (uuid: string, hide: Hide) =>
  Effect.map(firstAssignments(uuid), ({ hasMore, items }): RecordList => ({
    heading: t("Assignments"),
    items: items.map(({ assigned_at, clean_past_events, identifier_id, identifier_name }): RecordItem => ({
      label: hide(nameOfIdentifier({ id: identifier_id, name: identifier_name ?? String(identifier_id) })),
      details: [
        ...(assigned_at === null ? [] : [t("assigned {0}", localTime(assigned_at))]),
        ...(clean_past_events ? [t("past events removed")] : [])
      ].join(" · "),
      to: { kind: "identifier", id: String(identifier_id) }
    })),
    note:
      items.length === 0
        ? t("Assigned to no identifier.")
        : hasMore
          ? count(items.length, "Only the first one is shown.", "Only the first {0} are shown.")
          : undefined
  }))

const policy: Load = Effect.fnUntraced(function* (uuid, hide) {
  const { ask } = yield* Connections
  const list = yield* PolicyList
  const known = (yield* list.load).find((each) => each.uuid === uuid)
  const isListed = list.refusal() === undefined
  const [found, assignments] = yield* Effect.all(
    [
      isListed
        ? Effect.map(ask(Effect.flatMap(MatchingPolicies, (service) => service.get(uuid))), listedPolicy)
        : Effect.succeed<Policy>(known ?? { uuid, name: undefined, policy: undefined, identifiers: [] }),
      listOrWhy(t("Assignments"), assignmentsOf(uuid, hide))
    ],
    { concurrency: 2 }
  )
  const { policy } = found
  return {
    title: found.name ?? uuid,
    type: policy === undefined ? t("Policy") : kindText(policy),
    states: [],
    subject: new PolicySubject(found),
    commands: isListed
      ? ["policies.assign", "policies.update", "policies.delete"]
      : ["policies.assign", "policies.delete", "policies.forget"],
    fields: [
      ...field(t("Rule"), ruleText(policy)),
      // Show the raw value only if the rule has no description of its own.
      ...field(
        t("Value"),
        policy === undefined || ruleText(policy) !== kindText(policy) ? undefined : JSON.stringify(policy.value)
      ),
      ...field(t("Created"), policy?.created_at == null ? undefined : localTime(policy.created_at)),
      ...field(t("Changed"), policy?.last_updated_at == null ? undefined : localTime(policy.last_updated_at)),
      ...field(t("UUID"), uuid)
    ],
    lists: [assignments]
  }
})

const recommendation: Load = Effect.fnUntraced(function* (id, hide) {
  const { ask } = yield* Connections
  const found = Option.getOrUndefined(
    yield* ask(
      Effect.flatMap(Recommendations, (service) =>
        Stream.runHead(Stream.filter(service.list({}), (each) => String(each.id) === id))
      )
    )
  )
  if (found === undefined) return yield* missing(t("This recommendation is no longer in the list."))
  const { data, relevancy, status, updated_at } = found
  const type = typeof data["type"] === "string" ? data["type"] : undefined
  return {
    title: hide(recommendedValueOf(found) ?? t("Recommendation {0}", id)),
    type: type === undefined ? t("Recommendation {0}", id) : nameOfType(type),
    states: status === null ? [] : [t(status)],
    subject: new RecommendationSubject(found),
    commands: [
      ...(status === "accepted" ? [] : (["recommendations.accept"] as const)),
      ...(status === "rejected" ? [] : (["recommendations.reject"] as const)),
      "recommendations.createIdentifier"
    ],
    fields: [
      ...field(t("Relevance"), relevancy === null ? undefined : t(relevancy.toLowerCase())),
      ...field(t("Changed"), updated_at === null ? undefined : localTime(updated_at)),
      ...field(t("ID"), id)
    ],
    lists: []
  }
})

const loads: Readonly<Record<RecordName["kind"], Load>> = { group, identifier, policy, recommendation }

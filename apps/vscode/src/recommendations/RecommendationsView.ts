/** The Recommendations view: what the service suggests to watch, by status. */
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import {
  type Recommendation,
  recommendationStatuses,
  RecommendationType
} from "@threat-exposure/core/domain/Recommendation"
import { Clock, Effect, Layer, Predicate, Schema, Stream } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { capitalized, number, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { recall } from "../editor/Memento.ts"
import { type Copied, Subject } from "../editor/Subject.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import type { Register } from "../register/Register.ts"
import { TreeNode } from "../editor/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localTime } from "../words/Dates.ts"

/** The first pages are shown; a service has rarely more. */
const most = 500

const Chosen = Schema.Array(RecommendationType)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const settings = yield* Settings
    let chosen = yield* recall("here", storedKey, Chosen, [])
    let loaded: ReadonlyArray<Recommendation> | undefined
    let asOf: number | undefined

    const load = Effect.gen(function* () {
      const found = yield* connections.ask(
        Effect.flatMap(Recommendations, (service) =>
          Stream.runCollect(Stream.take(service.list({ types: chosen.length === 0 ? undefined : chosen }), most))
        )
      )
      asOf = yield* Clock.currentTimeMillis
      loaded = found
      return found
    })

    const view: ServiceView = yield* makeServiceView({
      name: "recommendations",
      loading: t("Loading recommendations"),
      hasContent: () => loaded !== undefined,
      reset: Effect.sync(() => {
        loaded = undefined
      }),
      roots: Effect.fnUntraced(function* (view) {
        const types = chosen.map(nameOfType)
        yield* view.tree.setDescription(types.join(", "))
        const masked = yield* settings.get(masking)
        const found = loaded ?? (yield* load)
        if (found.length === most) yield* view.tree.setDescription([...types, t("the first {0}", most)].join(", "))
        return [...Map.groupBy(found, ({ status }) => status ?? "unknown")]
          .toSorted(([a], [b]) => rank(a) - rank(b))
          .map(
            ([status, members]) =>
              new TreeNode(
                {
                  id: `recommendations:${status}`,
                  label: capitalized(t(status)),
                  description: number(members.length),
                  icon: { id: icons[status] ?? "question" },
                  state: status === "recommended" ? "open" : "closed"
                },
                { children: Effect.sync(() => members.map((each) => recommendationNode(each, masked))) }
              )
          )
      })
    })

    yield* commands.on("recommendations.refresh", () => view.refresh(load, () => asOf))
    yield* commands.on(
      "recommendations.filter",
      Effect.fnUntraced(function* () {
        chosen = yield* editor.pickMany(
          RecommendationType.literals.map((type) => ({
            label: capitalized(nameOfType(type)),
            picked: chosen.includes(type),
            value: type
          })),
          { title: t("Filter Recommendations"), placeholder: t("Types (none means all)") }
        )
        yield* editor.remember("here", storedKey, chosen)
        loaded = undefined
        yield* view.retry
      })
    )
    const context = yield* Effect.context<Connections | Editor | Register>()
    yield* commands.on("recommendations.createIdentifier", ({ subjects }) => {
      const [subject] = ofKind(subjects, RecommendationSubject)
      if (subject === undefined) return Effect.void
      const { data } = subject.recommendation
      const type = identifierTypes.find((known) => known === data["type"])
      const name = valueOf(subject.recommendation)
      const given = { ...(type === undefined ? {} : { type }), ...(name === undefined ? {} : { name }) }
      return Effect.flatMap(identifierForm, ({ createIdentifier }) =>
        Effect.provideContext(createIdentifier(given), context)
      )
    })
  })
)

const identifierForm = Effect.promise(() => import("../identifiers/IdentifierForm.ts"))

const storedKey = "recommendations.types"

const icons: Readonly<Record<string, string>> = {
  recommended: "lightbulb",
  accepted: "check",
  rejected: "circle-slash"
}

const rank = (status: string) => {
  const known = recommendationStatuses.findIndex((each) => each === status)
  return known === -1 ? recommendationStatuses.length : known
}

class RecommendationSubject extends Subject {
  readonly recommendation: Recommendation

  constructor(recommendation: Recommendation) {
    super()
    this.recommendation = recommendation
  }

  override get copied(): Copied {
    return { id: String(this.recommendation.id), json: this.recommendation }
  }
}

/** The recommended value, such as a domain. */
const valueOf = ({ data }: Recommendation): string | undefined =>
  Object.entries(data)
    .filter(([key]) => key !== "type")
    .map(([, value]) => value)
    .filter(Predicate.isString)
    .find((value) => value.trim() !== "")

const recommendationNode = (recommendation: Recommendation, masked: boolean) => {
  const { data, id, relevancy, updated_at, status } = recommendation
  const type = Predicate.isString(data["type"]) ? data["type"] : undefined
  const name = valueOf(recommendation) ?? t("Recommendation {0}", id)
  const shown = masked ? maskText(name) : name
  const relevance = relevancy === null ? [] : [t("{0} relevance", t(relevancy.toLowerCase()))]
  const facts = [...relevance, ...(type === undefined ? [] : [nameOfType(type)])]
  return new TreeNode(
    {
      id: `recommendations:${status}/${id}`,
      label: shown,
      // The icon shows the type.
      description: relevance.join(""),
      tooltip: () =>
        [shown, ...facts, ...(updated_at === null ? [] : [t("Changed {0}", localTime(updated_at))])].join("\n"),
      icon: iconOf(type),
      state: "leaf",
      kinds: ["recommendation", "copyable"],
      accessibleLabel: [shown, ...facts].join(", ")
    },
    { subject: new RecommendationSubject(recommendation) }
  )
}

/** The Recommendations view: assets that the service suggests to monitor, by status. */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import {
  maxRecommendations,
  type Recommendation,
  RecommendationDecision,
  recommendationStatuses,
  RecommendationType
} from "@threat-exposure/core/domain/Recommendation"
import { Effect, Layer, Predicate, Schema } from "effect"
import { Commands, ofKind } from "../editor/Commands.ts"
import { Connections } from "../connection/Connections.ts"
import { Editor } from "../editor/Editor.ts"
import { capitalized, number, ofSeveral, t } from "../words/Localisation.ts"
import { maskText } from "../words/Mask.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { recall } from "../editor/Memento.ts"
import { recommendedValueOf, RecommendationSubject } from "./RecommendationSubject.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { firstPage, type Listing, makeListing, reloadListing } from "../listing/Listing.ts"
import { moreRow } from "../events/list/EventTree.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { Register } from "../register/Register.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { makeServiceView, type ServiceView } from "../connection/ServiceView.ts"
import { nameOfType } from "../words/TypeNames.ts"
import { localTime } from "../words/Dates.ts"

const Chosen = Schema.Array(RecommendationType)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const editor = yield* Editor
    const commands = yield* Commands
    const connections = yield* Connections
    const settings = yield* Settings
    let chosen = yield* recall("here", storedKey, Chosen, [])
    const register = yield* Register
    let listing: Listing<Recommendation, Failure> | undefined

    const make = Effect.gen(function* () {
      const { ask } = yield* connections.asNow
      const types = chosen.length === 0 ? {} : { types: chosen }
      return yield* makeListing<Recommendation, Failure, never>({
        size: maxRecommendations,
        key: ({ id }) => String(id),
        page: (from) =>
          ask(
            Effect.flatMap(Recommendations, (service) =>
              firstPage(service.pages({ ...types, size: maxRecommendations, ...(from === undefined ? {} : { from }) }))
            )
          )
      })
    })
    const load = Effect.gen(function* () {
      listing ??= yield* make
      return (yield* listing.first).items
    })
    /** Loads as many recommendations as are shown, which stay visible meanwhile. */
    const reload = Effect.gen(function* () {
      listing = yield* reloadListing(listing, make)
    })
    const asOf = () => listing?.now().asOf

    const view: ServiceView = yield* makeServiceView({
      name: "recommendations",
      loading: t("Loading recommendations"),
      hasContent: () => asOf() !== undefined,
      reset: Effect.sync(() => {
        listing = undefined
      }),
      roots: Effect.fnUntraced(function* (view) {
        yield* view.tree.setDescription(chosen.map(nameOfType).join(", "))
        const masked = yield* settings.get(masking)
        const found = yield* load
        const more = listing?.now().hasMore === true ? "+" : ""
        return [
          ...[...Map.groupBy(found, ({ status }) => status ?? "unknown")]
            .toSorted(([a], [b]) => rank(a) - rank(b))
            .map(
              ([status, members]) =>
                new TreeNode(
                  {
                    id: `recommendations:${status}`,
                    label: capitalized(status === "unknown" ? t(status) : ofSeveral(status)),
                    description: `${number(members.length)}${more}`,
                    icon: { id: icons[status] ?? "question" },
                    state: status === "recommended" ? "open" : "closed"
                  },
                  { children: Effect.sync(() => members.map((each) => recommendationNode(each, masked))) }
                )
            ),
          ...(listing?.now().hasMore === true ? [moreRow("recommendations:", found.length, listing, view)] : [])
        ]
      })
    })

    yield* commands.on("recommendations.refresh", () => view.refresh(reload, asOf))
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
        listing = undefined
        yield* view.retry
      })
    )
    for (const decision of RecommendationDecision.literals) {
      yield* commands.on(
        `recommendations.${decision}`,
        Effect.fnUntraced(function* ({ subjects }) {
          const ids = ofKind(subjects, RecommendationSubject).map(({ recommendation }) => recommendation.id)
          const { send } = yield* connections.asNow
          const act = send(Effect.flatMap(Recommendations, (service) => service.act(ids, decision))).pipe(
            Effect.catchIf(
              (failure) => isNotServed(failure) && failure._tag !== "Forbidden",
              () =>
                Effect.fail(
                  new NotPossible({
                    message: t(
                      "The service does not know the recommendation, or takes no decision about it. Create the identifier instead."
                    )
                  })
                )
            )
          )
          yield* editor
            .progress(decision === "accept" ? t("Accepting") : t("Rejecting"), () => act)
            // Refresh even on a failure: earlier requests may have succeeded.
            .pipe(Effect.ensuring(view.renew(reload, asOf)))
          if (decision === "accept") yield* register.outdate
        })
      )
    }
    const context = yield* Effect.context<Connections | Editor | Register | Settings>()
    yield* commands.on("recommendations.createIdentifier", ({ subjects }) => {
      const [subject] = ofKind(subjects, RecommendationSubject)
      if (subject === undefined) return Effect.void
      const { data } = subject.recommendation
      const type = identifierTypes.find((known) => known === data["type"])
      const name = recommendedValueOf(subject.recommendation)
      const given = { ...(type === undefined ? {} : { type }), ...(name === undefined ? {} : { name }) }
      return Effect.flatMap(identifierForm, ({ createIdentifier }) =>
        Effect.provideContext(createIdentifier(given), context)
      )
    })
  })
)

const identifierForm = Effect.promise(() => import("../identifiers/IdentifierPart.ts"))

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

const recommendationNode = (recommendation: Recommendation, masked: boolean) => {
  const { data, id, relevancy, updated_at, status } = recommendation
  const type = Predicate.isString(data["type"]) ? data["type"] : undefined
  const name = recommendedValueOf(recommendation) ?? t("Recommendation {0}", id)
  const shown = masked ? maskText(name) : name
  const relevance = relevancy === null ? [] : [t("{0} relevance", t(relevancy.toLowerCase()))]
  const facts = [...relevance, ...(type === undefined ? [] : [nameOfType(type)])]
  return new TreeNode(
    {
      id: `recommendations:${status}/${id}`,
      label: shown,
      // The type is not in the description, because the icon shows it.
      description: relevance.join(""),
      tooltip: () =>
        [shown, ...facts, ...(updated_at === null ? [] : [t("Changed {0}", localTime(updated_at))])].join("\n"),
      icon: iconOf(type),
      state: "leaf",
      kinds: [
        "recommendation",
        "copyable",
        ...(status === "accepted" ? [] : ["acceptable"]),
        ...(status === "rejected" ? [] : ["rejectable"])
      ],
      accessibleLabel: [shown, ...facts].join(", ")
    },
    { subject: new RecommendationSubject(recommendation) }
  )
}

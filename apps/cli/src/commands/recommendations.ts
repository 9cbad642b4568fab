import { Recommendations } from "@threat-exposure/core/client/Recommendations"
import {
  maxRecommendations,
  maxRecommendationTargets,
  RecommendationStatus,
  RecommendationType
} from "@threat-exposure/core/domain/Recommendation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { client } from "../connection/Client.ts"
import { member, text } from "../export/Records.ts"
import { redactJson } from "../redaction/Redaction.ts"
import { countFlag } from "../request/Flags.ts"
import { collect, printListing } from "../request/Listing.ts"
import { actOnTargets, idsOf, targetFlags } from "../request/Targets.ts"

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", RecommendationStatus.literals).pipe(
      Flag.withMetavar("STATUS"),
      Flag.optional,
      Flag.withDescription("Only these")
    ),
    type: Flag.Literals("type", RecommendationType.literals).pipe(
      Flag.withMetavar("TYPE"),
      Flag.optional,
      Flag.withDescription("Only these")
    ),
    limit: countFlag("limit", 1000, "Maximum number of recommendations")
  },
  Effect.fnUntraced(function* ({ limit, status, type }) {
    const recommendations = yield* Recommendations
    const pages = recommendations.pages({
      size: Math.min(limit, maxRecommendations),
      ...(Option.isNone(status) ? {} : { status: status.value }),
      ...(Option.isNone(type) ? {} : { types: [type.value] })
    })
    yield* printListing(yield* collect(pages, limit), {
      noun: "recommendation",
      columns: [
        { title: "ID", rank: 0 },
        { title: "STATUS", rank: 1 },
        { title: "RELEVANCY", rank: 2 },
        { title: "TYPE", rank: 1 },
        { title: "VALUE", rank: 0, isFlexible: true }
      ],
      shownOf: (recommendation) => redactJson(recommendation),
      rowOf: (shown, { id, relevancy, status }) => {
        const { type, ...values } = Object(member(shown, "data"))
        return [String(id), status ?? "", relevancy ?? "", text(type), Object.values(values).map(text).join(" ")]
      }
    })
  }, Effect.provide(client))
).pipe(
  Command.withDescription("List what the service suggests to monitor"),
  Command.withExamples([
    { command: "threat-exposure recommendations list --status recommended", description: "Those to decide on" }
  ])
)

const decide = (name: "accept" | "reject", done: string, description: string) =>
  Command.make(
    name,
    targetFlags("ID", "Ids of recommendations, as recommendations list shows them"),
    Effect.fnUntraced(function* (flags) {
      const ids = yield* idsOf(flags)
      const recommendations = yield* Recommendations
      yield* actOnTargets(ids, {
        noun: "recommendation",
        done,
        key: "id",
        maxTargets: maxRecommendationTargets,
        run: (some) => recommendations[name](some)
      })
    }, Effect.provide(client))
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `threat-exposure recommendations ${name} 7 8`, description: "Two of them" }])
  )

export const recommendations = Command.make("recommendations").pipe(
  Command.withDescription("Decide what the service suggests to monitor"),
  Command.withSubcommands([
    list,
    decide("accept", "accepted", "Monitor what is suggested"),
    decide("reject", "rejected", "Do not monitor what is suggested")
  ])
)

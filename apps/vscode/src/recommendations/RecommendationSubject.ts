import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import { Predicate } from "effect"
import { type Copied, Subject } from "../editor/tree/Subject.ts"

export class RecommendationSubject extends Subject {
  readonly recommendation: Recommendation

  constructor(recommendation: Recommendation) {
    super()
    this.recommendation = recommendation
  }

  override get copied(): Copied {
    return { id: String(this.recommendation.id), json: this.recommendation }
  }
}

export const recommendedValueOf = ({ data }: Recommendation): string | undefined =>
  Object.entries(data)
    .filter(([key]) => key !== "type")
    .map(([, value]) => value)
    .filter(Predicate.isString)
    .find((value) => value.trim() !== "")

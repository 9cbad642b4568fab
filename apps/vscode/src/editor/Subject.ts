/** What a row stands for, so that a command on it knows what to act on. */
import type { Event, IdentifierEvent } from "@threat-exposure/core/domain/Event"
import type { Recommendation } from "@threat-exposure/core/domain/Recommendation"
import type { Effect } from "effect"
import { withoutMatchedSecrets } from "../events/MatchedSecrets.ts"
import type { SavedSearch } from "../events/SavedSearch.ts"
import type { IdentifierEntry } from "../register/RegisterEntries.ts"
import type { LeakFinding } from "../leaks/LeakFinding.ts"
import type { Policy } from "../policies/Policy.ts"

export type Subject =
  | { readonly _tag: "Event"; readonly event: Event | IdentifierEvent }
  | { readonly _tag: "Identifier"; readonly identifier: IdentifierEntry }
  | { readonly _tag: "Policy"; readonly policy: Policy }
  | { readonly _tag: "Recommendation"; readonly recommendation: Recommendation }
  | { readonly _tag: "SavedSearch"; readonly search: SavedSearch }
  | { readonly _tag: "AllIdentifiers" }
  | { readonly _tag: "Leak"; readonly leak: LeakFinding }
  | { readonly _tag: "Problem"; readonly again: Effect.Effect<void> }
  /** The row that loads the rest of a listing. */
  | { readonly _tag: "More"; readonly load: Effect.Effect<void> }
  | { readonly _tag: "Plain" }

export interface Copied {
  readonly id: string
  readonly link?: string | undefined
  readonly json: unknown
}

/** What can be copied from a row; secrets are not in it. */
export const copied = (subject: Subject): Copied | undefined => {
  switch (subject._tag) {
    case "Event":
      return {
        id: subject.event.metadata.uid,
        link: subject.event.metadata.svc_url,
        json: withoutMatchedSecrets(subject.event)
      }
    case "Identifier":
      return { id: String(subject.identifier.id), json: subject.identifier }
    case "Policy":
      return { id: subject.policy.uuid, json: subject.policy }
    case "Recommendation":
      return { id: String(subject.recommendation.id), json: subject.recommendation }
    default:
      return undefined
  }
}

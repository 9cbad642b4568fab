/** The results of a plan's searches. */
import type { Forbidden, NotFound, Unauthorized } from "@threat-exposure/core/client/ApiError"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Event } from "@threat-exposure/core/domain/Event"
import type { Search } from "./Plan.ts"
import type { UnsearchedReason } from "../Report.ts"
import type { ReadablePage } from "./ReadablePages.ts"
import type { Target } from "../target/Target.ts"

/** The first page of each search for one target, if it was received. */
export interface Answers {
  readonly credentials?: ReadablePage<Credential>
  readonly events?: ReadablePage<Event>
}

/** A search without an answer, and the reason. */
export interface Unanswered {
  readonly search: Search
  readonly reason: UnsearchedReason
  readonly detail: string
}

/** Failures that apply to every search. A search has no id, so NotFound means that the path prefix is wrong. */
export type SearchRefusal = Unauthorized | Forbidden | NotFound

/** The outcome of a plan. */
export interface SearchResults {
  readonly sent: number
  readonly answers: ReadonlyMap<Target, Answers>
  readonly unanswered: ReadonlyArray<Unanswered>
  /** Remaining units of quota, if the service reported them. */
  readonly quotaRemaining: number | undefined
  /** The first failure that applies to every search: the token or the path prefix is wrong. */
  readonly refused: SearchRefusal | undefined
}

export const hasItems = ({ credentials, events }: Answers): boolean =>
  (credentials?.items.length ?? 0) > 0 || (events?.items.length ?? 0) > 0

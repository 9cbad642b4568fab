/** The results of the searches of a plan. */
import type { Forbidden, NotFound, Unauthorized } from "@threat-exposure/core/client/ApiError"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import type { Event } from "@threat-exposure/core/domain/Event"
import type { Search } from "./Plan.ts"
import type { UnsearchedReason } from "../Report.ts"
import type { ReadablePage } from "./ReadablePages.ts"
import type { Target } from "../target/Target.ts"

/** The first pages for one target that were received. */
export interface Answers {
  readonly credentials?: ReadablePage<Credential>
  readonly events?: ReadablePage<Event>
}

/** A search without an answer, and why. */
export interface Unanswered {
  readonly search: Search
  readonly reason: UnsearchedReason
  readonly detail: string
}

/** A search has no id: a service that does not find it has another path prefix. */
export type SearchRefusal = Unauthorized | Forbidden | NotFound

/** The outcome of a plan. */
export interface SearchResults {
  readonly sent: number
  readonly answers: ReadonlyMap<Target, Answers>
  readonly unanswered: ReadonlyArray<Unanswered>
  /** Units of quota, where the service said so. */
  readonly quotaRemaining: number | undefined
  /** The answer to the first search that every other search would get too: the token or the path prefix is wrong. */
  readonly refused: SearchRefusal | undefined
}

export const hasItems = ({ credentials, events }: Answers): boolean =>
  (credentials?.items.length ?? 0) > 0 || (events?.items.length ?? 0) > 0

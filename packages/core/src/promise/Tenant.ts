/** What a tenant asks for: members, reports, intelligence. SPEC 4.6, 4.12, 4.13. */
import type { Open } from "./Page.ts"

export interface AddUsers {
  readonly users: ReadonlyArray<{
    readonly user_id: number
    readonly is_readonly?: boolean | undefined
    /** `viewer` is the one role that SPEC shows. */
    readonly role?: Open<"viewer"> | undefined
  }>
}

/** Which fields a service requires, and the format of `time_interval`, SPEC does not show. */
export interface NewReport {
  readonly title?: string | undefined
  readonly author?: string | undefined
  readonly elements?:
    | ReadonlyArray<{
        readonly id?: number | undefined
        readonly position?: number | undefined
        readonly enabled?: boolean | undefined
        readonly sort_by?: Open<"custom"> | undefined
        readonly time_interval?: string | undefined
      }>
    | undefined
  readonly audience?: Open<"technical"> | undefined
}

export interface IntelQuestion {
  readonly question: string
  /** `analytical` is the one tone that SPEC shows. */
  readonly tone?: Open<"analytical"> | undefined
}

export interface IntelRequest {
  /** A UUID. The specification shows no way to fetch the answer with it. */
  readonly request_id: string
}

/** Members, reports and intelligence requests of a tenant. */
import type { Open } from "./Page.ts"

export interface AddUsers {
  readonly users: ReadonlyArray<{
    readonly user_id: number
    readonly is_readonly?: boolean | undefined
    /** `viewer` is the only known value. */
    readonly role?: Open<"viewer"> | undefined
  }>
}

/** Which fields a service requires, and the format of `time_interval`, are not specified. */
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
  /** `analytical` is the only known value. */
  readonly tone?: Open<"analytical"> | undefined
}

export interface IntelRequest {
  /** A UUID. No operation retrieves the answer to the question. */
  readonly request_id: string
}

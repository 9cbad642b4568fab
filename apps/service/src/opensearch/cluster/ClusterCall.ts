/** A request to a node, and how OpenSearch refuses one. */
import { StoreRefusal } from "../../requests/StoreUnavailable.ts"

export interface ClusterCall {
  readonly method: "DELETE" | "GET" | "POST" | "PUT"
  readonly path: string
  /** JSON, or lines of JSON that end with a newline. */
  readonly body?: string | Buffer | undefined
  /** Statuses other than 2xx that are returned instead of rejected, as in `[404]`. */
  readonly accepted?: ReadonlyArray<number>
  /** Types of errors that are not retried although their status is 500: they are permanent. */
  readonly refusals?: ReadonlyArray<string>
  /** Milliseconds for all attempts together. */
  readonly timeLimit?: number
}

export interface ClusterAnswer {
  readonly status: number
  readonly text: string
}

/** The cluster refuses the call, and would refuse it again. Contains no value of the call. */
export class ClusterRefusal extends StoreRefusal {
  readonly status: number
  /** Such as `index_not_found_exception`, or the message of an error without a type. Undefined if another server answered. */
  readonly type: string | undefined

  constructor({ method, path }: ClusterCall, status: number, type: string | undefined) {
    const request = `${method} ${path.replace(/\?.*/su, "")}`
    super(
      type === undefined
        ? `${request} was answered with ${status}, and not by OpenSearch: check the URL, and any proxy before the cluster`
        : `OpenSearch refused ${request} with ${status}: ${type}`
    )
    this.status = status
    this.type = type
  }
}

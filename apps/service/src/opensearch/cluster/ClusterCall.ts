/** A request to a node, and its answer. */
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
  /** Ends the call, and the work of the node for it. It is not attempted again. */
  readonly signal?: AbortSignal
  /** Give up as soon as every node has refused a few connections: nothing listens there, or it is another server. */
  readonly isFirst?: boolean
}

/** The answer to one attempt. */
export interface NodeAnswer {
  readonly status: number
  readonly text: string
}

export interface ClusterAnswer extends NodeAnswer {
  /** An earlier attempt, whose answer is not known, may have been done. */
  readonly isRepeated: boolean
}

/** A request to a node, and its answer. */
export interface ClusterCall {
  readonly method: "DELETE" | "GET" | "POST" | "PUT"
  readonly path: string
  /** JSON, or lines of JSON that end with a newline. */
  readonly body?: string | Buffer | undefined
  /** Statuses other than 2xx that are returned instead of rejected, as in `[404]`. */
  readonly accepted?: ReadonlyArray<number>
  /** Error types that are permanent although their status is 500, and not retried. */
  readonly refusals?: ReadonlyArray<string>
  /** Milliseconds for all attempts together. */
  readonly timeLimit?: number
  /** Cancels the call, and the node's work for it. The call is not retried. */
  readonly signal?: AbortSignal
  /**
   * Give up as soon as every node has refused a few connections: the node is not running, or the URL is that of another
   * server.
   */
  readonly isFirst?: boolean
}

/** The answer to one attempt. */
export interface NodeAnswer {
  readonly status: number
  readonly text: string
}

export interface ClusterAnswer extends NodeAnswer {
  /** An earlier attempt, whose answer is unknown, may have succeeded. */
  readonly isRepeated: boolean
}

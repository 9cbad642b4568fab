/** What the programs that send requests have in common: each takes one order and answers with what it counted. */

export interface LoadOrder {
  readonly bodies: ReadonlyArray<string>
  /** Each has one request at a time. */
  readonly connections: number
  /** Milliseconds without measuring, then with it. */
  readonly warmUp: number
  readonly milliseconds: number
}

export interface Answered {
  readonly perSecond: number
  /** Milliseconds, one for each answer. */
  readonly latencies: ReadonlyArray<number>
  readonly failures: number
}

export const takeOrder = <Order extends LoadOrder>(run: (order: Order) => Promise<Answered>): void => {
  process.once("message", (order: Order) => {
    run(order).then(
      (answered) => process.send?.(answered, () => process.exit(0)),
      (cause) => {
        console.error(cause)
        process.exit(1)
      }
    )
  })
}

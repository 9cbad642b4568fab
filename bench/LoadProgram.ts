/** The common part of the load generators: each takes one order and prints its counts. */

export interface LoadOrder {
  readonly bodies: ReadonlyArray<string>
  /** Each connection has one request in flight. */
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
  /** All requests, including those of the warm-up. */
  readonly requests: number
  /** Milliseconds of user and system time of the program itself. */
  readonly processorTime: number
}

/** The numbers that a program counts itself. */
export type Counted = Omit<Answered, "processorTime">

export const takeOrder = <Order extends LoadOrder>(run: (order: Order) => Promise<Counted>): void => {
  process.once("message", (order: Order) => {
    const answered = async (): Promise<Answered> => {
      const before = process.cpuUsage()
      const counted = await run(order)
      const { system, user } = process.cpuUsage(before)
      return { ...counted, processorTime: (user + system) / 1_000 }
    }
    answered().then(
      (answer) => process.send?.(answer, () => process.exit(0)),
      (cause) => {
        console.error(cause)
        process.exit(1)
      }
    )
  })
}

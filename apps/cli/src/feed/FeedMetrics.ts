/** The counts of a feed, for its log and for Prometheus. */

/** Counted since the program started. */
export class FeedMetrics {
  rounds = 0
  /** New items found. */
  found = 0
  /** Rounds that could not read the service to the end. */
  readFailures = 0
  /** Seconds from the creation of the newest item to its delivery; undefined before the first. */
  lag: number | undefined = undefined
  readonly delivered = new Map<string, number>()
  readonly deadLetters = new Map<string, number>()
  readonly sinkFailures = new Map<string, number>()
  readonly waiting = new Map<string, number>()

  static add(counts: Map<string, number>, sink: string, count: number): void {
    counts.set(sink, (counts.get(sink) ?? 0) + count)
  }

  /** The text format of Prometheus. */
  get text(): string {
    return [
      ...metric("rounds_total", "counter", "Rounds that were started.", [["", this.rounds]]),
      ...metric("items_total", "counter", "New items found.", [["", this.found]]),
      ...metric("read_failures_total", "counter", "Rounds that could not read the service to the end.", [
        ["", this.readFailures]
      ]),
      ...(this.lag === undefined
        ? []
        : metric("lag_seconds", "gauge", "From the creation of the newest item to its delivery.", [["", this.lag]])),
      ...metric("delivered_total", "counter", "Items that a sink has accepted.", bySink(this.delivered)),
      ...metric(
        "dead_letters_total",
        "counter",
        "Items that a sink has refused permanently.",
        bySink(this.deadLetters)
      ),
      ...metric("sink_failures_total", "counter", "Attempts to send that failed.", bySink(this.sinkFailures)),
      ...metric("waiting_batches", "gauge", "Batches that a sink has not accepted yet.", bySink(this.waiting)),
      ""
    ].join("\n")
  }
}

const bySink = (counts: ReadonlyMap<string, number>): ReadonlyArray<readonly [labels: string, value: number]> =>
  Array.from(counts, ([sink, value]) => [`{sink=${JSON.stringify(sink)}}`, value] as const)

const metric = (
  name: string,
  type: "counter" | "gauge",
  help: string,
  values: ReadonlyArray<readonly [labels: string, value: number]>
): ReadonlyArray<string> => [
  `# HELP threat_exposure_feed_${name} ${help}`,
  `# TYPE threat_exposure_feed_${name} ${type}`,
  ...values.map(([labels, value]) => `threat_exposure_feed_${name}${labels} ${value}`)
]

/** The counts of a feed, for its log and for Prometheus. */

import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

/** Counters since the start of the program. */
export class FeedMetrics {
  rounds = 0
  /** Number of new items. */
  found = 0
  /** Number of events that were passed on again because their annotations changed. */
  changed = 0
  /** Number of rounds that could not read the service to the end. */
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
    const registry = Context.make(Metric.MetricRegistry, new Map())
    const counter = (name: string, description: string, value: number, attributes = {}) =>
      Metric.counter(`threat_exposure_feed_${name}`, { description, attributes, incremental: true }).updateUnsafe(
        value,
        registry
      )
    const gauge = (name: string, description: string, value: number, attributes = {}) =>
      Metric.gauge(`threat_exposure_feed_${name}`, { description, attributes }).updateUnsafe(value, registry)

    counter("rounds_total", "Rounds that were started", this.rounds)
    counter("items_total", "New items found", this.found)
    counter("changes_total", "Events whose annotations changed", this.changed)
    counter("read_failures_total", "Rounds that could not read the service to the end", this.readFailures)
    if (this.lag !== undefined) {
      gauge("lag_seconds", "From the creation of the newest item to its delivery", this.lag)
    }
    for (const [sink, count] of this.delivered) {
      counter("delivered_total", "Items that a sink has accepted", count, { sink })
    }
    for (const [sink, count] of this.deadLetters) {
      counter("dead_letters_total", "Items that a sink has refused permanently", count, { sink })
    }
    for (const [sink, count] of this.sinkFailures) {
      counter("sink_failures_total", "Attempts to send that failed", count, { sink })
    }
    for (const [sink, count] of this.waiting) {
      gauge("waiting_batches", "Batches that a sink has not accepted yet", count, { sink })
    }
    return PrometheusMetrics.formatUnsafe(registry)
  }
}

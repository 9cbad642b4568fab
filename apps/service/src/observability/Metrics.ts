/** The text format of Prometheus. Labels have only values of the contract, so the number of series is limited. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Settings } from "../Settings.ts"

export interface MetricsRegistry {
  recordAnswer(operation: string, status: number | "aborted", seconds: number): void
  /** Registers a value that is read on each request for the metrics. */
  gauge(name: string, description: string, read: () => number): void
  /** Like `gauge`, for a number that only increases. */
  counter(name: string, description: string, read: () => number): void
  /** Undefined if metrics are off. */
  readonly text: (() => string) | undefined
}

/** Off, unless `metricsLayer` is provided and the settings enable metrics. */
export const Metrics = Context.Reference<MetricsRegistry>("@threat-exposure/service/observability/Metrics", {
  defaultValue: () => ({ recordAnswer: () => {}, gauge: () => {}, counter: () => {}, text: undefined })
})

export const metricsLayer = Layer.effect(
  Metrics,
  Effect.gen(function* () {
    const { metrics } = yield* Settings
    return metrics ? makeMetrics() : yield* Metrics
  })
)

const makeMetrics = (): MetricsRegistry => {
  const registry = Context.make(Metric.MetricRegistry, new Map())
  const requests = new Map<string, Metric.Counter<number>>()
  const durations = new Map<string, Metric.Histogram<number>>()

  const gauge = (name: string, description: string, read: () => number): void => {
    Metric.registerUnsafe(Metric.gauge(name, { description }), registry, {
      get: () => ({ value: read() }),
      update: () => {},
      modify: () => {}
    })
  }
  gauge("process_resident_memory_bytes", "Memory that the process holds", () => process.memoryUsage.rss())
  gauge("process_heap_used_bytes", "JavaScript heap in use", () => process.memoryUsage().heapUsed)

  const requestsOf = (operation: string, status: number | "aborted") => {
    const series = `${operation} ${status}`
    const known = requests.get(series)
    if (known !== undefined) return known
    const counter = Metric.counter("threat_exposure_requests_total", {
      description: "Requests answered, by operation and status",
      attributes: { operation, status: String(status) },
      incremental: true
    })
    requests.set(series, counter)
    return counter
  }

  const durationOf = (operation: string) => {
    const known = durations.get(operation)
    if (known !== undefined) return known
    const histogram = Metric.histogram("threat_exposure_request_duration_seconds", {
      description: "Time from a request's head to the end of its answer",
      attributes: { operation },
      boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    })
    durations.set(operation, histogram)
    return histogram
  }

  return {
    recordAnswer: (operation, status, seconds) => {
      requestsOf(operation, status).updateUnsafe(1, registry)
      durationOf(operation).updateUnsafe(seconds, registry)
    },
    gauge,
    counter: (name, description, read) => {
      Metric.registerUnsafe(Metric.counter(name, { description, incremental: true }), registry, {
        get: () => ({ count: read(), incremental: true }),
        update: () => {},
        modify: () => {}
      })
    },
    text: () => PrometheusMetrics.formatUnsafe(registry)
  }
}

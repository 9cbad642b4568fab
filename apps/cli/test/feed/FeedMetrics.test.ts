import { assert, describe, it } from "@effect/vitest"
import { FeedMetrics } from "@threat-exposure/cli/feed/FeedMetrics"

describe("the metrics of a feed", () => {
  it("escapes labels as the exposition format says: a backslash, a quote and a line break, and nothing else", () => {
    const metrics = new FeedMetrics()
    const sink = 'file:C:\\leaks\\"é"\u0001\n.ndjson'
    FeedMetrics.add(metrics.delivered, sink, 3)
    metrics.waiting.set(sink, 2)
    metrics.lag = 4
    const lines = metrics.text.split("\n")
    const label = '{sink="file:C:\\\\leaks\\\\\\"é\\"\u0001\\n.ndjson"}'
    assert.include(lines, `threat_exposure_feed_delivered_total${label} 3`)
    assert.include(lines, `threat_exposure_feed_waiting_batches${label} 2`)
    assert.include(lines, "threat_exposure_feed_lag_seconds 4")
    assert.include(lines, "threat_exposure_feed_rounds_total 0")
    assert.include(lines, "# TYPE threat_exposure_feed_delivered_total counter")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { sinkAddress } from "@threat-exposure/cli/feed/Sink"
import { Effect } from "effect"

describe("the address of a sink", () => {
  it.effect.each([
    ["-", { kind: "stdout", name: "-" }],
    ["file:a b.ndjson", { kind: "file", name: "file:a b.ndjson", path: "a b.ndjson" }],
    [
      "opensearch:https://search.example.com:9200/base/leaks-1",
      {
        kind: "opensearch",
        name: "opensearch:https://search.example.com:9200/base/leaks-1",
        url: "https://search.example.com:9200/base",
        index: "leaks-1"
      }
    ],
    [
      "webhook:http://127.0.0.1:1/x",
      { kind: "webhook", name: "webhook:http://127.0.0.1:1/…2d711642", url: "http://127.0.0.1:1/x" }
    ],
    [
      "webhook:https://hooks.example.com/in?token=quartz-4471",
      {
        kind: "webhook",
        name: "webhook:https://hooks.example.com/…e2b83561",
        url: "https://hooks.example.com/in?token=quartz-4471"
      }
    ],
    [
      "splunk-hec:https://splunk.example.com",
      { kind: "splunk-hec", name: "splunk-hec:https://splunk.example.com", url: "https://splunk.example.com/" }
    ],
    [
      "otlp:https://otel.example.com",
      { kind: "otlp", name: "otlp:https://otel.example.com", url: "https://otel.example.com/" }
    ],
    ["misp:/srv/misp", { kind: "misp", name: "misp:/srv/misp", path: "/srv/misp" }],
    [
      "slack:https://hooks.example.com/services/T0/B0/quartz-4471",
      {
        kind: "slack",
        name: "slack:https://hooks.example.com/…b32025bf",
        url: "https://hooks.example.com/services/T0/B0/quartz-4471"
      }
    ],
    [
      "teams:https://flow.example.com/run?sig=quartz-4471",
      {
        kind: "teams",
        name: "teams:https://flow.example.com/…93ba0c9f",
        url: "https://flow.example.com/run?sig=quartz-4471"
      }
    ],
    [
      "syslog:127.0.0.1:514",
      { kind: "syslog", name: "syslog:127.0.0.1:514", host: "127.0.0.1", port: 514, isTls: false }
    ],
    [
      "syslog-tls:[2001:db8::1]:6514",
      { kind: "syslog", name: "syslog-tls:[2001:db8::1]:6514", host: "2001:db8::1", port: 6514, isTls: true }
    ]
  ] as const)("reads %s", ([given, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sinkAddress(given), expected)
    })
  )

  it.effect.each([
    "",
    "file:",
    "misp:",
    "slack:http://hooks.example.com/services/T0",
    "https://hooks.example.com/services/T0",
    "ftp:x",
    "webhook:not a url",
    "webhook:http://example.com/x",
    "opensearch:https://example.com",
    "opensearch:https://example.com/Leaks",
    "splunk-hec:ws://example.com",
    "syslog:logs.example.com:514",
    "syslog:127.0.0.1",
    "syslog-tls:logs.example.com:70000"
  ])("refuses %j", (given) =>
    Effect.gen(function* () {
      assert.match((yield* Effect.flip(sinkAddress(given))).message, /^--to: /u)
    })
  )

  it.effect("never repeats a password", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(sinkAddress("webhook:https://user:hunter2@example.com/x"))
      assert.notInclude(message, "hunter2")
    })
  )
})

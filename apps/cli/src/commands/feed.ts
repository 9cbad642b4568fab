import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { createServer } from "node:http"
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Events } from "@threat-exposure/core/client/Events"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import { defaultLinkField } from "@threat-exposure/core/domain/ServiceNames"
import { severities } from "@threat-exposure/core/domain/Severity"
import { counted } from "@threat-exposure/leak-check/Counted"
import { durationOf, instantOf } from "@threat-exposure/leak-check/config/TimeInput"
import * as Config from "effect/Config"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { nonEmptyText } from "@threat-exposure/command-line/NonEmptyText"
import { switchFlag } from "@threat-exposure/command-line/SwitchFlag"
import { client } from "../connection/Client.ts"
import { resolveConnection } from "../connection/Connection.ts"
import { nodeHttp } from "../connection/NodeHttp.ts"
import { exitCodes } from "../ExitCode.ts"
import { deadLetterFile } from "../feed/DeadLetters.ts"
import { type FeedOptions, runRound } from "../feed/Feed.ts"
import { FeedMetrics } from "../feed/FeedMetrics.ts"
import { FeedState } from "../feed/FeedState.ts"
import { slackSink, teamsSink } from "../feed/ChatSinks.ts"
import { type Tlp, tlpLabels } from "../feed/Found.ts"
import { mispSink } from "../feed/MispSink.ts"
import { fileSink, stdoutSink } from "../feed/FileSinks.ts"
import { headersOf, isHeaderText, openSearchSink, otlpSink, splunkSink, webhookSink } from "../feed/HttpSinks.ts"
import { type SinkAddress, sinkAddress, sinkForms } from "../feed/Sink.ts"
import { makeServiceTime } from "../feed/ServiceTime.ts"
import { shapes } from "../feed/Shapes.ts"
import { syslogSink } from "../feed/SyslogSink.ts"
import { type FeedQuery, sourcesOf } from "../feed/Sources.ts"
import { callerPath } from "../request/CallerPath.ts"
import { say } from "../output/Output.ts"
import { eventFilterFlags, oneOf, eventTypes } from "../request/EventRequest.ts"
import { domainsOf, listFlag, optionalText } from "../request/Flags.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { maxSearchesFlag, quotaReserveFlag, resultsPerSearch } from "../request/SearchLimits.ts"
import { secretVariable } from "../request/Secrets.ts"

const durationFlag = (name: string, value: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("SPAN"),
    Flag.withDefault(value),
    Flag.filterMap(
      (text) => Option.fromUndefinedOr(durationOf(text)),
      () => "a span such as 90s, 10m, 2h or 14d"
    ),
    Flag.withDescription(`${description} (default: ${value})`)
  )

const shapeNames = Struct.keys(shapes)

const flags = {
  to: Flag.String("to").pipe(
    Flag.withMetavar("SINK"),
    Flag.atLeast(1),
    Flag.withDescription(`Where to send: ${sinkForms}; - is standard output; may be repeated`)
  ),
  state: nonEmptyText("state", "FILE").pipe(
    Flag.withDescription("The state file: what was read, and what waits to be sent; created if it does not exist")
  ),
  identifier: Flag.Int("identifier").pipe(
    Flag.withMetavar("ID"),
    Flag.atLeast(0),
    Flag.withDescription("Events of this identifier, which cost no quota; may be repeated")
  ),
  group: Flag.Int("group").pipe(
    Flag.withMetavar("ID"),
    Flag.optional,
    Flag.withDescription("Events of the identifiers of this group, which cost no quota")
  ),
  query: optionalText(
    "query",
    "TEXT",
    "Events of the whole data set that match, which cost quota; without it, --identifier and --group: all events of the tenant, which cost none"
  ),
  ...eventFilterFlags,
  credentials: switchFlag(
    "credentials",
    "Also pass on new credentials: of --domains, or of all identifiers of the tenant, which costs no quota"
  ),
  domains: listFlag("domains", "LIST", "With --credentials: the domains of the accounts"),
  every: durationFlag("every", "5m", "Time between rounds"),
  once: switchFlag("once", "Run one round, then exit"),
  since: Flag.String("since").pipe(
    Flag.withMetavar("WHEN"),
    Flag.withDefault("7d"),
    Flag.withDescription("How far back the first round reads: a date, a date-time, or a span before now (default: 7d)")
  ),
  overlap: durationFlag("overlap", "14d", "How late an event may arrive and still be found"),
  full: switchFlag(
    "full",
    "Read the whole content of each event, one call each, which costs no quota; an event whose content cannot be read is passed on as listed, and completed later"
  ),
  changes: switchFlag(
    "changes",
    "Pass on an event again when it is ignored, remediated, rated, tagged or annotated within the overlap"
  ),
  shape: Flag.Literals("shape", shapeNames).pipe(
    Flag.withMetavar("CHOICE"),
    Flag.withDefault("native"),
    Flag.withDescription(`${shapeNames.map((name) => `${name}: ${shapes[name]}`).join("; ")} (default: native)`)
  ),
  tlp: Flag.Literals("tlp", tlpLabels).pipe(
    Flag.withMetavar("LABEL"),
    Flag.optional,
    Flag.withDescription("Mark each item with a label of the Traffic Light Protocol 2.0, in every shape")
  ),
  includeSecrets: switchFlag("include-secrets", "Send passwords and other secrets in clear"),
  deadLetter: optionalText(
    "dead-letter",
    "FILE",
    "The file for items that a sink refuses permanently; without it, such a sink is stopped"
  ),
  retryFor: durationFlag("retry-for", "10m", "How long a round retries a batch that a sink does not accept"),
  rotate: Flag.String("rotate").pipe(
    Flag.withMetavar("SIZE"),
    Flag.withDefault("100MB"),
    Flag.filterMap(
      (text) => Option.fromUndefinedOr(bytesOf(text)),
      () => "a size such as 500KB, 100MB or 2GB"
    ),
    Flag.withDescription("Size at which a file becomes PATH.1 (default: 100MB)")
  ),
  metrics: Flag.Int("metrics").pipe(
    Flag.withMetavar("PORT"),
    Flag.filter(
      (port) => port >= 1 && port <= 65_535,
      () => "a port from 1 to 65535"
    ),
    Flag.optional,
    Flag.withDescription("Serve Prometheus metrics on http://127.0.0.1:PORT/metrics")
  ),
  maxSearches: maxSearchesFlag,
  quotaReserve: quotaReserveFlag
}

const byteUnits: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }

/** Parses a size such as `100MB` (decimal units) into bytes; undefined if it is invalid. */
const bytesOf = (text: string): number | undefined => {
  const [, count, unit] = /^([1-9][0-9]{0,8})(B|KB|MB|GB)$/u.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (byteUnits[unit ?? "B"] ?? 1)
}

/** At least one sink did not accept all items. */
class FeedIncomplete extends Schema.TaggedError<FeedIncomplete>()("FeedIncomplete", {
  waiting: Schema.Record(Schema.String, Schema.Int)
}) {
  readonly exitCode = exitCodes.incomplete

  override get message() {
    const sinks = Object.entries(this.waiting).map(([sink, count]) => `${sink} (${counted(count, "batch")})`)
    return `Not everything was accepted by ${sinks.join(", ")}: the rest waits in the state, and the next round sends it`
  }
}

const requiredVariable = Effect.fnUntraced(function* (name: string, sink: string) {
  return yield* Effect.mapError(
    Effect.fromOption(yield* secretVariable(name)),
    () => new UsageInvalid({ message: `--to: ${sink} needs the variable ${name}` })
  )
})

/** Trims the value: a variable that was read from a file ends with a line break. */
const headerVariable = Effect.fnUntraced(function* (name: string, sink: string) {
  const value = Redacted.value(yield* requiredVariable(name, sink)).trim()
  return isHeaderText(value)
    ? Redacted.make(value)
    : yield* new UsageInvalid({
        message: `${name} has a character that no header can have: was something else pasted?`
      })
})

interface SinkOptions {
  readonly rotateAt: number
  /** Host of the service. */
  readonly host: string
  readonly tlp: Tlp | undefined
}

const openSink = Effect.fnUntraced(function* (address: SinkAddress, { host, rotateAt, tlp }: SinkOptions) {
  switch (address.kind) {
    case "stdout":
      return yield* stdoutSink(address.name)
    case "file":
      return yield* fileSink(address.name, yield* callerPath(address.path), rotateAt)
    case "misp":
      return yield* mispSink(address.name, { folder: yield* callerPath(address.path), tlp })
    case "slack":
      return yield* slackSink(address.name, { url: address.url, tlp })
    case "teams":
      return yield* teamsSink(address.name, { url: address.url, tlp })
    case "opensearch": {
      const user = yield* Effect.orElseSucceed(Config.option(Config.String("THREAT_EXPOSURE_SINK_USER")), Option.none)
      const login = Option.isNone(user)
        ? undefined
        : { user: user.value, password: yield* requiredVariable("THREAT_EXPOSURE_SINK_PASSWORD", address.name) }
      return yield* openSearchSink(address.name, { url: address.url, index: address.index, login })
    }
    case "webhook":
      return yield* webhookSink(address.name, {
        url: address.url,
        secret: yield* requiredVariable("THREAT_EXPOSURE_WEBHOOK_SECRET", address.name)
      })
    case "otlp": {
      const headers = Option.getOrUndefined(yield* secretVariable("OTEL_EXPORTER_OTLP_HEADERS"))
      if (headers !== undefined && headersOf(Redacted.value(headers)) === undefined) {
        return yield* new UsageInvalid({
          message:
            "OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, separated by commas, with values percent-encoded"
        })
      }
      return yield* otlpSink(address.name, { url: address.url, headers })
    }
    case "syslog":
      return yield* syslogSink(address.name, address)
    case "splunk-hec":
      return yield* splunkSink(address.name, {
        url: address.url,
        host,
        token: yield* headerVariable("THREAT_EXPOSURE_SPLUNK_TOKEN", address.name)
      })
  }
})

/** Undefined if the service does not tell. */
const tenantOfToken = Effect.flatMap(ApiClient, ({ whoAmI }) => whoAmI).pipe(
  Effect.timeout("10 seconds"),
  Effect.map((token) => token?.tenant_id ?? undefined),
  Effect.orElseSucceed(() => undefined)
)

export const feed = Command.make(
  "feed",
  flags,
  Effect.fnUntraced(
    function* (given) {
      const addresses = yield* Effect.forEach(given.to, sinkAddress)
      const stateFile = yield* callerPath(given.state)
      const deadLetterPath = Option.isNone(given.deadLetter) ? undefined : yield* callerPath(given.deadLetter.value)
      const places = yield* Effect.forEach(addresses, (address) =>
        address.kind === "file" || address.kind === "misp" ? callerPath(address.path) : Effect.succeed(address.name)
      )
      const targets = [...places, stateFile, ...(deadLetterPath === undefined ? [] : [deadLetterPath])]
      const twice = targets.find((target, position) => targets.indexOf(target) < position)
      if (twice !== undefined) {
        return yield* new UsageInvalid({
          message: `--to: a sink is given twice, or has the file of --state or --dead-letter: ${twice}`
        })
      }
      const domains = yield* domainsOf("domains", given.domains)
      if (!given.credentials && domains.length > 0) {
        return yield* new UsageInvalid({ message: "--domains needs --credentials" })
      }
      const { options } = yield* resolveConnection
      const { hostname: host } = new URL(options.baseUrl)
      const serviceTime = yield* makeServiceTime(options.baseUrl)
      const now = yield* serviceTime
      const start = instantOf(given.since, now)
      if (start === undefined) {
        return yield* new UsageInvalid({
          message: "--since takes a past date or a span such as 7d"
        })
      }
      const query: FeedQuery = {
        identifiers: given.identifier,
        query: Option.getOrUndefined(given.query),
        severity: yield* oneOf("severity", given.severity, severities),
        types: yield* eventTypes(given.types),
        ...(Option.isNone(given.group) ? {} : { group: given.group.value }),
        credentialDomains: domains,
        ...(given.credentials && domains.length === 0 ? { tenantCredentials: true } : {}),
        changes: given.changes
      }
      const selections = [query.identifiers.length > 0, query.query !== undefined, Option.isSome(given.group)]
      if (selections.filter(Boolean).length > 1) {
        return yield* new UsageInvalid({
          message: "Give only one of --identifier, --group and --query, and run a second feed for the others"
        })
      }
      const tlp = Option.getOrUndefined(given.tlp)
      const metrics = new FeedMetrics()
      if (Option.isSome(given.metrics)) yield* serveMetrics(metrics, given.metrics.value)
      const { meter, sources } = yield* sourcesOf(query, {
        maxSearches: Option.getOrUndefined(given.maxSearches),
        quotaReserve: given.quotaReserve
      })
      const feedOptions: FeedOptions = {
        serviceTime: Effect.map(serviceTime, DateTime.toEpochMillis),
        sources: yield* sources,
        sinks: yield* Effect.forEach(addresses, (address) => openSink(address, { rotateAt: given.rotate, host, tlp })),
        shape: given.shape,
        tlp,
        contents: given.full ? yield* Events : undefined,
        changes: given.changes,
        includeSecrets: given.includeSecrets,
        linkField: options.linkField ?? defaultLinkField,
        overlap: given.overlap,
        retryFor: given.retryFor,
        deadLetters: deadLetterPath === undefined ? undefined : yield* deadLetterFile(deadLetterPath),
        metrics
      }
      const to = addresses.map(({ name }) => name)
      const { credentialDomains, group, identifiers, severity, tenantCredentials, types } = query
      const isOfIdentifiers = identifiers.length > 0
      const identity = JSON.stringify({
        service: String(options.baseUrl),
        identifiers,
        query: query.query,
        severity,
        // Searches by identifiers keep their types in `identifierTypes`, as states of earlier versions do.
        types: isOfIdentifiers ? [] : types,
        group,
        identifierTypes: isOfIdentifiers ? types : [],
        credentialDomains,
        tenantCredentials,
        includeSecrets: given.includeSecrets,
        shape: given.shape,
        to
      })
      const isOfTenant = query.query === undefined || tenantCredentials === true
      const state = FeedState.layer(stateFile, identity, {
        now: DateTime.formatIso(now),
        start: DateTime.formatIso(start),
        tenant: isOfTenant ? yield* tenantOfToken : undefined
      })
      const every = given.once ? undefined : given.every
      yield* Effect.gen(function* () {
        yield* sayCost(feedOptions, every)
        if (!selections.includes(true)) yield* sayIfNothingIsMonitored
        yield* Effect.ensuring(
          rounds(feedOptions, sources, every),
          Effect.flatMap(meter.observed, (observed) => (observed === undefined ? Effect.void : say(observed)))
        )
      }).pipe(Effect.provide(state))
    },
    Effect.provide([client, nodeHttp]),
    Effect.scoped
  )
).pipe(
  Command.withDescription(
    "Pass new events on to files and SIEMs: no event is lost, and a sink that recognises ids stores none twice"
  ),
  Command.withExamples([
    {
      command: "threat-exposure feed --identifier 42 --to file:events.ndjson --state feed.json",
      description: "Append new events to a file, every five minutes"
    },
    {
      command:
        "threat-exposure feed --query example.com --to opensearch:https://localhost:9200/leaks --state feed.json --once",
      description: "One round into an index, from a scheduler"
    }
  ])
)

/** Without identifiers the tenant has no events: tell the user why the feed stays empty. */
const sayIfNothingIsMonitored = Effect.gen(function* () {
  const { list } = yield* Identifiers
  const first = yield* Stream.runHead(list({ size: 1 }))
  if (Option.isSome(first)) return
  yield* say(
    "Your tenant has no identifier, and so no events: create one with threat-exposure identifiers create, or follow the whole data set with --query"
  )
}).pipe(Effect.ignore)

/** Prints the minimum cost of a round and of a day, as known before the first search. */
const sayCost = Effect.fnUntraced(function* ({ overlap, sources }: FeedOptions, every: Duration.Duration | undefined) {
  const paid = sources.filter(({ costsQuota }) => costsQuota).length
  if (paid === 0) return yield* say("This feed costs no searches.")
  const known = yield* (yield* FeedState).seenCount
  const round = Math.max(paid, Math.ceil(known / resultsPerSearch))
  const read =
    known === 0
      ? "from --since on in the first round"
      : `in the overlap of ${Duration.format(overlap)}, which had ${counted(known, "item")}`
  const day =
    every === undefined
      ? ""
      : `; with a round every ${Duration.format(every)} at least ${Math.floor(round * Math.min(Duration.toMillis(Duration.days(1)) / Duration.toMillis(every), freeRepeatsADay))} a day`
  yield* say(
    `A round costs one search per ${resultsPerSearch} items ${read}: at least ${counted(round, "search")}${day}.`
  )
})

/** The service charges a repeated search at most once in ten minutes (docs/api.md#limits-and-quota). */
const freeRepeatsADay = 144

const rounds = Effect.fnUntraced(function* (
  options: FeedOptions,
  sources: Effect.Success<ReturnType<typeof sourcesOf>>["sources"],
  every: Duration.Duration | undefined
) {
  let current = options.sources
  while (true) {
    const { isClosed, readFailure, waiting } = yield* runRound({ ...options, sources: current })
    if (every === undefined || isClosed) {
      if (readFailure !== undefined) return yield* readFailure
      const left = Object.fromEntries([...waiting].filter(([, count]) => count > 0))
      return Object.keys(left).length > 0 ? yield* new FeedIncomplete({ waiting: left }) : undefined
    }
    if (readFailure?.isFinal === true) return yield* readFailure
    yield* Effect.sleep(every)
    current = yield* sources
  }
})

const serveMetrics = Effect.fnUntraced(function* (metrics: FeedMetrics, port: number) {
  const server = NodeHttpServer.layerServer(() => createServer(), { port, host: "127.0.0.1" })
  const respond = Effect.sync(() =>
    HttpServerResponse.text(metrics.text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  )
  yield* Layer.build(Layer.effectDiscard(HttpServer.serveEffect(respond)).pipe(Layer.provide(server))).pipe(
    Effect.mapError(() => new UsageInvalid({ message: `--metrics: the port ${port} cannot be used` }))
  )
  yield* say(`metrics on http://127.0.0.1:${port}/metrics`)
})

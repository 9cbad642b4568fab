/**
 * `npm run demo`: the leak check of a pull request, or of a repository of yours, against the service with sample data.
 * Everything runs on this machine and nothing leaves it.
 */
import { Console } from "node:console"
import { createWriteStream, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Events } from "@threat-exposure/core/client/Events"
import { Identifiers } from "@threat-exposure/core/client/Identifiers"
import * as client from "@threat-exposure/core/client/services"
import { layer as scannerLayer } from "@threat-exposure/detect/node/NodeScanner"
import { type Scan, Scanner } from "@threat-exposure/detect/Scanner"
import { sentenceOf } from "@threat-exposure/leak-check/Coverage"
import * as LeakCheck from "@threat-exposure/leak-check/LeakCheck"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import * as ConsoleReport from "@threat-exposure/leak-check/report/Console"
import * as Json from "@threat-exposure/leak-check/report/Json"
import * as Markdown from "@threat-exposure/leak-check/report/Markdown"
import * as Sarif from "@threat-exposure/leak-check/report/Sarif"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { permissionWords, newToken } from "@threat-exposure/service/keys/ApiKeys"
import { KeyStore } from "@threat-exposure/service/keys/KeyStore"
import { leakedSecrets } from "@threat-exposure/sample/LeakedSecrets"
import { Log } from "@threat-exposure/service/observability/Log"
import { loadSample } from "@threat-exposure/service/sample/SampleLoad"
import { Server } from "@threat-exposure/service/Server"
import { Services } from "@threat-exposure/service/Services"
import { sqlite } from "@threat-exposure/service/sqlite/Sqlite"
import { databaseFiles } from "@threat-exposure/service/sqlite/database/Database"
import { Cause, Console as EffectConsole, DateTime, Effect, Layer, Stream } from "effect"
import { argumentsOf } from "./Arguments.ts"
import { ProgressLine } from "./ProgressLine.ts"
import { makeSampleRepository } from "./sampleRepository.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The version, which all parts share. */
const { version: toolVersion }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, "packages/leak-check/package.json"), "utf8")
)
const output = join(root, ".demo")
const standsIn = process.env["THREAT_EXPOSURE_CALLED_FROM"] ?? process.cwd()

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const say = (words: string) => Effect.sync(() => console.log(words))

/** The text to check, and the values that count in it. */
interface Subject {
  readonly repository: string
  readonly domains: ReadonlyArray<string>
  readonly domainLeaks: "warn" | "off"
  readonly workflowPath: string
  readonly scan: Effect.Effect<
    Pick<Input, "added" | "candidates" | "skipped">,
    Effect.Error<ReturnType<typeof candidatesOf>>,
    Scanner
  >
}

const candidatesOf = Effect.fnUntraced(function* (scan: Scan) {
  const line = new ProgressLine(process.stderr)
  const found = yield* scan.candidates.pipe(
    Stream.tap(() => Effect.map(scan.summary, ({ files, filesTotal }) => line.show(files, filesTotal, "files read"))),
    Stream.runCollect,
    Effect.ensuring(Effect.sync(() => line.clear()))
  )
  const { commits, files, skipped } = yield* scan.summary
  yield* say(
    `  ${files} ${commits > 0 ? `versions of files in ${commits} commits` : "files"} read, ${found.length} candidates` +
      skipped.map((entry) => `; ${sentenceOf(entry)}`).join("")
  )
  return { found, skipped }
})

const samplePullRequest = Effect.sync((): Subject => {
  const { base, head, root } = makeSampleRepository(join(output, "repository"), {
    databasePassword: leakedSecrets.databasePassword.value,
    accessKeyId: leakedSecrets.accessKeyId.value,
    secretAccessKey: leakedSecrets.secretAccessKey.value,
    paymentsToken: leakedSecrets.paymentsToken.value,
    sourceHostToken: leakedSecrets.sourceHostToken.value,
    unseenPassword: ["quiet", "Otter", "7316", "lantern!"].join("-")
  })
  return {
    repository: "example/orchard",
    domains: ["example.com"],
    domainLeaks: "warn",
    workflowPath: ".github/workflows/check.yml",
    scan: Effect.gen(function* () {
      yield* say(`Reading what the pull request adds: ${base.slice(0, 7)}..${head.slice(0, 7)} of a sample repository`)
      const scanner = yield* Scanner
      const { found, skipped } = yield* candidatesOf(yield* scanner.range({ root, base, head }))
      return { added: found, skipped }
    })
  }
})

const yourRepository = (path: string): Subject => ({
  repository: basename(path),
  domains: [],
  domainLeaks: "off",
  workflowPath: ".github/workflows/check.yml",
  scan: Effect.gen(function* () {
    yield* say(`Reading the files of ${path}`)
    const scanner = yield* Scanner
    const { found, skipped } = yield* candidatesOf(yield* scanner.tree({ root: path }))
    return { candidates: found, skipped }
  })
})

const check = Effect.fnUntraced(function* (subject: Subject) {
  const scanned = yield* subject.scan
  const now = yield* DateTime.now
  const plan = yield* LeakCheck.plan({
    repository: subject.repository,
    settings: { ...defaults(now), domainLeaks: subject.domainLeaks },
    ...scanned,
    domains: subject.domains
  })
  yield* say(`Searching: ${plan.summary}`)
  const line = new ProgressLine(process.stderr)
  const report = yield* LeakCheck.run(plan, {
    onProgress: ({ leaked, planned, searched }) =>
      Effect.sync(() => line.show(searched, planned, `searches, ${leaked} with leaks`))
  }).pipe(Effect.ensuring(Effect.sync(() => line.clear())))
  writeFileSync(join(output, "report.json"), Json.json(report))
  writeFileSync(join(output, "summary.md"), Markdown.summary(report))
  const { text } = yield* Sarif.uploadable(report, {
    workflowPath: subject.workflowPath,
    toolVersion
  })
  writeFileSync(join(output, "results.sarif"), text)
  return report
})

/** Lists what the tenant of the sample monitors, and deals with the newest of its critical events. */
const monitoring = Effect.gen(function* () {
  const identifiers = yield* Identifiers
  const events = yield* Events
  const monitored = yield* Stream.runCollect(identifiers.list({ size: 100 }))
  const disabled = monitored.filter(({ is_disabled }) => is_disabled).length
  yield* say(`The sample's tenant monitors ${monitored.length} identifiers, ${disabled} of them disabled:`)
  for (const { data, enrichments, name } of monitored) {
    const count = enrichments?.event_count ?? 0
    yield* say(`  ${data.type.padEnd(18)} ${(name ?? "").padEnd(32)} ${count} ${count === 1 ? "event" : "events"}`)
  }
  const critical = { filters: { severity: ["critical"] as const } }
  const open = yield* Stream.runCollect(events.ofTenant(critical))
  const newest = open[0]?.metadata.uid
  if (newest === undefined) return
  yield* events.act([newest], "remediate")
  const left = yield* Stream.runCount(events.ofTenant(critical))
  yield* say(`${open.length} critical events were open. ${newest} is remediated: ${left} are left\n`)
})

/** The service with sample data on a free port, and the client signed in to it. */
const sampleService = Layer.unwrap(
  Effect.sync(() => {
    const folder = join(output, "service")
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const database = sqlite(databaseFiles(join(folder, "sample.sqlite")))
    const signedIn = Layer.unwrap(
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { url } = yield* Server
        const token = newToken()
        yield* keys.create({
          token,
          tenantId: 1,
          permissions: Object.values(permissionWords),
          createdAt: DateTime.formatIso(yield* DateTime.now)
        })
        yield* loadSample()
        yield* say(`The service answers on ${url} with sample data`)
        return client.layer({ baseUrl: url, token })
      })
    )
    const log = new Console({ stdout: createWriteStream(join(folder, "service.log")) })
    return signedIn.pipe(
      Layer.provide(Server.layer({ host: "127.0.0.1", port: 0 })),
      Layer.provide(Services),
      Layer.provide([database, Log.layer("text")]),
      Layer.provide(Layer.succeed(EffectConsole.Console, log))
    )
  })
)

const {
  positionals: [path]
} = argumentsOf("npm run demo -- [REPOSITORY]", { most: 1, options: {} })

const main = Effect.gen(function* () {
  if (path !== undefined && !isFolder(resolve(standsIn, path))) {
    console.error(`error: ${resolve(standsIn, path)} is not a folder: give the path of a git repository`)
    return process.exit(1)
  }
  mkdirSync(output, { recursive: true })
  yield* say("Starting the service on an embedded database")
  yield* Effect.gen(function* () {
    if (path === undefined) yield* monitoring
    const subject = path === undefined ? yield* samplePullRequest : yourRepository(resolve(standsIn, path))
    yield* show(yield* check(subject))
  }).pipe(Effect.provide([sampleService, scannerLayer, scryptLayer]))
})

const show = Effect.fnUntraced(function* (report: Effect.Success<ReturnType<typeof check>>) {
  const written = ["report.json", "summary.md", "results.sarif"].map((name) => relative(root, join(output, name)))
  yield* say(`Written: ${written.join(", ")}\n`)
  yield* say(
    ConsoleReport.text(report, { colors: process.stdout.isTTY, width: Math.min(process.stdout.columns ?? 120, 140) })
  )
})

NodeRuntime.runMain(
  main.pipe(
    Effect.tapCause((cause) => {
      const failure = Cause.squash(cause)
      return Effect.sync(() => console.error(`error: ${failure instanceof Error ? failure.message : String(failure)}`))
    }),
    Effect.provide(NodeServices.layer)
  ),
  { disableErrorReporting: true }
)

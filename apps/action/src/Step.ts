/** Runs one workflow step: inputs → candidates → leak check → reports. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { Git } from "@threat-exposure/detect/git/Git"
import { givenLocation } from "@threat-exposure/detect/git/GitEnvironment"
import { settingsOf } from "@threat-exposure/leak-check/config/ConfigSettings"
import { type Fault, SettingsRefused } from "@threat-exposure/leak-check/config/ConfigFile"
import { configFilesOf, ignoreFileIn, settingsIn } from "@threat-exposure/leak-check/config/RepositoryFiles"
import { leadsOut } from "@threat-exposure/leak-check/config/SettingValue"
import { counted } from "@threat-exposure/leak-check/Counted"
import { sentenceOf } from "@threat-exposure/leak-check/Coverage"
import { plan as planOf, run, type SearchesRefused, skip } from "@threat-exposure/leak-check/LeakCheck"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import { worthSearching } from "@threat-exposure/leak-check/target/NamedSecrets"
import type { Plan } from "@threat-exposure/leak-check/search/Plan"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import { atCurrentBase } from "@threat-exposure/leak-check/range/Range"
import { rangeOf, scanEvent, type EventScan, type ScanEventOptions } from "@threat-exposure/leak-check/range/ScanEvent"
import { rulesFrom } from "@threat-exposure/leak-check/range/WorkflowEvent"
import { failing, isComplete, type Report } from "@threat-exposure/leak-check/Report"
import type { NamedSecret } from "@threat-exposure/leak-check/target/Target"
import { DateTime, Effect, Layer, Path, Record, Redacted } from "effect"
import { openCache } from "./Cache.ts"
import { type Environment, readEnvironment } from "./Environment.ts"
import { GitHub } from "./GitHub.ts"
import { inputForm, inputHelp, type Inputs } from "./Inputs.ts"
import { layer as http } from "./RunnerHttp.ts"

/** Returns why the step fails; undefined if it passes. When `cancelled` succeeds, the results so far are reported. */
export const step = Effect.fn("step")(function* (cancelled: Effect.Effect<void>) {
  const github = yield* GitHub
  const runnerEnvironment = yield* readEnvironment
  for (const name of Record.keys(yield* givenLocation)) {
    yield* github.annotate({
      level: "warning",
      message: `The variable ${name} is ignored: the repository of the workspace is checked, or that of the input working-directory`
    })
  }
  const { given, workspace } = runnerEnvironment
  const code = Layer.merge(
    scannerLayer,
    cloneLayer({ root: workspace, authorization: authorizationOf(runnerEnvironment) })
    // In a job container, the checkout belongs to another user.
  ).pipe(Layer.provide(Git.layerOfAnyOwner))
  const environment = yield* Effect.provide(ofCheckout(runnerEnvironment), code)
  const { event } = environment
  const { gaps, settings: inputs } = yield* settingsIn(inputForm, { root: workspace, event, given }).pipe(
    Effect.provide(code)
  )
  yield* refuseOneFile(inputs, workspace)
  const secrets = worthSearching(inputs.secrets ?? [], inputs.token)
  for (const value of [...secretsIn(inputs), ...secrets.map(({ value }) => value)]) yield* github.mask(value)
  const whySkipped = inputs.token === undefined ? whyWithoutToken(environment) : undefined
  const service = whySkipped === undefined ? yield* serviceOf(inputs) : undefined

  const [cache, scan] = yield* Effect.raceFirst(
    Effect.all([openCache(environment, inputs), codeOf(environment, inputs).pipe(Effect.provide(code))], {
      concurrency: 2
    }),
    Effect.andThen(cancelled, Effect.interrupt)
  )
  const plan = yield* makePlan(environment, inputs, secrets, { ...scan, gaps: [...gaps, ...scan.gaps] }).pipe(
    Effect.provide([cache.layer, code])
  )
  yield* github.log(`Plan: ${plan.summary}`)
  const { refusal, report } =
    service === undefined
      ? { report: yield* skip(plan, whySkipped ?? ""), refusal: undefined }
      : yield* runSearches(plan, cancelled).pipe(Effect.provide([cache.layer, scryptLayer, service]))

  const failure = refusal ?? failureOf(report, inputs)
  // Loaded late, because its report formats would delay the first request.
  const { publish } = yield* Effect.promise(() => import("./Publishing.ts"))
  yield* publish(report, { environment, failure, inputs, refusal }).pipe(Effect.ensuring(cache.save))
  return failure
})

/** Loaded while the first requests run: the detector is half of the bundle. */
const scannerLayer = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@threat-exposure/detect/node/NodeScanner")),
    ({ layerNoDeps }) => layerNoDeps
  )
)

/**
 * The environment with the event's current base. If an earlier step has checked out another repository, the event does
 * not apply to it.
 */
const ofCheckout = Effect.fnUntraced(function* (environment: Environment): Effect.fn.Return<Environment, never, Clone> {
  const clone = yield* Clone
  const { commit, event, given, repositoryName } = environment
  const name = given["working-directory"] === undefined ? undefined : yield* clone.remoteName
  return name === undefined || name === repositoryName
    ? { ...environment, event: yield* atCurrentBase(event, commit) }
    : {
        ...environment,
        repositoryName: name,
        repositoryUrl: `https://${name}`,
        commit: undefined,
        event: { _tag: "Other", name: "another repository" }
      }
})

const authorizationOf = ({ given, serverUrl }: Environment) => {
  const token = given["github-token"]
  return token === undefined
    ? undefined
    : {
        server: serverUrl,
        header: Redacted.make(`AUTHORIZATION: basic ${btoa(`x-access-token:${token}`)}`)
      }
}

const secretsIn = (inputs: Inputs): ReadonlyArray<Redacted.Redacted> =>
  [inputs.token, inputs["github-token"], ...(inputs.secrets ?? []).map(({ value }) => value)].filter(
    (value) => value !== undefined
  )

/** Refuses one path for both reports: the SARIF would overwrite the JSON that a later step expects. */
const refuseOneFile = Effect.fnUntraced(function* (inputs: Inputs, workspace: string) {
  const path = yield* Path.Path
  const [report, sarif] = [inputs["report-file"], inputs["sarif-file"]]
  if (report === undefined || sarif === undefined) return
  if (path.resolve(workspace, report) !== path.resolve(workspace, sarif)) return
  const message = "Inputs `report-file` and `sarif-file` name the same file: give each a file of its own"
  return yield* new SettingsRefused({ faults: [{ message }] })
})

/**
 * Why the token is missing: workflows of these pull requests get no secrets. In any other event, a missing token is an
 * error.
 */
const whyWithoutToken = ({ actor, event }: Environment): string | undefined => {
  if (event._tag !== "PullRequest") return undefined
  if (event.isFork) {
    return "This pull request comes from a fork, whose workflows are given no secrets, so there is no token to search with. What it adds is searched once it is merged"
  }
  return actor === "dependabot[bot]"
    ? "Dependabot's pull requests are given no secrets but its own, so there is no token to search with. Store the token among the Dependabot secrets of the repository to have them searched"
    : undefined
}

const serviceOf = (inputs: Inputs) => {
  const { token } = inputs
  const baseUrl = inputs["base-url"]
  if (baseUrl !== undefined && token !== undefined) {
    return Effect.succeed(
      Layer.provideMerge(
        Layer.mergeAll(Credentials.layer, Events.layer),
        ApiClient.layerNoDeps({
          baseUrl,
          token,
          pathPrefix: inputs["path-prefix"],
          linkField: inputs["link-field"]
        }).pipe(Layer.provide(http))
      )
    )
  }
  const missing: ReadonlyArray<"base-url" | "token"> = [
    ...(baseUrl === undefined ? (["base-url"] as const) : []),
    ...(token === undefined ? (["token"] as const) : [])
  ]
  return Effect.fail(
    new SettingsRefused({
      faults: missing.map((name): Fault => ({
        message: `Input \`${name}\` is missing or empty, and ${inputHelp[name].variable} is not set: give ${inputHelp[name].mustBe}`
      }))
    })
  )
}

const scanOptionsOf = (environment: Environment, inputs: Inputs): ScanEventOptions => ({
  event: environment.event,
  ruleFiles: configFilesOf(environment.given["config-file"]).filter((file) => !leadsOut(file)),
  scan: inputs.scan,
  root: environment.workspace,
  paths: inputs.paths ?? [],
  exclude: inputs.exclude ?? [],
  include: inputs.include,
  maxCandidates: inputs["max-candidates"],
  maxDuration: inputs["reading-deadline"]
})

const codeOf = Effect.fnUntraced(function* (environment: Environment, inputs: Inputs) {
  const github = yield* GitHub
  return yield* github.group(
    "Reading the code",
    scanEvent(scanOptionsOf(environment, inputs)).pipe(
      Effect.tap(({ added, files, gaps, rest, skipped }) =>
        github.log(
          [
            `Read ${counted(files, "file")}; candidates: ${added.length + rest.length}`,
            ...gaps,
            ...skipped.map((entry) => sentenceOf(entry))
          ].join("\n")
        )
      )
    )
  )
})

const makePlan = Effect.fnUntraced(function* (
  environment: Environment,
  inputs: Inputs,
  secrets: ReadonlyArray<NamedSecret>,
  scan: EventScan
) {
  const { ignore, ignoreAdded } = yield* ignoreFileIn(inputForm, {
    root: environment.workspace,
    given: environment.given,
    file: inputs["ignore-file"],
    range: inputs.scan === "none" ? rangeOf(scanOptionsOf(environment, inputs)) : Effect.succeed(scan.range)
  })
  return yield* planOf({
    repository: environment.repositoryName ?? (yield* Effect.flatMap(Clone, (clone) => clone.repositoryName)),
    settings: settingsOf(inputs, {
      isChange: rulesFrom(environment.event) !== undefined,
      now: yield* DateTime.now
    }),
    secrets,
    hidden: secretsIn(inputs),
    added: scan.added,
    candidates: scan.rest,
    domains: inputs.domains ?? [],
    loginDomains: inputs["login-domains"] ?? [],
    ignore,
    ignoreAdded,
    skipped: scan.skipped,
    gaps: scan.gaps
  })
})

/** Runs the searches. A refused token always fails the step, whatever the inputs say; results so far are reported. */
const runSearches = Effect.fnUntraced(function* (plan: Plan, cancelled: Effect.Effect<void>) {
  const github = yield* GitHub
  const each = Math.max(1, Math.ceil(plan.searches.length / 20))
  let logged = 0
  const searching = run(plan, {
    until: cancelled,
    onProgress: ({ failed, leaked, planned, searched }) =>
      Effect.suspend(() => {
        if (searched < logged + each && (searched < planned || searched === logged)) return Effect.void
        logged = searched
        return github.log(
          `${searched} of ${planned} searches, ${failed === 0 ? "" : `${failed} failed, `}${leaked} leaked so far`
        )
      })
  }).pipe(
    Effect.map((report): Searched => ({ report, refusal: undefined })),
    Effect.catch((error) => Effect.succeed<Searched>({ report: error.report, refusal: refusalOf(error) }))
  )
  return yield* plan.searches.length === 0 ? searching : github.group("Searching", searching)
})

/**
 * Why the step fails after the searches; undefined if it passes. A leak that `fail-on` excludes does not hide an
 * incomplete search.
 */
const failureOf = (report: Report, inputs: Inputs): string | undefined => {
  const leaks = failing(report, inputs["fail-on"])
  const place = inputs.summary ? "the summary of this run" : "the log of this step"
  if (leaks.length > 0) {
    return `${leaks.length === 1 ? "A leak was" : `${leaks.length} leaks were`} found: what leaked, where and what to do is in ${place}`
  }
  if (report.verdict === "skipped" || isComplete(report) || inputs["on-incomplete"] === "warn") return undefined
  return `Not everything could be checked, so this is not a clean result: what is missing, and why, is in ${place}`
}

interface Searched {
  readonly report: Report
  readonly refusal: string | undefined
}

const refusalOf = ({ refusal: error }: SearchesRefused) => {
  switch (error._tag) {
    case "Unauthorized":
      return `The service refused to search: ${error.reason}. Renew the token, and store the new one in the secret that the input \`token\` uses`
    case "Forbidden":
      return `The service refused to search: the API key lacks the permission ${error.permission ?? "Read Tenant"}. Give the key this permission, or use another key`
    case "NotFound":
      return "The service has no search at this address: check the inputs `base-url` and `path-prefix`"
  }
}

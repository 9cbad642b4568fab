/** One step of a workflow: inputs → candidates → leak check → reports. */
import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import type { Forbidden, Unauthorized } from "@threat-exposure/core/client/ApiError"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { Events } from "@threat-exposure/core/client/Events"
import { Scanner } from "@threat-exposure/detect/Scanner"
import { Git } from "@threat-exposure/detect/git/Git"
import { sentenceOf } from "@threat-exposure/leak-check/Coverage"
import { addedFingerprints, empty, type IgnoreFile, parse } from "@threat-exposure/leak-check/IgnoreFile"
import { plan as planOf, run, skip } from "@threat-exposure/leak-check/LeakCheck"
import { layer as scryptLayer } from "@threat-exposure/leak-check/node/NodeScrypt"
import type { Plan } from "@threat-exposure/leak-check/Plan"
import { Clone, layer as cloneLayer } from "@threat-exposure/leak-check/range/Clone"
import {
  rangeOf,
  read,
  rulesFrom,
  type EventScan,
  type ScanEventOptions
} from "@threat-exposure/leak-check/range/ScanEvent"
import { repositoryNameOf } from "@threat-exposure/leak-check/RepositoryName"
import type { Report } from "@threat-exposure/leak-check/Report"
import { defaults } from "@threat-exposure/leak-check/Settings"
import type { NamedSecret } from "@threat-exposure/leak-check/Target"
import type { YamlInvalid } from "@threat-exposure/leak-check/Yaml"
import { DateTime, Effect, FileSystem, Layer, Option, Path, Redacted, Result } from "effect"
import { keptCache } from "./Cache.ts"
import { type Environment, readEnvironment } from "./Environment.ts"
import { GitHub } from "./GitHub.ts"
import {
  configFiles,
  inputHelp,
  decodeInputs,
  type Fault,
  type InputName,
  type Inputs,
  InputsRefused,
  inputDefaults,
  readConfig,
  leadsOut
} from "./Inputs.ts"
import { worthSearching } from "./NamedSecrets.ts"
import { failureOf } from "./Outcome.ts"
import { layer as rateLimited } from "./RateLimiter.ts"

/** The reason for which the step fails; undefined where it passes. What `cancelled` ends is reported as far as it came. */
export const step = Effect.fn("step")(function* (cancelled: Effect.Effect<void>) {
  const github = yield* GitHub
  const environment = yield* readEnvironment
  const code = Layer.merge(
    scannerLayer,
    cloneLayer({ root: environment.workspace, authorization: authorizationOf(environment) }).pipe(
      Layer.provide(Git.layerNoDeps)
    )
  )
  const { gaps, inputs } = yield* inputsOf(environment).pipe(Effect.provide(code))
  const secrets = worthSearching(inputs)
  for (const value of [...secretsIn(inputs), ...secrets.map(({ value }) => value)]) yield* github.mask(value)
  const whySkipped = inputs.token === undefined ? whyWithoutToken(environment) : undefined
  const service = whySkipped === undefined ? yield* serviceOf(inputs) : undefined

  const [cache, scan] = yield* Effect.raceFirst(
    Effect.all([keptCache(environment, inputs), codeOf(environment, inputs).pipe(Effect.provide(code))], {
      concurrency: 2
    }),
    Effect.andThen(cancelled, Effect.interrupt)
  )
  const plan = yield* planned(environment, inputs, secrets, { ...scan, gaps: [...gaps, ...scan.gaps] }).pipe(
    Effect.provide([cache.layer, code])
  )
  yield* github.log(`Plan: ${plan.summary}`)
  const { refusal, report } =
    service === undefined
      ? { report: yield* skip(plan, whySkipped ?? ""), refusal: undefined }
      : yield* searched(plan, cancelled).pipe(Effect.provide([cache.layer, scryptLayer, service]))

  const failure = refusal ?? failureOf(report, { failOn: inputs["fail-on"], onIncomplete: inputs["on-incomplete"] })
  // Not needed before: its five formats would delay the first request.
  const { publish } = yield* Effect.promise(() => import("./Publishing.ts"))
  yield* publish(report, { environment, failure, inputs, refusal }).pipe(Effect.ensuring(cache.save))
  return failure
})

/** Loaded beside the first requests: the detector is half of the bundle. */
const scannerLayer = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@threat-exposure/detect/node/NodeScanner")),
    ({ layer }) => layer
  )
)

const authorizationOf = ({ given, serverUrl }: Environment) => {
  const token = given["github-token"]
  return token === undefined
    ? undefined
    : {
        server: serverUrl,
        header: Redacted.make(`AUTHORIZATION: basic ${btoa(`x-access-token:${token}`)}`)
      }
}

const inputsOf = Effect.fnUntraced(function* (environment: Environment) {
  const { event, given, workspace } = environment
  const wanted = given["config-file"]
  const base = rulesFrom(event)
  const missing = base === undefined ? undefined : yield* whyWithoutCommit(base)
  for (const file of configFilesOf(environment)) {
    const isOfBase = base !== undefined && !leadsOut(file)
    const text = isOfBase ? yield* textAt(base, file) : undefined
    const own = yield* textOf("config-file", file, workspace, wanted === undefined || text !== undefined)
    // A mistake in it is told at once, but what a change writes into the file applies once it is merged.
    const decoded = own === undefined ? undefined : yield* decodeInputs(given, yield* readConfig(file, own))
    if (!isOfBase && decoded !== undefined) return { inputs: decoded, gaps: [] }
    if (text !== undefined) return { inputs: yield* decodeInputs(given, yield* readConfig(file, text)), gaps: [] }
  }
  return {
    inputs: yield* decodeInputs(given),
    gaps:
      missing === undefined
        ? []
        : [
            `The config file of the commit ${missing.base.slice(0, 12)} could not be read (${missing.reason}): check out with \`fetch-depth: 0\``
          ]
  }
})

const configFilesOf = ({ given }: Environment): ReadonlyArray<string> =>
  given["config-file"] === undefined ? configFiles : [given["config-file"]]

/** Fetches the commit where it is not here; undefined where it is, or was fetched. */
const whyWithoutCommit = Effect.fnUntraced(function* (base: string) {
  const clone = yield* Clone
  const isHere = yield* Effect.orElseSucceed(clone.commitOf(base), () => Option.none())
  if (Option.isSome(isHere)) return undefined
  const isShallow = yield* Effect.orElseSucceed(clone.isShallow, () => false)
  const fetched = yield* Effect.result(clone.fetch({ depth: isShallow ? 1 : undefined, revisions: [base] }))
  return Result.isSuccess(fetched) ? undefined : { base, reason: fetched.failure.reason }
})

const textAt = Effect.fnUntraced(function* (commit: string, file: string) {
  const clone = yield* Clone
  return Option.getOrUndefined(yield* Effect.orElseSucceed(clone.textAt(commit, file), () => Option.none<string>()))
})

/** Undefined where there is no such file, and it is optional. */
const textOf = Effect.fnUntraced(function* (
  name: "config-file" | "ignore-file",
  file: string,
  workspace: string,
  isOptional: boolean
) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const full = path.resolve(workspace, file)
  const read = Effect.gen(function* () {
    if (leadsOut(file)) return yield* files.readFileString(full)
    const [real, root] = yield* Effect.all([files.realPath(full), files.realPath(workspace)])
    return real.startsWith(`${root}${path.sep}`)
      ? yield* files.readFileString(real)
      : yield* refusedInput(name, `is \`${file}\`, a link that leads out of the repository`)
  })
  return yield* read.pipe(
    Effect.map((text): string | undefined => text),
    Effect.catchTag("PlatformError", ({ reason }) =>
      reason._tag === "NotFound" && isOptional
        ? Effect.undefined
        : Effect.fail(
            refusedInput(
              name,
              `is \`${file}\`, which ${reason._tag === "NotFound" ? "is not there" : "cannot be read"}; it may be ${inputHelp[name].mayBe}`
            )
          )
    )
  )
})

const refusedInput = (name: InputName, what: string) =>
  new InputsRefused({ faults: [{ message: `Input \`${name}\` ${what}` }] })

const secretsIn = (inputs: Inputs): ReadonlyArray<Redacted.Redacted> =>
  [inputs.token, inputs["github-token"], ...(inputs.secrets ?? []).map(({ value }) => value)].filter(
    (value) => value !== undefined
  )

/** Workflows of these pull requests are given no secrets; in any other a missing token is a mistake. */
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
        }).pipe(Layer.provide(rateLimited))
      )
    )
  }
  const missing: ReadonlyArray<"base-url" | "token"> = [
    ...(baseUrl === undefined ? (["base-url"] as const) : []),
    ...(token === undefined ? (["token"] as const) : [])
  ]
  return Effect.fail(
    new InputsRefused({
      faults: missing.map((name): Fault => ({
        message: `Input \`${name}\` is missing: give it to the action, or set ${inputHelp[name].variable}; it may be ${inputHelp[name].mayBe}`
      }))
    })
  )
}

const scanOptionsOf = (environment: Environment, inputs: Inputs): ScanEventOptions => ({
  event: environment.event,
  ruleFiles: configFilesOf(environment).filter((file) => !leadsOut(file)),
  scan: inputs.scan,
  root: environment.workspace,
  paths: inputs.paths ?? [],
  exclude: inputs.exclude ?? []
})

const codeOf = Effect.fnUntraced(function* (environment: Environment, inputs: Inputs) {
  const github = yield* GitHub
  return yield* github.group(
    "Reading the code",
    read(scanOptionsOf(environment, inputs)).pipe(
      Effect.tap(({ added, files, gaps, rest, skipped }) =>
        github.log(
          [
            `Read ${files} files; candidates: ${added.length + rest.length}`,
            ...gaps,
            ...skipped.map((entry) => sentenceOf(entry))
          ].join("\n")
        )
      )
    )
  )
})

/** What leaks of a domain mean in a change to the code: they are the organisation's, and seldom the change's. */
const isChange = ({ event }: Environment) => event._tag === "PullRequest" || event._tag === "MergeGroup"

const planned = Effect.fnUntraced(function* (
  environment: Environment,
  inputs: Inputs,
  secrets: ReadonlyArray<NamedSecret>,
  scan: EventScan
) {
  const { ignore, ignoreAdded } = yield* ignoredIn(environment, inputs, scan)
  return yield* planOf({
    repository: yield* repositoryNameFor(environment),
    settings: {
      ...defaults(yield* DateTime.now),
      minSeverity: inputs["min-severity"],
      since: inputs.since,
      domainLeaks: inputs["domain-leaks"] ?? (isChange(environment) ? "warn" : "fail"),
      maxSearches: inputs["max-searches"],
      quotaReserve: inputs["quota-reserve"],
      deadline: inputs.deadline
    },
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

/** In a workflow by what it says of itself, elsewhere by the remote, else by the folder. */
const repositoryNameFor = Effect.fnUntraced(function* ({ repositoryName, workspace }: Environment) {
  if (repositoryName !== undefined) return repositoryName
  const clone = yield* Clone
  const path = yield* Path.Path
  const origin = yield* Effect.orElseSucceed(clone.origin, () => Option.none<string>())
  return (
    Option.getOrUndefined(Option.flatMapNullishOr(origin, repositoryNameOf)) ?? path.basename(workspace).toLowerCase()
  )
})

const ignoredIn = Effect.fnUntraced(function* (
  environment: Environment,
  inputs: Inputs,
  scan: EventScan
): Effect.fn.Return<
  { readonly ignore: IgnoreFile; readonly ignoreAdded: ReadonlyArray<string> },
  InputsRefused | YamlInvalid,
  FileSystem.FileSystem | Path.Path | Clone | Scanner
> {
  const file = inputs["ignore-file"]
  const text = yield* textOf("ignore-file", file, environment.workspace, file === inputDefaults["ignore-file"])
  if (text === undefined) return { ignore: empty, ignoreAdded: [] }
  const ignore = yield* parse(text, file)
  const before = yield* ignoreFileBefore(file, environment, inputs, scan)
  return { ignore, ignoreAdded: before === undefined ? [] : addedFingerprints(before, ignore) }
})

/** The ignore file as it was where the change begins; undefined where there is no change, or the file is not its matter. */
const ignoreFileBefore = Effect.fnUntraced(function* (
  file: string,
  environment: Environment,
  inputs: Inputs,
  scan: EventScan
) {
  const clone = yield* Clone
  const path = yield* Path.Path
  const { workspace } = environment
  const inRepository = path.relative(workspace, path.resolve(workspace, file))
  if (inRepository.startsWith("..") || path.isAbsolute(inRepository)) return undefined
  const range = inputs.scan === "none" ? yield* rangeOf(scanOptionsOf(environment, inputs)) : scan.range
  if (range?.base === undefined) return undefined
  const { base, head } = range
  // What its base has taken out since is not the change's addition. The base's own faults are not the change's either.
  return yield* clone.mergeBaseOf(base, head).pipe(
    Effect.flatMap((fork) =>
      clone.textAt(
        Option.getOrElse(fork, () => base),
        inRepository.replaceAll(path.sep, "/")
      )
    ),
    Effect.flatMap(Option.match({ onNone: () => Effect.succeed(empty), onSome: (text) => parse(text, file) })),
    Effect.orElseSucceed(() => empty)
  )
})

/** A token that is refused fails the step whatever the inputs say; what was found before is reported. */
const searched = Effect.fnUntraced(function* (plan: Plan, cancelled: Effect.Effect<void>) {
  const github = yield* GitHub
  const each = Math.max(1, Math.ceil(plan.searches.length / 20))
  let told = 0
  return yield* github.group(
    "Searching",
    run(plan, {
      until: cancelled,
      onProgress: ({ failed, leaked, planned, searched }) =>
        Effect.suspend(() => {
          if (searched < told + each && (searched < planned || searched === told)) return Effect.void
          told = searched
          return github.log(
            `${searched} of ${planned} searches, ${failed === 0 ? "" : `${failed} failed, `}${leaked} leaked so far`
          )
        })
    }).pipe(
      Effect.map((report): Searched => ({ report, refusal: undefined })),
      Effect.catch((error) => Effect.succeed<Searched>({ report: error.report, refusal: refusalOf(error) }))
    )
  )
})

interface Searched {
  readonly report: Report
  readonly refusal: string | undefined
}

const refusalOf = (error: Unauthorized | Forbidden) =>
  error._tag === "Unauthorized"
    ? `The service refused to search: ${error.reason}. Renew the token, and store it where the input \`token\` takes it from`
    : `The service refused to search: the API key lacks the permission ${error.permission ?? "Read Tenant"}. Give it that, or use the token of another key`

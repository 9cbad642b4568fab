/** A repository's own `.gitleaks.toml`: its rules find candidates too, and its allowlists exclude some. */
import { Effect, Result, Schema } from "effect"
import { goRegExp } from "./GoRegExp.ts"
import { pathInside } from "../skip/PathFilter.ts"
import { entropy } from "../scoring/Randomness.ts"
import type { Report, Rule } from "../rules/Rule.ts"
import type { SkipReason } from "../skip/Skipped.ts"
import type { Finding, Source } from "../text/Source.ts"
import { type Timed, untimed } from "./TimeLimit.ts"

export interface GitleaksConfig {
  /** An expression that takes too long is not used again. */
  readonly rules: ReadonlyArray<Rule>
  /** Files with these paths are skipped. */
  allowsPath(path: string): boolean
  allowsCommit(commit: string): boolean
  allows(source: Source, finding: Finding): boolean
}

const Strings = Schema.optional(Schema.Array(Schema.String))

const Allowlist = Schema.Struct({
  condition: Schema.optional(Schema.String),
  commits: Strings,
  paths: Strings,
  regexTarget: Schema.optional(Schema.String),
  regexes: Strings,
  stopwords: Strings,
  targetRules: Strings
})

const RuleEntry = Schema.Struct({
  id: Schema.String,
  regex: Schema.optional(Schema.String),
  secretGroup: Schema.optional(Schema.Finite),
  entropy: Schema.optional(Schema.Finite),
  path: Schema.optional(Schema.String),
  keywords: Strings,
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist))
})

const Extend = Schema.Struct({
  path: Schema.optional(Schema.String),
  url: Schema.optional(Schema.String),
  useDefault: Schema.optional(Schema.Boolean),
  disabledRules: Strings
})

const Config = Schema.Struct({
  extend: Schema.optional(Extend),
  rules: Schema.optional(Schema.Array(RuleEntry)),
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist))
})

type ConfigDocument = typeof Config.Type

const decode = Schema.decodeUnknownResult(Config)

const allowsNothing = { allowsPath: () => false, allowsCommit: () => false, allows: () => false }

export const emptyConfig: GitleaksConfig = { rules: [], ...allowsNothing }

export interface GitleaksOptions {
  readonly timed?: Timed
  /** Called with one sentence for each part that is not used, with the reason. */
  readonly warn?: (reason: ConfigProblem, sentence: string) => void
}

/** Whether a part of the file is invalid, or is a feature that only gitleaks supports. */
export type ConfigProblem = Extract<SkipReason, "config-unusable" | "config-unsupported">

export const gitleaksFile = ".gitleaks.toml"

/**
 * The repository's `.gitleaks.toml` with the files that it extends, which `read` gives by their path from the root;
 * undefined where it has none. Never fails: unusable parts are warnings, and the rest applies.
 */
export const loadGitleaksConfig = Effect.fnUntraced(function* <E, R>(
  read: (path: string) => Effect.Effect<string | undefined, E, R>,
  options: GitleaksOptions = {}
): Effect.fn.Return<GitleaksConfig | undefined, E, R> {
  const { warn = () => {} } = options
  const loaded = new Set<string>()
  const load = (path: string): Effect.Effect<ConfigDocument | undefined, E, R> =>
    Effect.gen(function* () {
      const toml = yield* read(path)
      if (toml === undefined) return undefined
      loaded.add(path)
      const own = yield* decodeConfig(toml, path, warn)
      const { disabledRules = [], path: written, url, useDefault = false } = own.extend ?? {}
      if (useDefault) {
        warn(
          "config-unsupported",
          `${path}: useDefault: ignored, because the built-in rules of this program run instead of those of gitleaks`
        )
      }
      if (url !== undefined) warn("config-unsupported", `${path}: url: nothing is downloaded`)
      if (written === undefined) return own
      const extended = pathInside(written)
      if (extended === undefined) {
        warn("config-unusable", `${path} extends ${JSON.stringify(written)}, which leads out of the repository`)
        return own
      }
      if (loaded.has(extended)) return own
      const base = yield* load(extended)
      if (base === undefined) {
        warn("config-unusable", `${path} extends ${JSON.stringify(written)}, which cannot be read`)
        return own
      }
      return merged(base, own, disabledRules)
    })
  const document = yield* load(gitleaksFile)
  return document === undefined ? undefined : compileConfig(document, options)
})

/** As gitleaks merges: a rule of the same id keeps what its extension does not set, and lists grow. */
const merged = (base: ConfigDocument, own: ConfigDocument, disabledRules: ReadonlyArray<string>): ConfigDocument => {
  const rules = new Map(
    (base.rules ?? []).flatMap((rule) => (disabledRules.includes(rule.id) ? [] : [[rule.id, rule]]))
  )
  for (const rule of own.rules ?? []) {
    const extended = rules.get(rule.id)
    rules.set(
      rule.id,
      extended === undefined
        ? rule
        : {
            ...extended,
            ...rule,
            keywords: [...(extended.keywords ?? []), ...(rule.keywords ?? [])],
            allowlist: undefined,
            allowlists: [...allowlistsOf(extended), ...allowlistsOf(rule)]
          }
    )
  }
  return { rules: [...rules.values()], allowlists: [...allowlistsOf(base), ...allowlistsOf(own)] }
}

const allowlistsOf = ({ allowlist, allowlists = [] }: Pick<ConfigDocument, "allowlist" | "allowlists">) => [
  ...(allowlist === undefined ? [] : [allowlist]),
  ...allowlists
]

const decodeConfig = Effect.fnUntraced(function* (
  toml: string,
  path: string,
  warn: NonNullable<GitleaksOptions["warn"]>
): Effect.fn.Return<ConfigDocument> {
  // Most repositories have no such file.
  const { parse } = yield* Effect.promise(() => import("smol-toml"))
  const parsed = Result.try({ try: () => parse(toml), catch: () => "it is not TOML" }).pipe(
    Result.flatMap((document) => Result.mapError(decode(document), ({ message }) => message.split("\n").join(" ")))
  )
  if (Result.isFailure(parsed)) warn("config-unusable", `${path}: ${parsed.failure}`)
  return Result.getOrElse(parsed, () => ({}))
})

const compileConfig = (
  document: ConfigDocument,
  { timed = untimed, warn = () => {} }: GitleaksOptions
): GitleaksConfig => {
  const { rules = [] } = document
  const compile = (expression: string, of: string): RegExp | undefined =>
    Result.match(goRegExp(expression), {
      onSuccess: (regExp) => regExp,
      onFailure: (reason) => {
        warn("config-unusable", `an expression of ${of}: ${reason}`)
        return undefined
      }
    })
  const general = allowlistsOf(document)
  const everywhere = general
    .filter(({ targetRules = [] }) => targetRules.length === 0)
    .map((list) => compileAllowlist(list, "the allowlist", compile))

  const compiled = rules.flatMap((rule): ReadonlyArray<CompiledRule> => {
    const name = `the rule ${JSON.stringify(rule.id)}`
    if (rule.regex === undefined) {
      warn("config-unsupported", `${name}: it has no expression for a value`)
      return []
    }
    const regExp = compile(rule.regex, name)
    const path = rule.path === undefined ? undefined : compile(rule.path, name)
    if (regExp === undefined || (rule.path !== undefined && path === undefined)) return []
    const own = [...allowlistsOf(rule), ...general.filter(({ targetRules = [] }) => targetRules.includes(rule.id))].map(
      (list) => compileAllowlist(list, name, compile)
    )
    return [
      {
        id: `gitleaks/${rule.id}`,
        name,
        keywords: (rule.keywords ?? []).filter((keyword) => /^[\x21-\x7e ]+$/.test(keyword)),
        find: (source, report) => {
          if (path !== undefined && !matches(path, source.path)) return
          for (const match of source.text.matchAll(regExp)) {
            const group = match.slice(1).find((part) => part !== undefined && part !== "")
            const value = (rule.secretGroup ? match[rule.secretGroup] : group) ?? match[0]
            if (value === "" || (rule.entropy !== undefined && entropy(value) <= rule.entropy)) continue
            const start = match.index + match[0].indexOf(value)
            const finding: Finding = {
              value,
              kind: "generic-secret",
              rule: `gitleaks/${rule.id}`,
              confidence: 0.8,
              start,
              end: start + value.length
            }
            if (!own.some((list) => list.allows(source, finding, match[0]))) report(finding)
          }
        }
      }
    ]
  })

  const patience = makePatience(timed, warn)
  /** False if the allowlist was dropped. */
  const allowed = (text: string, isAllowed: () => boolean): boolean => {
    let answer = false
    const work = () => {
      answer = isAllowed()
    }
    if (everywhere.length > 0) patience(text, [{ name: "the allowlist", work }])
    return answer
  }
  const together = (id: string, keywords: ReadonlyArray<string>, all: ReadonlyArray<CompiledRule>): Rule => ({
    id,
    keywords,
    find: (source, _start, _end, report) => {
      patience(
        source.text,
        all.map(({ find, name }) => ({ name, work: () => find(source, report) }))
      )
      return source.text.length
    }
  })
  const withoutKeywords = compiled.filter(({ keywords }) => keywords.length === 0)
  return {
    rules: [
      ...compiled.flatMap((rule) => (rule.keywords.length === 0 ? [] : [together(rule.id, rule.keywords, [rule])])),
      // Combined, because a time limit costs more than most expressions.
      ...(withoutKeywords.length === 0 ? [] : [together("gitleaks", [], withoutKeywords)])
    ],
    allowsPath: (path) => allowed(path, () => everywhere.some((list) => list.allowsPath(path))),
    allowsCommit: (commit) => everywhere.some((list) => list.allowsCommit(commit)),
    allows: (source, finding) => {
      const match = source.text.slice(finding.start, finding.end)
      return allowed(match, () => everywhere.some((list) => list.allows(source, finding, match)))
    }
  }
}

interface CompiledRule {
  readonly id: string
  /** As warnings call it. */
  readonly name: string
  readonly keywords: ReadonlyArray<string>
  find(source: Source, report: Report): void
}

/** Milliseconds for one expression on one text. */
const longestTurn = 2000
/** Total milliseconds for all of them, in addition to the limit for each text. */
const longestInAll = 60_000
/** Characters that a slow expression processes in a millisecond. */
const pace = 1000

interface Turn {
  readonly name: string
  readonly work: () => void
}

/** Runs each expression on a text, except those that took too long before. */
const makePatience = (timed: Timed, warn: NonNullable<GitleaksOptions["warn"]>) => {
  const givenUp = new Set<string>()
  let left = longestInAll
  return (text: string, turns: ReadonlyArray<Turn>): void => {
    let waiting = turns.filter(({ name }) => !givenUp.has(name))
    while (waiting.length > 0 && left > 0) {
      left += (text.length / pace) * waiting.length
      let done = 0
      const took = timed(longestTurn, () => {
        for (const { work } of waiting) {
          work()
          done++
        }
      })
      left -= took ?? longestTurn
      const { name } = waiting[done] ?? { name: "" }
      if (took === undefined) {
        givenUp.add(name)
        warn("config-unusable", `${name}: it takes too long, and is not used`)
      }
      if (left <= 0) warn("config-unusable", "all of it: its expressions take too long in total, and are not used")
      waiting = waiting.slice(done + 1)
    }
  }
}

const matches = (regExp: RegExp, text: string): boolean => {
  regExp.lastIndex = 0
  return regExp.test(text)
}

const compileAllowlist = (
  { commits = [], condition, paths = [], regexTarget, regexes = [], stopwords = [] }: typeof Allowlist.Type,
  of: string,
  compile: (expression: string, of: string) => RegExp | undefined
) => {
  const pathExpressions = paths.map((path) => compile(path, of)).filter((path) => path !== undefined)
  const expressions = regexes.map((regex) => compile(regex, of)).filter((regex) => regex !== undefined)
  const words = stopwords.map((word) => word.toLowerCase())
  const all = condition?.toUpperCase() === "AND" || condition === "&&"
  // Without one of its conditions, a list that requires all of them would allow too much.
  if (all && pathExpressions.length + expressions.length < paths.length + regexes.length) return allowsNothing
  const content = expressions.length > 0 || words.length > 0
  const onPath = (path: string) => pathExpressions.some((expression) => matches(expression, path))
  return {
    allowsPath: (path: string) => onPath(path) && !(all && (content || commits.length > 0)),
    allowsCommit: (commit: string) => commits.includes(commit) && !(all && (content || pathExpressions.length > 0)),
    allows: (source: Source, finding: Finding, match: string) => {
      const target =
        regexTarget === "line"
          ? source.text.slice(source.lineStart(finding.start), source.lineEnd(finding.end))
          : regexTarget === "match"
            ? match
            : finding.value
      const met = [
        ...(pathExpressions.length > 0 ? [onPath(source.path)] : []),
        ...(expressions.length > 0 ? [expressions.some((expression) => matches(expression, target))] : []),
        ...(words.length > 0 ? [words.some((word) => finding.value.toLowerCase().includes(word))] : []),
        // The commit is not known here: a list that requires a commit and another condition allows nothing.
        ...(all && commits.length > 0 ? [false] : [])
      ]
      return met.length > 0 && (all ? met.every(Boolean) : met.some(Boolean))
    }
  }
}

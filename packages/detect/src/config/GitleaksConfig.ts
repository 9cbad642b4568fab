/** Reads a repository's own `.gitleaks.toml`: its rules find more candidates, and its allowlists exclude some. */
import { Effect, Result, Schema } from "effect"
import type { RE2JS } from "re2js"
import { pathInside } from "../skip/PathFilter.ts"
import { entropy } from "../scoring/Randomness.ts"
import { rules as builtInRules } from "../rules/Rules.ts"
import type { Rule } from "../rules/Rule.ts"
import type { SkipReason } from "../skip/Skipped.ts"
import type { Finding, Source } from "../text/Source.ts"

export interface GitleaksConfig {
  readonly rules: ReadonlyArray<Rule>
  /** Whether files with this path are skipped. */
  allowsPath(path: string): boolean
  allowsCommit(commit: string): boolean
  allows(source: Source, finding: Finding): boolean
}

const Strings = Schema.optional(Schema.Array(Schema.String))

/** Keys are in lower case, because gitleaks ignores their case. */
const Allowlist = Schema.Struct({
  condition: Schema.optional(Schema.String),
  commits: Strings,
  paths: Strings,
  regextarget: Schema.optional(Schema.String),
  regexes: Strings,
  stopwords: Strings,
  targetrules: Strings
})

const Required = Schema.Struct({
  id: Schema.String,
  withinlines: Schema.optional(Schema.Finite),
  withincolumns: Schema.optional(Schema.Finite)
})

const RuleEntry = Schema.Struct({
  id: Schema.String,
  regex: Schema.optional(Schema.String),
  secretgroup: Schema.optional(Schema.Finite),
  entropy: Schema.optional(Schema.Finite),
  path: Schema.optional(Schema.String),
  keywords: Strings,
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist)),
  required: Schema.optional(Schema.Array(Required)),
  skipreport: Schema.optional(Schema.Boolean),
  filter: Schema.optional(Schema.String)
})

const Extend = Schema.Struct({
  path: Schema.optional(Schema.String),
  url: Schema.optional(Schema.String),
  usedefault: Schema.optional(Schema.Boolean),
  disabledrules: Strings
})

const Config = Schema.Struct({
  extend: Schema.optional(Extend),
  rules: Schema.optional(Schema.Array(RuleEntry)),
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist)),
  filter: Schema.optional(Schema.String),
  prefilter: Schema.optional(Schema.String)
})

type ConfigDocument = typeof Config.Type

const decode = Schema.decodeUnknownResult(Config)

const allowsNothing = { allowsPath: () => false, allowsCommit: () => false, allows: () => false }

export interface GitleaksOptions {
  /** Called once for each unused part, with the reason and a sentence that describes it. */
  readonly warn?: (reason: ConfigProblem, sentence: string) => void
}

/** Whether a part of the file is invalid, or uses a feature that only gitleaks supports. */
export type ConfigProblem = Extract<SkipReason, "config-unusable" | "config-unsupported">

type Warn = NonNullable<GitleaksOptions["warn"]>

export const gitleaksFile = ".gitleaks.toml"

/**
 * Loads the repository's `.gitleaks.toml` and the files that it extends; undefined if it has none. `read` takes paths
 * relative to the repository's root. Never fails: each unusable part causes a warning, and the rest applies.
 */
export const loadGitleaksConfig = Effect.fnUntraced(function* <E, R>(
  read: (path: string) => Effect.Effect<string | undefined, E, R>,
  { warn = () => {} }: GitleaksOptions = {}
): Effect.fn.Return<GitleaksConfig | undefined, E, R> {
  const loaded = new Set<string>()
  const load = (path: string): Effect.Effect<ConfigDocument | undefined, E, R> =>
    Effect.gen(function* () {
      const toml = yield* read(path)
      if (toml === undefined) return undefined
      loaded.add(path)
      const own = yield* decodeConfig(toml, path, warn)
      const { disabledrules = [], path: written, url, usedefault = false } = own.extend ?? {}
      if (usedefault) {
        warn(
          "config-unsupported",
          `${path}: useDefault: ignored, because the built-in rules of this program run instead of those of gitleaks${disabledrules.length > 0 ? "; disabledRules disables none of them" : ""}`
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
      if (loaded.size > maxExtended) {
        warn("config-unusable", `${path} extends ${JSON.stringify(written)}, which is one file too many`)
        return own
      }
      const base = yield* load(extended)
      if (base === undefined) {
        warn("config-unusable", `${path} extends ${JSON.stringify(written)}, which cannot be read`)
        return own
      }
      return mergeConfigs(base, own, disabledrules)
    })
  const document = yield* load(gitleaksFile)
  if (document === undefined) return undefined
  const { RE2JS } = yield* Effect.promise(() => import("re2js"))
  return compileConfig(document, makeCompiler(RE2JS, warn), warn, loaded)
})

/** How many files may extend one another, as in gitleaks. */
const maxExtended = 2

/** Merges as gitleaks does: of two rules with one id, `own` overrides single values and appends to lists. */
const mergeConfigs = (
  base: ConfigDocument,
  own: ConfigDocument,
  disabledRules: ReadonlyArray<string>
): ConfigDocument => {
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
  return {
    ...own,
    rules: [...rules.values()],
    allowlist: undefined,
    allowlists: [...allowlistsOf(base), ...allowlistsOf(own)]
  }
}

const allowlistsOf = ({ allowlist, allowlists = [] }: Pick<ConfigDocument, "allowlist" | "allowlists">) => [
  ...(allowlist === undefined ? [] : [allowlist]),
  ...allowlists
]

/** Ten times the rules of gitleaks itself. A larger file would take long to parse, and much memory. */
const maxConfigLength = 2_000_000

const decodeConfig = Effect.fnUntraced(function* (
  toml: string,
  path: string,
  warn: Warn
): Effect.fn.Return<ConfigDocument> {
  // Loaded on demand: most repositories have no such file.
  const { parse } = yield* Effect.promise(() => import("smol-toml"))
  const parsed = Result.succeed(toml).pipe(
    Result.filterOrFail(
      ({ length }) => length <= maxConfigLength,
      () => "it is too large"
    ),
    Result.flatMap((toml) => Result.try({ try: () => parse(toml), catch: () => "it is not TOML" })),
    Result.flatMap((document) =>
      Result.mapError(decode(withLowerCaseKeys(document)), ({ message }) => message.split("\n").join(" "))
    )
  )
  if (Result.isFailure(parsed)) warn("config-unusable", `${path}: ${parsed.failure}`)
  const document = Result.getOrElse(parsed, (): ConfigDocument => ({}))
  const { filter, prefilter, rules = [] } = document
  if ([filter, prefilter, ...rules.map((rule) => rule.filter)].some((expression) => expression !== undefined))
    warn("config-unsupported", `${path}: filter: expressions of betterleaks are not evaluated`)
  return document
})

const withLowerCaseKeys = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withLowerCaseKeys)
    : typeof value === "object" && value !== null && !(value instanceof Date)
      ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toLowerCase(), withLowerCaseKeys(member)]))
      : value

/** Compiles an RE2 expression, which always runs in linear time; undefined if it is invalid. */
type Compile = (expression: string, of: string) => RE2JS | undefined

const makeCompiler = (engine: typeof RE2JS, warn: Warn): Compile => {
  let left = maxInstructions
  return (expression, of) => {
    if (left <= 0) return undefined
    const compiled = Result.try({
      try: () => engine.compile(expression),
      catch: (cause) => (cause instanceof Error ? cause.message : "it is invalid")
    })
    if (Result.isFailure(compiled)) {
      warn("config-unusable", `an expression of ${of}: ${compiled.failure}`)
      return undefined
    }
    left -= compiled.success.programSize() + ofExpression
    if (left > 0) return compiled.success
    warn(
      "config-unusable",
      `an expression of ${of}: all of them together are too large, so this and the following ones are not used`
    )
    return undefined
  }
}

/**
 * Maximum size of all compiled expressions, which bounds time and memory. The default rules of gitleaks have 110,000
 * instructions.
 */
const maxInstructions = 1_000_000
/** The memory of an expression in addition to its instructions, in instructions. */
const ofExpression = 100

const compileConfig = (
  document: ConfigDocument,
  compile: Compile,
  warn: Warn,
  files: ReadonlySet<string>
): GitleaksConfig => {
  const { rules: entries = [] } = document
  const ids = new Set(entries.map(({ id }) => id))
  const general = allowlistsOf(document).map(({ targetrules = [], ...list }) => ({
    targets: targetrules,
    list: compileAllowlist(list, "the allowlist", compile, warn)
  }))
  for (const target of general.flatMap(({ targets }) => targets)) {
    if (!ids.has(target) && !builtInRules.some(({ id }) => isTarget(target, id)))
      warn("config-unsupported", `the allowlist: its target rule ${JSON.stringify(target)} does not exist here`)
  }
  const rules = new Map(
    entries.flatMap((entry) => {
      const rule = compileRule(entry, compile, warn)
      return rule === undefined ? [] : [[entry.id, rule] as const]
    })
  )
  const reported = [...rules.values()].filter(({ entry: { id, required = [], skipreport = false } }) => {
    const missing = required.find((other) => !rules.has(other.id))
    if (missing !== undefined)
      warn(
        "config-unusable",
        `the rule ${JSON.stringify(id)}: it requires ${JSON.stringify(missing.id)}, which cannot be used`
      )
    return !skipreport && missing === undefined
  })
  return {
    rules: reported.map((rule): Rule => {
      const { required = [] } = rule.entry
      return {
        id: `gitleaks/${rule.entry.id}`,
        keywords: rule.keywords.every((keyword) => ascii.test(keyword)) ? rule.keywords : [],
        find: (source, _start, _end, report) => {
          const found = rule.find(source)
          const others = found.length === 0 ? [] : required.map((other) => rules.get(other.id)?.find(source) ?? [])
          const near = required.map((other, index) => makeNear(source, others[index] ?? [], other))
          for (const [index, finding] of found.entries()) {
            if (source.isLate(index)) break
            if (near.every((isNear) => isNear(finding))) report(finding)
          }
          return source.text.length
        }
      }
    }),
    // The configuration files themselves are skipped, because they contain examples of secrets.
    allowsPath: (path) =>
      files.has(path) || general.some(({ list, targets }) => targets.length === 0 && list.allowsPath(path)),
    allowsCommit: (commit) => general.some(({ list, targets }) => targets.length === 0 && list.allowsCommit(commit)),
    allows: (source, finding) => {
      const match = matches.get(finding) ?? source.text.slice(finding.start, finding.end)
      return general.some(
        ({ list, targets }) =>
          (targets.length === 0 || targets.some((target) => isTarget(target, finding.rule))) &&
          list.allows(source, finding, match)
      )
    }
  }
}

const ascii = /^[\x21-\x7e ]+$/

/**
 * Whether a target of an allowlist names a rule: by the id of a rule in the file, by the id of a built-in rule or, as
 * gitleaks names its own rules, with the provider in front, such as `github-pat`.
 */
const isTarget = (target: string, rule: string): boolean =>
  rule === `gitleaks/${target}` ||
  rule === target ||
  (target === "generic-api-key" && rule === "assignment") ||
  (rule.startsWith("provider/") && `${target}-`.startsWith(`${rule.slice("provider/".length).split("-", 1)[0]}-`))

/** Whether one of the others, which are in text order, is near a finding; findings are asked for in text order, too. */
const makeNear = (
  source: Source,
  others: ReadonlyArray<Finding>,
  { withincolumns = Infinity, withinlines = Infinity }: typeof Required.Type
): ((finding: Finding) => boolean) => {
  const positionOf = source.makePositions()
  const positions = others.map(({ start }) => positionOf(start))
  const positionOfFinding = source.makePositions()
  let from = 0
  return ({ start }) => {
    const { column, line } = positionOfFinding(start)
    while (from < positions.length && line - (positions[from]?.line ?? 0) > withinlines) from++
    for (let index = from; index < positions.length; index++) {
      const other = positions[index]
      if (other === undefined || other.line - line > withinlines || source.isLate(index)) return false
      if (Math.abs(column - other.column) <= withincolumns) return true
    }
    return false
  }
}

interface CompiledRule {
  readonly entry: typeof RuleEntry.Type
  /** Lower-case keywords. */
  readonly keywords: ReadonlyArray<string>
  find(source: Source): ReadonlyArray<Finding>
}

const compileRule = (entry: typeof RuleEntry.Type, compile: Compile, warn: Warn): CompiledRule | undefined => {
  const { id, entropy: minEntropy = 0, secretgroup = 0 } = entry
  const name = `the rule ${JSON.stringify(id)}`
  if (entry.regex === undefined) {
    warn("config-unsupported", `${name}: it has no expression for a value`)
    return undefined
  }
  const expression = compile(entry.regex, name)
  const path = entry.path === undefined ? undefined : compile(entry.path, name)
  if (expression === undefined || (entry.path !== undefined && path === undefined)) return undefined
  const keywords = (entry.keywords ?? []).map((keyword) => keyword.toLowerCase())
  const allowlists = allowlistsOf(entry).map((list) => compileAllowlist(list, name, compile, warn))
  return {
    entry,
    keywords,
    find: (source) => {
      const { text } = source
      if (
        source.isLate() ||
        path?.test(source.path) === false ||
        !hasKeyword(source, keywords) ||
        !expression.test(text)
      )
        return []
      const found: Array<Finding> = []
      let matched = 0
      for (const { 0: written = "", index = 0 } of expression.matchAll(text)) {
        if (source.isLate(matched++)) break
        const match = written.replace(/^\n+|\n+$/g, "")
        const groups: ReadonlyArray<unknown> = expression.exec(match) ?? []
        const group = secretgroup > 0 ? groups[secretgroup] : groups.slice(1).find(Boolean)
        const value = groups.length > 1 && typeof group === "string" ? group : match
        if (value === "" || (minEntropy !== 0 && entropy(value) <= minEntropy)) continue
        const start = index + written.indexOf(match) + match.indexOf(value)
        const end = start + value.length
        const finding: Finding = {
          value,
          kind: "generic-secret",
          rule: `gitleaks/${id}`,
          confidence: 0.8,
          start,
          end
        }
        matches.set(finding, match)
        if (!allowlists.some((list) => list.allows(source, finding, match))) found.push(finding)
      }
      return found
    }
  }
}

/** The whole match of a rule's expression for each finding; the finding itself only has the value. */
const matches = new WeakMap<Finding, string>()

/** Needed because a rule with non-ASCII keywords, or one that another rule requires, runs on every text. */
const hasKeyword = (source: Source, keywords: ReadonlyArray<string>): boolean => {
  if (keywords.length === 0) return true
  const lower = lowerTexts.get(source) ?? source.text.toLowerCase()
  lowerTexts.set(source, lower)
  return keywords.some((keyword) => lower.includes(keyword))
}

const lowerTexts = new WeakMap<Source, string>()

const compileAllowlist = (
  { commits = [], condition = "", paths = [], regexes = [], regextarget = "", stopwords = [] }: typeof Allowlist.Type,
  of: string,
  compile: Compile,
  warn: Warn
) => {
  const pathExpressions = paths.map((path) => compile(path, of)).filter((path) => path !== undefined)
  const expressions = regexes.map((regex) => compile(regex, of)).filter((regex) => regex !== undefined)
  const words = stopwords.map((word) => word.toLowerCase())
  const ids = commits.map((commit) => commit.trim().toLowerCase())
  const all = /^(?:and|&&)$/i.test(condition)
  if (!all && !/^(?:or|\|\|)?$/i.test(condition)) {
    warn("config-unusable", `${of}: its condition ${JSON.stringify(condition)} is neither "AND" nor "OR"`)
    return allowsNothing
  }
  if (!/^(?:secret|match|line)?$/.test(regextarget)) {
    warn("config-unusable", `${of}: its regexTarget ${JSON.stringify(regextarget)} is neither "match" nor "line"`)
    return allowsNothing
  }
  // If an expression is invalid, a list that requires all conditions would allow too much.
  if (all && pathExpressions.length + expressions.length < paths.length + regexes.length) return allowsNothing
  const content = expressions.length > 0 || words.length > 0
  const onPath = (path: string) => pathExpressions.some((expression) => expression.test(path))
  const matchesTarget = (target: string) => expressions.some((expression) => expression.test(target))
  /** The answer for the last line, which may be long and have many findings. */
  let last: { readonly source: Source; readonly from: number; readonly to: number; readonly met: boolean } | undefined
  const matchesLine = (source: Source, { end, start }: Finding): boolean => {
    const from = source.lineStart(start)
    const to = source.lineEnd(end)
    if (last === undefined || last.source !== source || last.from !== from || last.to !== to)
      last = { source, from, to, met: matchesTarget(source.text.slice(from, to)) }
    return last.met
  }
  return {
    allowsPath: (path: string) => onPath(path) && !(all && (content || ids.length > 0)),
    allowsCommit: (commit: string) =>
      ids.includes(commit.toLowerCase()) && !(all && (content || pathExpressions.length > 0)),
    allows: (source: Source, finding: Finding, match: string) => {
      const met = [
        ...(pathExpressions.length > 0 ? [onPath(source.path)] : []),
        ...(expressions.length === 0
          ? []
          : regextarget === "line"
            ? [matchesLine(source, finding)]
            : [matchesTarget(regextarget === "match" ? match : finding.value)]),
        ...(words.length > 0 ? [words.some((word) => finding.value.toLowerCase().includes(word))] : []),
        // The commit is not known here: a list that requires a commit and another condition allows nothing.
        ...(all && ids.length > 0 ? [false] : [])
      ]
      return met.length > 0 && (all ? met.every(Boolean) : met.some(Boolean))
    }
  }
}

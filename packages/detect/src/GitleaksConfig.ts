/** A repository's own `.gitleaks.toml`: its rules find candidates too, and what its allowlists name is left out. */
import { Result, Schema } from "effect"
import { parse } from "smol-toml"
import { goRegExp } from "./GoRegExp.ts"
import { entropy } from "./Rarity.ts"
import type { Finding, Source } from "./Source.ts"

export interface GitleaksConfig {
  readonly rules: ReadonlyArray<GitleaksRule>
  /** One sentence for each rule or expression that cannot be used, and why. */
  readonly warnings: ReadonlyArray<string>
  /** Files of these paths are left out as a whole. */
  allowsPath(path: string): boolean
  allowsCommit(commit: string): boolean
  allows(source: Source, finding: Finding): boolean
}

export interface GitleaksRule {
  /** The rule is of no interest where none of these is in the text; empty where it always is. */
  readonly keywords: ReadonlyArray<string>
  find(source: Source, report: (finding: Finding) => void): void
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

const Rule = Schema.Struct({
  id: Schema.String,
  regex: Schema.optional(Schema.String),
  secretGroup: Schema.optional(Schema.Finite),
  entropy: Schema.optional(Schema.Finite),
  path: Schema.optional(Schema.String),
  keywords: Strings,
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist))
})

const Config = Schema.Struct({
  rules: Schema.optional(Schema.Array(Rule)),
  allowlist: Schema.optional(Allowlist),
  allowlists: Schema.optional(Schema.Array(Allowlist))
})

const decode = Schema.decodeUnknownResult(Config)

export const emptyConfig: GitleaksConfig = {
  rules: [],
  warnings: [],
  allowsPath: () => false,
  allowsCommit: () => false,
  allows: () => false
}

/** Never fails: what cannot be read is a warning, and the rest counts. */
export const parseGitleaksConfig = (toml: string): GitleaksConfig => {
  const parsed = Result.try({ try: () => parse(toml), catch: () => "it is not TOML" }).pipe(
    Result.flatMap((document) => Result.mapError(decode(document), ({ message }) => message.split("\n").join(" ")))
  )
  if (Result.isFailure(parsed)) {
    return { ...emptyConfig, warnings: [`.gitleaks.toml is not used: ${parsed.failure}`] }
  }
  const { allowlist, allowlists = [], rules = [] } = parsed.success
  const warnings: Array<string> = []
  const compile = (expression: string, of: string): RegExp | undefined =>
    Result.match(goRegExp(expression), {
      onSuccess: (regExp) => regExp,
      onFailure: (reason) => {
        warnings.push(`.gitleaks.toml: an expression of ${of} is not used: ${reason}`)
        return undefined
      }
    })
  const general = [...(allowlist === undefined ? [] : [allowlist]), ...allowlists]
  const everywhere = general
    .filter(({ targetRules = [] }) => targetRules.length === 0)
    .map((list) => compileAllowlist(list, "the allowlist", compile))

  const compiled = rules.flatMap((rule): ReadonlyArray<GitleaksRule> => {
    const name = `the rule ${JSON.stringify(rule.id)}`
    if (rule.regex === undefined) {
      warnings.push(`.gitleaks.toml: ${name} is not used: it names files and no value`)
      return []
    }
    const regExp = compile(rule.regex, name)
    const path = rule.path === undefined ? undefined : compile(rule.path, name)
    if (regExp === undefined || (rule.path !== undefined && path === undefined)) return []
    const own = [
      ...(rule.allowlist === undefined ? [] : [rule.allowlist]),
      ...(rule.allowlists ?? []),
      ...general.filter(({ targetRules = [] }) => targetRules.includes(rule.id))
    ].map((list) => compileAllowlist(list, name, compile))
    return [
      {
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

  return {
    rules: compiled,
    warnings,
    allowsPath: (path) => everywhere.some((list) => list.allowsPath(path)),
    allowsCommit: (commit) => everywhere.some((list) => list.allowsCommit(commit)),
    allows: (source, finding) =>
      everywhere.some((list) => list.allows(source, finding, source.text.slice(finding.start, finding.end)))
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
        // Which commit it is, is not known here: a list that asks for one and for more allows nothing.
        ...(all && commits.length > 0 ? [false] : [])
      ]
      return met.length > 0 && (all ? met.every(Boolean) : met.some(Boolean))
    }
  }
}

/** Finds candidates in one text: pure and synchronous, the same in Node and in a web worker. */
import { Redacted } from "effect"
import { type AllowedAt, allowedIn } from "./config/AllowComment.ts"
import { assignedName } from "./text/AssignedName.ts"
import { type Candidate, type Inclusion, minConfidence } from "./Candidate.ts"
import { changeKind, type FileKind, fileKind, kindOfText } from "./text/FileKind.ts"
import { type FileSkipReason, skipByPath, skipByText } from "./skip/Skipped.ts"
import type { GitleaksConfig } from "./config/GitleaksConfig.ts"
import { assignments } from "./rules/Assignments.ts"
import { endOfSpacedSecret } from "./rules/prose/SpacedSecret.ts"
import { proseRules } from "./rules/prose/ProseRules.ts"
import { rules } from "./rules/Rules.ts"
import { makeRuleSet, type RuleSet } from "./rules/RuleSet.ts"
import { confidenceOf } from "./scoring/Confidence.ts"
import type { Evidence } from "./scoring/Evidence.ts"
import { withoutEncrypted } from "./skip/Encrypted.ts"
import { type Finding, makeSource, type Source } from "./text/Source.ts"

export interface TextOptions {
  /** Kinds of files that are also scanned as if their values were real, but with the lowest confidence. */
  readonly include?: ReadonlyArray<Inclusion> | undefined
  /** Candidates below this confidence are dropped; default: `minConfidence` of Candidate.ts. */
  readonly minConfidence?: number | undefined
  /** The repository's own rules and allowlists, from `loadGitleaksConfig`. */
  readonly gitleaks?: GitleaksConfig | undefined
  /** The first characters of the file, if the text is a later part of it. */
  readonly beginning?: string | undefined
  /** False for a text on its own, such as a command: null characters, headers and allow comments then exclude nothing. */
  readonly isFile?: boolean | undefined
  /** Tells whether the time limit has passed; called repeatedly during a scan. */
  readonly isLate?: (() => boolean) | undefined
  /**
   * The folder that paths are relative to, itself relative to the repository's root: empty, or ending in a slash. Rules
   * match paths relative to the root.
   */
  readonly folder?: string | undefined
}

/** A candidate that is allowed by a comment or an allowlist. */
export interface Allowed {
  readonly candidate: Candidate
  /** The line of the comment; undefined for an allowlist. */
  readonly commentLine: number | undefined
}

export interface TextScan {
  readonly candidates: ReadonlyArray<Candidate>
  readonly allowed: ReadonlyArray<Allowed>
  /** Why the whole text or its end was not scanned; undefined if all of it was. */
  readonly skipped: FileSkipReason | "not-in-time" | undefined
}

/** Candidates in text order, one per location. The path determines how the text is read. */
export const candidatesIn = (
  text: string,
  file: { readonly path: string },
  options?: TextOptions
): ReadonlyArray<Candidate> => scanText(text, file.path, options).candidates

/** Like `candidatesIn`, but also returns what was skipped. Passing the bytes of the text makes it faster. */
export const scanText = (given: string, path: string, options?: TextOptions, bytes?: Uint8Array): TextScan => {
  const { beginning = given, folder = "", gitleaks = emptyConfig, isFile = true, isLate = never } = options ?? {}
  const text = isFile ? given : given.replaceAll("\0", "\n")
  const fromRoot = folder + path
  const kind = kindOfText(fileKind(fromRoot), beginning)
  const skipped = isFile
    ? (skipByPath(fromRoot) ?? (gitleaks.allowsPath(fromRoot) ? "allowlisted" : skipByText(text, kind)))
    : undefined
  if (skipped !== undefined) return { candidates: [], allowed: [], skipped }
  if (isLate()) return { candidates: [], allowed: [], skipped: "not-in-time" }

  const source = sourceOf(text, fromRoot, kind, gitleaks, 0, bytes, isLate)
  const threshold = options?.minConfidence ?? minConfidence
  const usual = findingsIn(source, gitleaks).filter(({ confidence }) => confidence >= threshold)
  const inUse = options?.include?.includes(isDocumentation(kind, fromRoot) ? "docs" : "tests") === true && asInUse(kind)
  const more = inUse
    ? findingsIn(sourceOf(text, fromRoot, inUse, gitleaks, 0, bytes, isLate), gitleaks)
        .filter(({ confidence }) => confidence >= threshold)
        .map((finding): Finding => Object.assign({}, finding, { confidence: threshold }))
    : []
  const found = withoutEncrypted(text, more.length === 0 ? usual : distinct([...usual, ...more]))
  const commentAt = isFile ? allowedIn(source) : () => undefined
  return { ...toCandidates(source, path, found, gitleaks, commentAt), skipped: isLate() ? "not-in-time" : undefined }
}

const never = (): boolean => false

/** Defined here so that scanning a text does not load the TOML parser. */
const emptyConfig: GitleaksConfig = { rules: [], allowsPath: never, allowsCommit: never, allows: never }

/** The same file kind outside tests and documentation; undefined if the kind is neither. */
const asInUse = (kind: FileKind): FileKind | undefined =>
  kind.madeUp || kind.prose ? changeKind(kind, { prose: false, madeUp: false, belowMadeUp: false }) : undefined

const isDocumentation = ({ prose }: FileKind, path: string): boolean => prose || documentation.test(path)

const documentation = /(?:^|[/._-])(?:docs?|documentation|guides?|tutorials?|manual|website|swagger|openapi)(?=[/._-])/i

/**
 * Findings of all rules, including those for prose, in a text that is not a file of a repository: no path, allow
 * comment, size or threshold excludes any. They are in no particular order and may overlap.
 */
export const findingsInProse = (text: string): ReadonlyArray<Finding> =>
  (proseRuleSet ??= makeRuleSet([...rules, ...proseRules], scoreOfProse))
    .findIn({ ...sourceOf(text, "", fileKind(""), emptyConfig, 0), freeText: true })
    .map((finding) => withWords(text, finding))

/** Extends the finding to all words of a passphrase. */
const withWords = (text: string, finding: Finding): Finding => {
  const end = text.charAt(finding.end) === " " ? endOfSpacedSecret(text, finding.start) : 0
  return end > finding.end ? { ...finding, end, value: text.slice(finding.start, end) } : finding
}

/** Any value assigned to the name of a secret scores above 0, so that it is hidden. */
const scoreOfProse = (source: Source, evidence: Evidence): number => {
  const { form, indirect, start, value } = evidence
  const isSentence = /^\p{L}+$/u.test(value) && plainName.test(source.before(start, 40))
  if (noValue.test(value) || isSentence) return 0
  const confidence = confidenceOf(source, evidence)
  return form === "perhaps" || indirect === true ? confidence : Math.max(confidence, Number.EPSILON)
}

const noValue = /^(?:\s*|null|none|nil|true|false|undefined)$/i
/** A plural name followed by a space alone, as in `tokens revoked`. */
const plainName = /(?<![\w-])(?:pass(?:word|phrase|code)|secret|token|key|credential)s[ \t]{1,20}$/i

let proseRuleSet: RuleSet | undefined

/** How deep encoded text within encoded text is decoded. */
const maxDepth = 2

const sourceOf = (
  text: string,
  path: string,
  kind: FileKind,
  gitleaks: GitleaksConfig,
  depth: number,
  bytes?: Uint8Array,
  isLate?: () => boolean
): Source => {
  const within: Source["within"] = (inner, name) => {
    if (depth === maxDepth) return []
    // Whether a value is invented depends on the outer file, not on the inner name.
    const { madeUp, prose } = kind
    const belowMadeUp = kind.belowMadeUp || (madeUp && kind.format === "code")
    const innerKind = changeKind(fileKind(name), { prose, madeUp, belowMadeUp })
    return findingsIn(sourceOf(inner, name, innerKind, gitleaks, depth + 1, undefined, isLate), gitleaks)
  }
  return makeSource(text, path, kind, within, bytes, isLate)
}

const findingsIn = (source: Source, gitleaks: GitleaksConfig): ReadonlyArray<Finding> =>
  distinct(ruleSetOf(gitleaks).findIn(source))

const ruleSets = new WeakMap<GitleaksConfig, RuleSet>()

const ruleSetOf = (gitleaks: GitleaksConfig): RuleSet => {
  const ruleSet = ruleSets.get(gitleaks) ?? makeRuleSet([...rules, ...gitleaks.rules])
  ruleSets.set(gitleaks, ruleSet)
  return ruleSet
}

const toCandidates = (
  source: Source,
  path: string,
  found: ReadonlyArray<Finding>,
  gitleaks: GitleaksConfig,
  commentAt: AllowedAt
): Omit<TextScan, "skipped"> => {
  const candidates: Array<Candidate> = []
  const allowed: Array<Allowed> = []
  if (found.length === 0) return { candidates, allowed }
  const { text } = source
  const positionOf = source.makePositions()
  for (const [index, finding] of found.entries()) {
    // An allowlist may have many words and expressions.
    if (gitleaks !== emptyConfig && source.isLate(index)) break
    const { confidence, end, kind, rule, start, value } = finding
    const { column, line } = positionOf(start)
    const lineStart = start - column + 1
    const lastLineFeed = text.slice(start, end).lastIndexOf("\n")
    const location = {
      path,
      line,
      column,
      endLine: line + lineFeeds(text, start, end),
      endColumn: end - (lastLineFeed < 0 ? lineStart - 1 : start + lastLineFeed)
    }
    const name = assignedName(text.slice(lineStart, start))
    const candidate: Candidate = {
      value: Redacted.make(value),
      kind,
      rule,
      confidence,
      location,
      ...(name === undefined ? {} : { name })
    }
    const comment = commentAt(start, end)
    if (comment !== undefined) {
      const between = comment < lineStart ? -lineFeeds(text, comment, lineStart) : lineFeeds(text, lineStart, comment)
      allowed.push({ candidate, commentLine: line + between })
    } else if (gitleaks.allows(source, finding)) allowed.push({ candidate, commentLine: undefined })
    else candidates.push(candidate)
  }
  return { candidates, allowed }
}

const lineFeeds = (text: string, start: number, end: number): number => text.slice(start, end).split("\n").length - 1

/**
 * Findings in text order. Of overlapping findings, only the most specific is kept: a known format beats an assignment,
 * then the higher confidence wins.
 */
const distinct = (found: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const kept: Array<Finding> = []
  for (const finding of found.toSorted((a, b) => a.start - b.start)) {
    let last = kept.at(-1)
    while (last !== undefined && finding.start < last.end && knowsMore(finding, last)) {
      kept.pop()
      last = kept.at(-1)
    }
    if (last === undefined || finding.start >= last.end) kept.push(finding)
  }
  return kept
}

const knowsMore = (one: Finding, other: Finding): boolean =>
  one.rule === other.rule || (one.rule === assignmentRule) === (other.rule === assignmentRule)
    ? one.confidence > other.confidence
    : other.rule === assignmentRule

const assignmentRule = assignments.id

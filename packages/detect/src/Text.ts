/** Candidates of one text: pure and synchronous, the same in Node and in a web worker. */
import { Redacted } from "effect"
import { allowedIn } from "./config/AllowComment.ts"
import { assignedName } from "./text/AssignedName.ts"
import { type Candidate, minConfidence } from "./Candidate.ts"
import { type FileKind, fileKind } from "./text/FileKind.ts"
import { leftOutByPath, leftOutByText, type LeftOutReason } from "./files/LeftOut.ts"
import { emptyConfig, type GitleaksConfig } from "./config/GitleaksConfig.ts"
import { assignments } from "./rules/Assignments.ts"
import { rules } from "./rules/Rules.ts"
import { makeRuleSet, type RuleSet } from "./rules/RuleSet.ts"
import { type Finding, makeSource, type Source } from "./text/Source.ts"

export interface TextOptions {
  /** Candidates of less are left out; `minConfidence` of Candidate.ts unless given. */
  readonly minConfidence?: number | undefined
  /** The repository's own rules and allowlists, as `parseGitleaksConfig` gives them. */
  readonly gitleaks?: GitleaksConfig | undefined
}

/** In the order of the text, each place once. The path decides what the text is taken for. */
export const candidatesIn = (
  text: string,
  file: { readonly path: string },
  options?: TextOptions
): ReadonlyArray<Candidate> => scanText(text, file.path, options).candidates

/** As `candidatesIn`, and why the text was left out as a whole, where it was. */
export const scanText = (
  text: string,
  path: string,
  options?: TextOptions
): { readonly candidates: ReadonlyArray<Candidate>; readonly leftOut: LeftOutReason | undefined } => {
  const { gitleaks = emptyConfig } = options ?? {}
  const kind = fileKind(path)
  const leftOut = leftOutByPath(path) ?? (gitleaks.allowsPath(path) ? "allowlisted" : leftOutByText(text, kind))
  if (leftOut !== undefined) return { candidates: [], leftOut }

  const source = sourceOf(text, path, kind, gitleaks, 0)
  const least = options?.minConfidence ?? minConfidence
  const kept = findingsIn(source, gitleaks).filter(
    (finding) => finding.confidence >= least && !gitleaks.allows(source, finding)
  )
  return { candidates: toCandidates(source, kept), leftOut: undefined }
}

/** Where secrets stand in a text that no repository holds: no path, no allow comment and no size leaves anything out. */
export const secretSpans = (
  text: string,
  least: number = minConfidence
): ReadonlyArray<{ readonly start: number; readonly end: number; readonly value: Redacted.Redacted }> =>
  findingsIn(sourceOf(text, "", fileKind(""), emptyConfig, 0), emptyConfig).flatMap(
    ({ confidence, end, start, value }) => (confidence < least ? [] : [{ start, end, value: Redacted.make(value) }])
  )

/** A text in a text in a text may hold secrets; beyond that, nobody encodes. */
const deepest = 2

const sourceOf = (text: string, path: string, kind: FileKind, gitleaks: GitleaksConfig, depth: number): Source =>
  makeSource(text, path, kind, (inner, name) => {
    if (depth === deepest) return []
    // Where it stands says whether it is meant, not what it is called.
    const { belowMadeUp, madeUp } = kind
    const innerKind: FileKind = { ...fileKind(name), belowMadeUp, madeUp }
    return findingsIn(sourceOf(inner, name, innerKind, gitleaks, depth + 1), gitleaks)
  })

const findingsIn = (source: Source, gitleaks: GitleaksConfig): ReadonlyArray<Finding> =>
  distinct(ruleSetOf(gitleaks).findIn(source))

const ruleSets = new WeakMap<GitleaksConfig, RuleSet>()

const ruleSetOf = (gitleaks: GitleaksConfig): RuleSet => {
  const made = ruleSets.get(gitleaks) ?? makeRuleSet([...rules, ...gitleaks.rules])
  ruleSets.set(gitleaks, made)
  return made
}

const toCandidates = (source: Source, found: ReadonlyArray<Finding>): ReadonlyArray<Candidate> => {
  if (found.length === 0) return []
  const { path, text } = source
  const allowed = allowedIn(source)
  let line = 1
  let counted = 0
  return found.flatMap(({ confidence, end, kind, rule, start, value }): ReadonlyArray<Candidate> => {
    if (allowed(start, end)) return []
    const lineStart = source.lineStart(start)
    for (; counted < lineStart; counted = text.indexOf("\n", counted) + 1) line++
    const location = {
      path,
      line,
      column: start - lineStart + 1,
      endLine: line + lineFeeds(text, start, end),
      endColumn: end - text.lastIndexOf("\n", end - 1)
    }
    const name = assignedName(text.slice(lineStart, start))
    return [{ value: Redacted.make(value), kind, rule, confidence, location, ...(name === undefined ? {} : { name }) }]
  })
}

const lineFeeds = (text: string, start: number, end: number): number => {
  let count = 0
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** In the order of the text. Of findings that overlap, the one that knows most: a form tells more than a name, and then confidence decides. */
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

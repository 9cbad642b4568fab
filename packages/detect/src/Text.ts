/** Candidates of one text: pure and synchronous, the same in Node and in a web worker. */
import { Redacted } from "effect"
import { allowedIn } from "./AllowComment.ts"
import { assignments } from "./Assignments.ts"
import { type Candidate, minConfidence } from "./Candidate.ts"
import { credentialFile } from "./CredentialFile.ts"
import { fileKind } from "./FileKind.ts"
import { kubernetesSecrets } from "./Kubernetes.ts"
import { leftOutByPath, leftOutByText, type LeftOutReason } from "./LeftOut.ts"
import { literals } from "./Literals.ts"
import { privateKeys } from "./PrivateKey.ts"
import { providerTokens } from "./ProviderTokens.ts"
import { secretlint } from "./Secretlint.ts"
import { type Detector, type Finding, makeSource } from "./Source.ts"
import { structures } from "./Structures.ts"

export interface TextOptions {
  /** Candidates of less are left out; `minConfidence` of Candidate.ts unless given. */
  readonly minConfidence?: number | undefined
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
  const kind = fileKind(path)
  const leftOut = leftOutByPath(path) ?? leftOutByText(text, kind)
  if (leftOut !== undefined) return { candidates: [], leftOut }

  const source = makeSource(text, path, kind)
  const found: Array<Finding> = []
  const report = (finding: Finding) => void found.push(finding)
  credentialFile(source, report)
  const resume = new Int32Array(detectors.length)
  prefilter.scan(text, (literal, end) => {
    for (const detector of detectorsOf[literal] ?? []) {
      const start = end - (lengths[literal] ?? 0)
      if (start >= (resume[detector] ?? 0)) {
        resume[detector] = detectors[detector]?.at(source, start, end, report) ?? 0
      }
    }
  })
  const least = options?.minConfidence ?? minConfidence
  return { candidates: toCandidates(text, path, found, least), leftOut: undefined }
}

const detectors: ReadonlyArray<Detector> = [
  assignments,
  ...structures,
  privateKeys,
  kubernetesSecrets,
  ...secretlint,
  ...providerTokens
]

const allLiterals = [...new Set(detectors.flatMap((detector) => detector.literals))]
const lengths = allLiterals.map((literal) => literal.length)
const detectorsOf = allLiterals.map((literal) =>
  detectors.flatMap((detector, index) => (detector.literals.includes(literal) ? [index] : []))
)
const prefilter = literals(allLiterals)

const toCandidates = (
  text: string,
  path: string,
  found: ReadonlyArray<Finding>,
  least: number
): ReadonlyArray<Candidate> => {
  if (found.length === 0) return []
  const allowed = allowedIn(text)
  let line = 1
  let lineStart = 0
  const candidates: Array<Candidate> = []
  for (const finding of distinct(found)) {
    if (finding.confidence < least || allowed(finding.start, finding.end)) continue
    for (
      let next = text.indexOf("\n", lineStart);
      next >= 0 && next < finding.start;
      next = text.indexOf("\n", lineStart)
    ) {
      line++
      lineStart = next + 1
    }
    candidates.push({
      value: Redacted.make(finding.value),
      kind: finding.kind,
      rule: finding.rule,
      confidence: finding.confidence,
      location: { path, line, column: finding.start - lineStart + 1 }
    })
  }
  return candidates
}

/** Of findings that overlap, the one that knows most: a form tells more than a name, and then confidence decides. */
const distinct = (found: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const best = found.toSorted(
    (a, b) =>
      Number(a.rule === assignmentRule) - Number(b.rule === assignmentRule) ||
      b.confidence - a.confidence ||
      a.start - b.start
  )
  const kept: Array<Finding> = []
  for (const finding of best) {
    if (!kept.some((other) => finding.start < other.end && other.start < finding.end)) kept.push(finding)
  }
  return kept.toSorted((a, b) => a.start - b.start)
}

const assignmentRule = "assignment"

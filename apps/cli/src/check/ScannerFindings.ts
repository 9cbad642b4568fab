/**
 * Reads findings of other secret scanners: gitleaks and betterleaks (JSON), trufflehog (JSON lines), kingfisher (JSON
 * or JSON lines), titus and Nosey Parker (JSON). The format is detected from the content.
 */
import type { Candidate, CandidateKind } from "@threat-exposure/detect/Candidate"
import { decode } from "@threat-exposure/detect/text/Bytes"
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { callerPath } from "../request/CallerPath.ts"
import { printable } from "../output/Output.ts"
import { readTextFile } from "../request/FileText.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"

export interface ScannerFindings {
  readonly candidates: ReadonlyArray<Candidate>
  /** One sentence for each group of findings that cannot be checked. */
  readonly gaps: ReadonlyArray<string>
}

/** Reads the findings of a file; paths below `root` become relative to it. */
export const findingsIn = Effect.fnUntraced(function* (given: string, root: string) {
  const path = yield* Path.Path
  const text = yield* readTextFile(yield* callerPath(given), `--findings: ${given}`)
  const place = (name: string) => {
    const below = path.isAbsolute(name) ? path.relative(root, name) : path.normalize(name)
    return (below.startsWith("..") ? name : below).split(path.sep).join("/")
  }
  const { hidden, isUnknown, unread, values } = readFindings(text)
  if (isUnknown) {
    return yield* new UsageInvalid({
      message: `--findings: ${given} has no findings of gitleaks, betterleaks, trufflehog, kingfisher, titus or Nosey Parker, in JSON or JSON lines`
    })
  }
  const found: ScannerFindings = {
    candidates: values.map((value) => candidateOf({ ...value, path: place(value.path || given) })),
    gaps: [
      ...(text.trim() === "" ? [`${given} is empty: its scanner found nothing, or did not run`] : []),
      ...(unread === 0 ? [] : [`${counted(unread, "finding")} of ${given} cannot be read`]),
      ...(hidden.length === 0
        ? []
        : [
            `${counted(hidden.length, "finding")} of ${given} ${hidden.length === 1 ? "was" : "were"} not checked, because the file does not hold the value: ${namesOf(hidden.map((finding) => Object.assign({}, finding, { path: place(finding.path) })))}`
          ])
    ]
  }
  return found
})

const maxNames = 20

const namesOf = (findings: ReadonlyArray<Finding>) => {
  const names = findings.slice(0, maxNames).map(({ line, path, rule }) => printable(`${rule} in ${path}:${line}`))
  return `${names.join(", ")}${findings.length > maxNames ? ", …" : ""}`
}

interface Finding {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly column: number
  readonly commit: string
  readonly value: string
}

/**
 * `hidden` are findings whose value is missing or redacted; `unread` counts entries of an unknown form and truncated
 * lines. `isUnknown` means that no known scanner wrote the text.
 */
export const readFindings = (text: string) => {
  const { cut, documents } = documentsIn(text)
  const entries = documents
    .flatMap((document) => {
      // Go encodes a nil slice as `null`.
      if (document === null || member(document, "findings") === null) return []
      return Array.isArray(document) ? document : (readList(document, "findings") ?? [document])
    })
    .filter((entry) => !isMessage(entry))
    .map(findingsOf)
  const findings = entries.flat()
  const isHidden = ({ value }: Finding) => value.trim() === "" || redactedValue.test(value)
  const isUnknown = findings.length === 0 && (entries.length > 0 || (documents.length === 0 && text.trim() !== ""))
  return {
    isUnknown,
    unread: cut + entries.filter(({ length }) => length === 0).length,
    values: findings.filter((finding) => !isHidden(finding)),
    hidden: findings.filter(isHidden)
  }
}

/** gitleaks and kingfisher can redact a value, or cut off its end. */
const redactedValue = /^\[?REDACTED\b|\.\.\.$/u

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Lines that begin neither an object nor a list of objects are log messages of the scanner. */
const documentsIn = (text: string) => {
  const whole = decodeJson(text)
  if (Option.isSome(whole)) return { documents: [whole.value], cut: 0 }
  const lines = text.split("\n").filter((line) => /^\s*\[?\s*\{/u.test(line))
  const documents = lines.flatMap((line) => Option.toArray(decodeJson(line)))
  return { documents, cut: lines.length - documents.length }
}

/** Whether the entry is a summary of kingfisher or betterleaks, or a log line of trufflehog. */
const isMessage = (entry: unknown) =>
  ["audit", "scan"].some((name) => Predicate.isObject(member(entry, name))) ||
  typeof member(entry, "findings") === "number" ||
  (readString(entry, "level") !== "" && readString(entry, "msg") !== "")

const findingsOf = (entry: unknown): ReadonlyArray<Finding> => {
  if (readString(entry, "DetectorName") !== "") return ofTrufflehog(entry)
  // betterleaks 2 wraps each finding in a line of its own.
  const wrapped = member(entry, "finding")
  const finding = readString(wrapped, "rule_id") === "" ? entry : wrapped
  if (readString(finding, "rule_id") !== "") return ofBetterleaks(finding)
  if (Predicate.isObject(wrapped)) return ofKingfisher(entry)
  if (readString(entry, "rule_text_id") !== "" || readString(entry, "rule_name") !== "") return ofNoseyParker(entry)
  if (Predicate.hasProperty(entry, "Groups") || Predicate.hasProperty(entry, "Matches")) return ofTitus(entry)
  return readString(entry, "RuleID") === "" ? [] : ofGitleaks(entry)
}

/** betterleaks 2 has the other parts of a credential in `component_sets`. */
const ofBetterleaks = (entry: unknown): ReadonlyArray<Finding> => {
  const attributes = member(entry, "attributes")
  const parts = (readList(entry, "component_sets") ?? []).flatMap((set) => readList(set, "components") ?? [])
  return [entry, ...parts].map((part) => ({
    rule: readString(part, "rule_id"),
    path: readString(member(part, "location"), "path"),
    line: readNumber(member(part, "location"), "start_line"),
    column: readNumber(member(part, "location"), "start_column"),
    commit: readString(attributes, "git.sha"),
    value: readString(member(part, "match"), "value")
  }))
}

/** betterleaks 1 has the other parts of a credential in `RequiredSets`. */
const ofGitleaks = (entry: unknown): ReadonlyArray<Finding> => {
  const place = {
    path: readString(entry, "File") || readString(member(entry, "Attributes"), "path"),
    commit: readString(entry, "Commit")
  }
  const one = (part: unknown): Finding => {
    const line = readNumber(part, "StartLine")
    return {
      rule: readString(part, "RuleID"),
      ...place,
      line,
      // Only the first line of a file begins with column 1.
      column: readColumn(part, "StartColumn", line === 1 ? 1 : 2),
      value: readString(part, "Secret")
    }
  }
  const parts = (readList(entry, "RequiredSets") ?? []).flatMap((set) => readList(set, "components") ?? [])
  return [one(entry), ...parts.filter((part) => readString(part, "Secret") !== "").map(one)]
}

/** For a credential of two parts, `Raw` is the first part and `RawV2` contains both. */
const ofTrufflehog = (entry: unknown): ReadonlyArray<Finding> => {
  const [source] = Object.values(member(member(entry, "SourceMetadata"), "Data") ?? {})
  const raw = readString(entry, "Raw")
  const both = readString(entry, "RawV2")
  const rest = raw !== "" && both.startsWith(raw) ? both.slice(raw.length).replace(/^[:\s]+/u, "") : both
  const values = [raw, rest].filter((value) => value !== "")
  return (values.length === 0 ? [""] : [...new Set(values)]).map((value) => ({
    rule: readString(entry, "DetectorName"),
    path: readString(source, "file") || readString(source, "link"),
    line: readNumber(source, "line"),
    column: 1,
    commit: readString(source, "commit"),
    value
  }))
}

/** The other parts of a credential are in `dependent_captures`. */
const ofKingfisher = (entry: unknown): ReadonlyArray<Finding> => {
  const rule = member(entry, "rule")
  const finding = member(entry, "finding")
  const others = Object.values(member(finding, "dependent_captures") ?? {}).filter(Predicate.isString)
  return [...new Set([readString(finding, "snippet"), ...others])].map((value) => ({
    rule: readString(rule, "id") || readString(rule, "name"),
    path: readString(finding, "path"),
    line: readNumber(finding, "line"),
    column: readColumn(finding, "column_start", 0),
    commit: readString(member(member(finding, "git_metadata"), "commit"), "id"),
    value
  }))
}

/** Up to version 0.16, the value is `match_content`, in clear. */
const ofNoseyParker = (entry: unknown): ReadonlyArray<Finding> => {
  const rule = readString(entry, "rule_text_id") || readString(entry, "rule_name")
  const content = readString(entry, "match_content")
  return (readList(entry, "matches") ?? []).flatMap((match) => {
    const [origin] = readList(match, "provenance") ?? []
    const first = member(origin, "first_commit") ?? member(origin, "commit_provenance")
    const start = member(member(member(match, "location"), "source_span"), "start")
    const place = {
      rule,
      path: readString(origin, "path") || readString(first, "blob_path"),
      line: readNumber(start, "line"),
      column: readNumber(start, "column"),
      commit: readString(member(first, "commit_metadata"), "commit_id")
    }
    const values = content === "" ? groupsOf(match, "groups", entry) : [content]
    return values.map((value) => Object.assign({ value }, place))
  })
}

/** titus names its fields as Go does. */
const ofTitus = (entry: unknown): ReadonlyArray<Finding> => {
  const matches = readList(entry, "Matches") ?? []
  return (matches.length === 0 ? [undefined] : matches).flatMap((match) => {
    const start = member(member(member(match, "Location"), "Source"), "Start")
    const place = {
      rule: readString(entry, "RuleID") || readString(match, "RuleID"),
      path: readString(match, "Path") || readString(match, "FilePath"),
      line: readNumber(start, "Line"),
      column: readNumber(start, "Column"),
      commit: ""
    }
    return groupsOf(match, "Groups", entry).map((value) => Object.assign({ value }, place))
  })
}

/**
 * The captured groups of the match, by default of the finding, decoded from base64. If there are none, one empty value.
 */
const groupsOf = (match: unknown, name: string, finding: unknown): ReadonlyArray<string> => {
  const groups = (readList(match, name) ?? readList(finding, name) ?? []).flatMap((group) =>
    typeof group === "string" && group !== "" ? [decode(Buffer.from(group, "base64"))] : []
  )
  return groups.length === 0 ? [""] : [...new Set(groups)]
}

const candidateOf = ({ column, commit, line, path, rule, value }: Finding): Candidate => ({
  value: Redacted.make(value),
  kind: kindOf(value),
  rule: printable(rule).slice(0, maxRuleLength),
  confidence: 1,
  name: printable(rule).slice(0, maxRuleLength),
  location: {
    path: printable(path),
    line,
    column,
    endLine: line,
    endColumn: column + (value.includes("\n") ? 0 : value.length),
    ...(commit === "" ? {} : { commit: printable(commit) })
  }
})

const maxRuleLength = 100

const kindOf = (value: string): CandidateKind => (value.startsWith("-----BEGIN ") ? "private-key" : "generic-secret")

const member = (value: unknown, name: string): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined

const readString = (value: unknown, name: string): string => {
  const text = member(value, name)
  return typeof text === "string" ? text : ""
}

/** A line or column number, counted from 1; 1 if it is missing. */
const readNumber = (value: unknown, name: string): number => readColumn(value, name, 1)

/** A column, counted from 1; 1 if it is missing. The scanner counts columns from `first`. */
const readColumn = (value: unknown, name: string, first: number): number => {
  const number = member(value, name)
  return typeof number === "number" && Number.isSafeInteger(number) ? Math.max(1, number - first + 1) : 1
}

const readList = (value: unknown, name: string): ReadonlyArray<unknown> | undefined => {
  const list = member(value, name)
  return Array.isArray(list) ? list : undefined
}

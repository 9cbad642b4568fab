/** The targets of searches: values with all their locations, and domains. */
import type { Candidate, CandidateKind } from "@threat-exposure/detect/Candidate"
import { isElsewhere } from "@threat-exposure/detect/git/BesideFiles"
import { Redacted } from "effect"
import type { DomainSubject, Subject } from "../Report.ts"

/** A secret given by name, such as a secret of a workflow. */
export interface NamedSecret {
  readonly name: string
  readonly value: Redacted.Redacted
}

/** Where a value was found in the code, and by which rule. */
export type Occurrence = Pick<Candidate, "location" | "rule" | "name">

export interface ValueTarget {
  readonly _tag: "Value"
  readonly value: Redacted.Redacted
  readonly kind: CandidateKind
  readonly names: ReadonlyArray<string>
  readonly places: ReadonlyArray<Occurrence>
  /** True if the change under review adds the value. */
  readonly isAdded: boolean
  /** The highest confidence of its candidates; 1 for a named secret. */
  readonly confidence: number
}

export interface DomainTarget {
  readonly _tag: "Domain"
  /** In lower case; internationalized names in ASCII (Punycode). */
  readonly domain: string
  /**
   * `address`: search accounts with an address at the domain; `login`: search accounts that log in there, with any
   * address.
   */
  readonly searchedBy: DomainSubject["searchedBy"]
}

export type Target = ValueTarget | DomainTarget

/** The target without its value, as reports show it. */
export const subjectOf = (target: Target): Subject =>
  target._tag === "Domain"
    ? { type: "domain", domain: target.domain, searchedBy: target.searchedBy }
    : {
        type: "value",
        kind: target.kind,
        names: target.names,
        locations: target.places
          .map(({ location, name, rule }) => ({
            path: location.path,
            line: location.line,
            column: location.column,
            endLine: location.endLine,
            endColumn: location.endColumn,
            commit: location.commit ?? null,
            removed: location.removed ?? false,
            rule,
            name: name ?? null
          }))
          .toSorted((a, b) => Number(isElsewhere(a)) - Number(isElsewhere(b))),
        isAdded: target.isAdded
      }

/** One target per value, with all its names and locations, in the order in which values first occur. */
export const valuesOf = (
  secrets: ReadonlyArray<NamedSecret>,
  added: ReadonlyArray<Candidate>,
  rest: ReadonlyArray<Candidate>
): ReadonlyArray<ValueTarget> => {
  const targets = new Map<string, ValueTarget>()
  for (const { name, value } of secrets) {
    const text = Redacted.value(value).trim()
    const seen = targets.get(text)
    targets.set(text, {
      _tag: "Value",
      value: seen?.value ?? Redacted.make(text),
      kind: text.startsWith("-----BEGIN ") ? "private-key" : "generic-secret",
      names: seen === undefined || seen.names.includes(name) ? (seen?.names ?? [name]) : [...seen.names, name],
      places: [],
      isAdded: false,
      confidence: 1
    })
  }
  const places = new Map<string, Map<string, Occurrence>>()
  // The code reveals more about the kind of a value than the name that the caller gave.
  const surest = new Map<string, Candidate>()
  for (const [candidates, isAdded] of [
    [added, true],
    [rest, false]
  ] as const) {
    for (const candidate of candidates) {
      const text = Redacted.value(candidate.value)
      const seen = targets.get(text)
      const here = places.get(text) ?? new Map<string, Occurrence>()
      const { commit, column, line, path } = candidate.location
      const key = JSON.stringify([path, line, column, commit])
      if (!here.has(key)) here.set(key, { location: candidate.location, rule: candidate.rule, name: candidate.name })
      places.set(text, here)
      if (candidate.confidence > (surest.get(text)?.confidence ?? 0)) surest.set(text, candidate)
      targets.set(text, {
        _tag: "Value",
        value: seen?.value ?? candidate.value,
        kind: seen?.kind ?? candidate.kind,
        names: seen?.names ?? [],
        places: [],
        isAdded: isAdded || (seen?.isAdded ?? false),
        confidence: Math.max(candidate.confidence, seen?.confidence ?? 0)
      })
    }
  }
  return Array.from(targets, ([text, target]) => ({
    ...target,
    kind: surest.get(text)?.kind ?? target.kind,
    places: [...(places.get(text)?.values() ?? [])]
  }))
}

/** The normalized domain; undefined if the text is not a domain. */
export const domainOf = (text: string): string | undefined => {
  const name = text.trim().replace(/\.$/, "")
  if (!URL.canParse(`http://${name}`)) return undefined
  const { host } = new URL(`http://${name}`)
  const isPlain = !/[\s/?#@:\\%]/.test(name) && host.length <= 253
  return isPlain && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/.test(host)
    ? host
    : undefined
}

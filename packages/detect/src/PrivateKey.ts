import { Redacted } from "effect"
import type { Candidate } from "./Candidate.ts"

const pem = /-----BEGIN ((?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----[\s\S]{32,32768}?-----END \1-----/g

export const privateKeysIn = (text: string, path: string): ReadonlyArray<Candidate> =>
  Array.from(text.matchAll(pem), (match) => {
    const before = text.slice(0, match.index)
    return {
      value: Redacted.make(match[0]),
      kind: "private-key",
      rule: "private-key",
      confidence: 0.95,
      location: { path, line: before.split("\n").length, column: match.index - before.lastIndexOf("\n") }
    }
  })

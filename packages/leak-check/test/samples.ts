import type { Candidate } from "@threat-exposure/detect/Candidate"
import { DateTime, Redacted } from "effect"
import type { Location } from "@threat-exposure/leak-check/Report"
import type { Input } from "@threat-exposure/leak-check/search/Plan"
import { defaults } from "@threat-exposure/leak-check/Settings"

export const now = DateTime.makeUnsafe("2026-11-20T12:00:00Z")

export const candidate = (
  value: string,
  over: Partial<Omit<Candidate, "value" | "location">> & Partial<Candidate["location"]> = {}
): Candidate => ({
  value: Redacted.make(value),
  kind: over.kind ?? "password",
  rule: over.rule ?? "assignment",
  confidence: over.confidence ?? 0.8,
  name: over.name,
  location: {
    path: over.path ?? "config/app.yml",
    line: over.line ?? 12,
    column: over.column ?? 11,
    endLine: over.endLine ?? over.line ?? 12,
    endColumn: over.endColumn ?? (over.column ?? 11) + value.length,
    commit: over.commit,
    removed: over.removed
  }
})

export const place = (over: Partial<Location> = {}): Location => ({
  path: "a.env",
  line: 1,
  column: 1,
  endLine: 1,
  endColumn: 9,
  commit: null,
  removed: false,
  rule: "assignment",
  name: null,
  ...over
})

export const input = (
  over: Omit<Partial<Input>, "settings"> & { readonly settings?: Partial<Input["settings"]> } = {}
): Input => ({
  repository: "acme/app",
  ...over,
  settings: { ...defaults(now), ...over.settings }
})

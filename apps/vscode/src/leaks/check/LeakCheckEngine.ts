/** Plans and runs leak checks. This part of the bundle is loaded at the first check. */
import { type GitleaksOptions, loadGitleaksConfig } from "@threat-exposure/detect/config/GitleaksConfig"
import { pathInside } from "@threat-exposure/detect/skip/PathFilter"
import { layer as cleanCache } from "@threat-exposure/leak-check/search/CleanCache"
import { coverageTable, sentenceOf } from "@threat-exposure/leak-check/Coverage"
import { empty as noIgnoreFile, parse as parseIgnoreFile } from "@threat-exposure/leak-check/ignore/IgnoreFile"
import { withIgnoreEntry } from "@threat-exposure/leak-check/ignore/IgnoreFileEdit"
import { plan, run } from "@threat-exposure/leak-check/LeakCheck"
import type { Report } from "@threat-exposure/leak-check/Report"
import { adviceFor } from "@threat-exposure/leak-check/report/Advice"
import { providerOf } from "@threat-exposure/leak-check/report/Providers"
import { repositoryNameIn } from "@threat-exposure/leak-check/range/RepositoryName"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { domainOf } from "@threat-exposure/leak-check/target/Target"
import { fingerprint } from "@threat-exposure/leak-check/ignore/Fingerprint"
import { type Effect, Layer } from "effect"
import { keep, restore } from "./KeptLeakCheck.ts"
import { t } from "../../words/Localisation.ts"

type Read = (path: string) => Effect.Effect<string | undefined>
type Warn = NonNullable<GitleaksOptions["warn"]>

/** Sentences of a report, with skipped items in the person's language. */
const inWords = ({ coverage }: Report, sentences: ReadonlyArray<string>): ReadonlyArray<string> => {
  const translated = new Map(
    coverage.map((entry) => [sentenceOf(entry), sentenceOf(entry, t(coverageTable[entry.reason].label))])
  )
  return sentences.map((sentence) => translated.get(sentence) ?? sentence)
}

export const engine = {
  /** Computes fingerprints in JavaScript; a host with a faster implementation replaces this. */
  scrypt: Layer.empty,
  cleanCache,
  noIgnoreFile,
  parseIgnoreFile,
  plan,
  run,
  adviceFor,
  providerOf,
  defaults,
  domainOf,
  fingerprint,
  inWords,
  keep,
  restore,
  loadGitleaksConfig: (read: Read, warn: Warn) => loadGitleaksConfig(read, { warn }),
  pathInside,
  repositoryNameIn,
  withIgnoreEntry
}
export type LeakCheckEngine = typeof engine

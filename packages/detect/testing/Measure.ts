/** Measures how well a scanner performs on a labelled corpus. */
import type { CorpusFile, Label } from "./Corpus.ts"
import type { SecretKind } from "./ValueGenerators.ts"

export interface Measurement {
  /** Number of values that the scanner reports; each counts once per file. */
  readonly sent: number
  /** Reported values that are not secrets in use. */
  readonly inVain: ReadonlyArray<{ readonly file: CorpusFile; readonly value: string }>
  readonly missed: ReadonlyArray<{ readonly file: CorpusFile; readonly label: Label }>
  /** By kind: the number of strong secrets, and how many of them were found with exactly their value. */
  readonly kinds: ReadonlyMap<SecretKind, { readonly found: number; readonly all: number }>
  readonly precision: number
  readonly recall: number
}

/** The values that a scanner reports for a text at a path. */
export type Find = (text: string, path: string) => Iterable<string>

/**
 * Measures secrets in use: strong secrets outside tests and documentation.
 *
 * Elsewhere, nothing has to be found. Values with their own format (provider tokens, private keys, JWTs) may be
 * reported there, but passwords must not.
 */
export const measureLive = (files: ReadonlyArray<CorpusFile>, find: Find): Measurement =>
  measure(
    files,
    ({ path, text }) => find(text, path),
    isInUse,
    ({ place }) => place === "live"
  )

/** Measures all strong secrets in any file. The path given to the scanner does not reveal tests or documentation. */
export const measureStrong = (files: ReadonlyArray<CorpusFile>, find: Find): Measurement =>
  measure(
    files,
    ({ path, place, text }) => find(text, place === "live" ? path : neutral(path)),
    (_, { strength }) => strength !== "none",
    () => true
  )

/** Whether the value is a secret outside tests and documentation, or has its own format. */
export const isInUse = ({ place }: CorpusFile, { kind, strength }: Label): boolean =>
  strength !== "none" && (place === "live" || formsOfTheirOwn.has(kind))

const formsOfTheirOwn: ReadonlySet<Label["kind"]> = new Set(["provider-token", "private-key", "jwt"])

/** The file name without folders, and without parts that mark it as a test or an example. */
const neutral = (path: string): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/Test(?=\.)|^test_|[._-](?:test|spec|example)(?=\.|$)|^sample(?=\.)|^README(?=\.)/g, "")

const measure = (
  files: ReadonlyArray<CorpusFile>,
  find: (file: CorpusFile) => Iterable<string>,
  maySend: (file: CorpusFile, label: Label) => boolean,
  mustFind: (file: CorpusFile) => boolean
): Measurement => {
  const inVain: Array<Measurement["inVain"][number]> = []
  const missed: Array<Measurement["missed"][number]> = []
  const kinds = new Map<SecretKind, { found: number; all: number }>()
  let sent = 0
  for (const file of files) {
    const values = new Set(find(file))
    sent += values.size
    for (const value of values) {
      const { labels } = file
      if (!labels.some((label) => label.value === value && maySend(file, label))) inVain.push({ file, value })
    }
    if (!mustFind(file)) continue
    for (const label of file.labels) {
      if (label.kind === "look-alike" || label.strength !== "strong") continue
      const count = kinds.get(label.kind) ?? { found: 0, all: 0 }
      kinds.set(label.kind, count)
      count.all++
      if (values.has(label.value)) count.found++
      else missed.push({ file, label })
    }
  }
  const all = [...kinds.values()]
  const sum = (of: "found" | "all") => all.reduce((total, count) => total + count[of], 0)
  return { sent, inVain, missed, kinds, precision: 1 - inVain.length / sent, recall: sum("found") / sum("all") }
}

/**
 * Files with secrets and look-alikes planted in them, each labelled, to measure detection with.
 *
 * They are generated from templates: a text with marks between guillemets, each of which is replaced by a drawn value.
 *
 * | mark                  | drawn value                                                              |
 * | --------------------- | ------------------------------------------------------------------------ |
 * | `«password»`          | a secret drawn by `secretGenerators.password`                                 |
 * | `«sql:password»`      | the same, counted under another kind                                     |
 * | `«password\|xml»`     | the same, written in an encoding                                         |
 * | `«?weak»`             | a secret too weak to count: neither a hit nor a miss                     |
 * | `«!uuid»`             | a look-alike drawn by `lookAlikeGenerators.uuid`                              |
 * | `«#user»`             | a word of the list `user`, not labelled; the same one throughout a file  |
 *
 * Nothing is stored: the same seed gives the same files.
 */
import {
  lookAlikeGenerators,
  seededRandom,
  type Random,
  type SecretKind,
  secretKinds,
  secretGenerators
} from "./ValueGenerators.ts"

export interface Label {
  /** The decoded secret. */
  readonly value: string
  readonly kind: SecretKind | "look-alike"
  /** `none` for a look-alike. A weak secret counts neither as a hit nor as a miss. */
  readonly strength: "strong" | "weak" | "none"
  /** Name of the generator that created the value. */
  readonly generator: string
  /** Start offset of the written form. */
  readonly start: number
  readonly end: number
}

/** The kind of a file: passwords in tests or documentation are not in use. */
export type CorpusPlace = "live" | "tests" | "documentation"

export interface CorpusFile {
  readonly path: string
  readonly text: string
  readonly place: CorpusPlace
  readonly labels: ReadonlyArray<Label>
}

/**
 * Generates `copies` files per template. A template begins with a line `==== PATH` or `==== PATH (tests)`; the first
 * block is `==== words`, with the lists for `«#name»`.
 */
export const generateCorpus = (
  templates: string,
  options: { readonly seed: number; readonly copies: number }
): ReadonlyArray<CorpusFile> => {
  const [, head = "", ...blocks] = templates.split(/^==== /m)
  const words = wordLists(head)
  return blocks.flatMap((block, number) =>
    Array.from({ length: options.copies }, (_, copy) =>
      fileOf(block, words, seededRandom(options.seed + number * 1009 + copy * 9176))
    )
  )
}

const wordLists = (head: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    head
      .split("\n")
      .slice(1)
      .filter((line) => line.includes(":"))
      .map((line) => {
        const [name = "", list = ""] = line.split(/:\s*/, 2)
        return [name, list.split(/\s+/)] as const
      })
  )

const fileOf = (block: string, words: ReadonlyMap<string, ReadonlyArray<string>>, random: Random): CorpusFile => {
  const headEnd = block.indexOf("\n")
  const [, path = "", place = "live"] = /^(.*?)(?: \((\w+)\))?$/.exec(block.slice(0, headEnd)) ?? []
  const fillers = new Map<string, string>()
  const fill = (text: string) => {
    let out = ""
    const labels: Array<Label> = []
    let from = 0
    for (const mark of text.matchAll(markPattern)) {
      out += text.slice(from, mark.index)
      from = mark.index + mark[0].length
      const { label, written } = draw(mark, words, fillers, random)
      if (label !== undefined) labels.push({ ...label, start: out.length, end: out.length + written.length })
      out += written
    }
    return { text: out + text.slice(from), labels }
  }
  return {
    path: fill(path).text,
    place: placeOf(place),
    ...fill(block.slice(headEnd + 1).trimEnd() + "\n")
  }
}

const markPattern = /«([#!?]?)(?:([\w-]+):)?([\w-]+)(?:\|([\w|-]+))?»/g

const placeOf = (name: string): CorpusPlace => {
  if (name === "live" || name === "tests" || name === "documentation") return name
  throw new Error(`A template is in "live", "tests" or "documentation", not in "${name}"`)
}

const draw = (
  [mark, sign, kind, name = "", encodings]: RegExpExecArray,
  words: ReadonlyMap<string, ReadonlyArray<string>>,
  fillers: Map<string, string>,
  random: Random
): { readonly written: string; readonly label: Omit<Label, "start" | "end"> | undefined } => {
  if (sign === "#") {
    const list = words.get(name.replace(/-?\d+$/, "")) ?? unknown(mark)
    const word = fillers.get(name) ?? random.pick(list)
    fillers.set(name, word)
    return { written: word, label: undefined }
  }
  const generator = (sign === "!" ? lookAlikeGenerators : secretGenerators)[name] ?? unknown(mark)
  const value = generator.generate(random)
  const written = (encodings ?? "")
    .split("|")
    .filter((encoding) => encoding !== "")
    .reduce((text, encoding) => (encoders[encoding] ?? unknown(mark))(text), value)
  return {
    written,
    label: {
      value,
      kind: sign === "!" ? "look-alike" : kindOf(kind ?? generator.kind),
      strength: sign === "!" ? "none" : sign === "?" || generator.weak === true ? "weak" : "strong",
      generator: name
    }
  }
}

const unknown = (mark: string): never => {
  throw new Error(`${mark} names no generator, list or encoding`)
}

const kindOf = (name: string): SecretKind => secretKinds.find((kind) => kind === name) ?? unknown(name)

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Encodings of a value. */
const encoders: Readonly<Record<string, (value: string) => string>> = {
  base64,
  /** Encodes a user name and the value, as in an `Authorization` header. */
  basic: (value) => base64(`svc:${value}`),
  escaped: (value) => value.replaceAll("\n", "\\n"),
  indented: (value) => value.replaceAll("\n", "\n    "),
  json: (value) => JSON.stringify(value).slice(1, -1),
  percent: (value) => encodeURIComponent(value),
  /** Escapes a value for a single-quoted string of YAML or SQL. */
  doubled: (value) => value.replaceAll("'", "''"),
  xml: (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}

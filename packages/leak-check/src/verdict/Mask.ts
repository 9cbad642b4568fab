/**
 * Sanitises text of a leak for a report: one line, plain, short, and without any of the values.
 *
 * The result is not escaped for a format. It is shortened last, so that a cut value is still recognised and masked.
 */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"
import { Result } from "effect"
import { type Find, valueMatcher } from "../target/ValueMatcher.ts"

/** Replaces a value. */
export const masked = "••••"

export interface Mask {
  /** Text of the repository, such as a path or a name, in which only the values of targets are masked. */
  readonly own: (text: string) => string
  /** An identifier that the service gave, of 300 characters at most: not searched for secrets, which it may look like. */
  readonly identifier: (text: string) => string
  /** Text of a leak, of 300 characters at most unless another length is given. */
  readonly text: (text: string, length?: number) => string
  /** An excerpt, which may begin or end inside a value; `marked` masks what the service marked as matching, too. */
  readonly excerpt: (text: string, marked: boolean) => string
  /** `a…@example.com`. */
  readonly account: (name: string) => string
  /** An `https` or `http` address without credentials; null if it is not one, or contains a value. */
  readonly link: (url: string | null | undefined) => string | null
}

/** `targets` are the values that are searched; `others` were found too and judged to be no secrets: words, perhaps. */
export const makeMask = (targets: ReadonlyArray<string>, others: ReadonlyArray<string> = []): Mask => {
  const own = maskerOf(targets)
  const scrub = maskerOf([...targets, ...others])
  const withoutCut = cutterOf([...targets, ...others])
  const clean = (text: string) => {
    const isCut = text.length > maxRead
    const line = scrub(oneLine(scrub((isCut ? text.slice(0, maxRead) : text).replace(tags, ""))))
    return isCut ? withoutCut(line) : line
  }

  return {
    own,
    identifier: (text) => shortened(clean(text), 300),
    text: (text, length = 300) => shortened(withoutAccounts(clean(text)), length),
    excerpt: (text, marked) => {
      const whole = withoutCut(clean(text))
      return shortened(withoutAccounts(marked ? withoutMarked(whole, text.slice(0, maxRead)) : whole), 300)
    },
    account: (name) => shortened(maskedAccount(clean(name)), 200),
    link: (url) => {
      if (url == null || url.length > maxLink || !URL.canParse(url)) return null
      const { href, password, protocol, username } = new URL(url)
      const isPlain = (protocol === "https:" || protocol === "http:") && username === "" && password === ""
      return isPlain && scrub(url) === url && scrub(href) === href ? href : null
    }
  }
}

/** Replaces each of the values, also where a text holds it in another encoding. */
export const maskerOf = (values: ReadonlyArray<string>, mark = masked): ((text: string) => string) => {
  const find = valueMatcher(values)
  // The names and descriptions of sources repeat often.
  const known = new Map<string, string>()
  const mask = (text: string): string => {
    const found = find(text)
    const seen = found.length === 0 ? text : covered(text, found, mark)
    for (const reading of readings(seen)) if (find(reading).length > 0) return mask(reading)
    return seen
  }
  return (text: string) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const after = mask(text)
    if (known.size < mostKnown) known.set(text, after)
    return after
  }
}

const mostKnown = 10_000

/** Characters of a text of a leak that are looked at: many times what is shown, and not so many that it takes long. */
const maxRead = 4000

const maxLink = 2000

const covered = (text: string, parts: ReturnType<Find>, mark: string) => {
  let rest = ""
  let at = 0
  for (const [start, end] of parts) {
    rest += text.slice(at, start) + mark
    at = end
  }
  return rest + text.slice(at)
}

const withoutMarked = (clean: string, original: string) =>
  Array.from(original.matchAll(markedRun), ([, run = ""]) => oneLine(run))
    .filter(({ length }) => length >= 2)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, run) => text.replaceAll(run, masked), clean)

/** Leaks contain passwords and addresses of other people. */
const withoutAccounts = (text: string) => withoutSecrets(text, masked).replace(email, (name) => maskedAccount(name))

/** Of a text as long as wanted; at a character's end. */
export const shortened = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, Math.max(0, length - 1))
        .toWellFormed()
        .replace(/\uFFFD$/u, "")}…`

const tags = /<\/?(?:mark|em)>/gi
const markedRun = /<(?:mark|em)>(.*?)<\/(?:mark|em)>/gis
const email = /[^\s@:;|,<>"'()[\]{}]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+/gu

/** Control characters, and characters that disguise a text: directions, zero widths, tags. */
const invisible =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu

const oneLine = (text: string) => text.toWellFormed().replace(/\s+/gu, " ").replace(invisible, "").trim()

/** The decoded forms of a text: HTML, URL, form or JSON, also nested. */
function* readings(text: string): Generator<string> {
  let read = text
  for (let round = 0; round < 3; round++) {
    if (read.includes("+")) yield withoutPercents(read.replaceAll("+", " "))
    for (const reading of [withoutEntities, withoutPercents, withoutEscapes]) {
      const next = reading(read)
      if (next !== read) yield next
      read = next
    }
  }
}

const withoutEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, (all, decimal, hex, name) =>
    typeof name === "string"
      ? (entities[name.toLowerCase()] ?? all)
      : character(typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16), all)
  )

const entities: Partial<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }

const withoutPercents = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) =>
    Result.getOrElse(
      Result.try(() => decodeURIComponent(run)),
      () => run
    )
  )

const withoutEscapes = (text: string) =>
  text.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["'\\/bfnrt]))/g, (all, long, short, one) =>
    typeof one === "string"
      ? (escapes[one] ?? one)
      : character(Number.parseInt(typeof long === "string" ? long : String(short), 16), all)
  )

const escapes: Partial<Record<string, string>> = { b: " ", f: " ", n: "\n", r: "\r", t: "\t" }

const character = (code: number, otherwise: string) => (code <= 0x10ffff ? String.fromCodePoint(code) : otherwise)

/**
 * An excerpt may begin or end inside a value: what is left of it there is masked, from five characters on. An index of
 * every five characters of every value shows which ones are possible.
 */
const cutterOf = (values: ReadonlyArray<string>) => {
  let index: Map<string, Array<readonly [value: string, at: number]>> | undefined
  const places = (piece: string) => {
    index ??= indexOf(values)
    return index.get(piece) ?? []
  }
  return (text: string) => {
    const from = /^(?:…|\.\.\.)?/.exec(text)?.[0].length ?? 0
    const to = text.length - (/(?:…|\.\.\.)$/.exec(text)?.[0].length ?? 0)
    let start = 0
    for (const [value, at] of places(text.slice(from, from + cutLength))) {
      if (at > 0 && text.startsWith(value.slice(at), from)) start = Math.max(start, from + value.length - at)
    }
    let end = text.length
    for (const [value, at] of places(text.slice(Math.max(0, to - cutLength), to))) {
      const head = value.slice(0, at + cutLength)
      if (head.length < value.length && text.endsWith(head, to)) end = Math.min(end, to - head.length)
    }
    if (start === 0 && end === text.length) return text
    return `${start > 0 ? masked : ""}${text.slice(start, Math.max(start, end))}${end < text.length ? masked : ""}`
  }
}

const indexOf = (values: ReadonlyArray<string>) => {
  const index = new Map<string, Array<readonly [value: string, at: number]>>()
  for (const value of values) {
    for (let at = 0; at + cutLength <= value.length; at++) {
      const piece = value.slice(at, at + cutLength)
      const same = index.get(piece)
      if (same === undefined) index.set(piece, [[value, at]])
      else same.push([value, at])
    }
  }
  return index
}

const cutLength = 5

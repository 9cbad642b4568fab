/**
 * Sanitises text of a leak for a report: one line, plain, short, and without any of the values.
 *
 * The result is not escaped for a format. It is shortened last, so that a cut value is still recognised and masked.
 */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { failClosed, makeSecretMatcher, type SecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"

/** Replaces a value. */
export const masked = "••••"

export interface Mask {
  /** Text of the repository, such as a path or a name: only whole values of targets are masked. */
  readonly own: (text: string) => string
  /** Text that may quote the service: runs of eight characters of a value are masked, too. */
  readonly quoted: (text: string) => string
  /** An identifier that the service gave, at most 300 characters: not searched for secrets, which it may look like. */
  readonly identifier: (text: string) => string
  /** Text of a leak, at most 300 characters unless another length is given. */
  readonly text: (text: string, length?: number) => string
  /** An excerpt, which may begin or end inside a value; `marked` masks what the service marked as matching, too. */
  readonly excerpt: (text: string, marked: boolean) => string
  /** `a…@example.com`. */
  readonly account: (name: string) => string
  /** An `https` or `http` address without credentials; null if it is not one, or contains a value. */
  readonly link: (url: string | null | undefined) => string | null
}

/** `targets` are the values that are searched; `others` were found too, but may be ordinary words. */
export const makeMask = (targets: ReadonlyArray<string>, others: ReadonlyArray<string> = []): Mask => {
  const own = makeMasker(makeSecretMatcher([], { wholes: targets }))
  const quoted = makeMasker(makeSecretMatcher(targets.flatMap(readingsOf), { wholes: others.flatMap(readingsOf) }))
  const maskCut = makeCutMasker([...targets, ...others])
  const clean = failClosed((text) => {
    const isCut = text.length > maxRead
    // Invisible characters first: they may be inside a value.
    const line = quoted(oneLine((isCut ? text.slice(0, maxRead) : text).replace(tags, "")))
    return isCut ? maskCut(line) : line
  })

  return {
    own,
    quoted,
    identifier: (text) => shorten(clean(text), 300),
    text: (text, length = 300) => shorten(maskAccounts(clean(text)), length),
    excerpt: (text, marked) => {
      const mask = failClosed((excerpt) => {
        const whole = maskCut(clean(excerpt))
        return maskAccounts(marked ? maskMarked(whole, excerpt.slice(0, maxRead)) : whole)
      })
      return shorten(mask(text), 300)
    },
    account: (name) => shorten(maskedAccount(clean(name)), 200),
    link: (url) => {
      if (url == null || url.length > maxLink || !URL.canParse(url)) return null
      const { href, password, protocol, username } = new URL(url)
      const isPlain = (protocol === "https:" || protocol === "http:") && username === "" && password === ""
      return isPlain && quoted(url) === url && quoted(href) === href ? href : null
    }
  }
}

const readingsOf = (value: string) => [value, oneLine(value)]

/** Remembers texts: the names and descriptions of sources repeat often. */
const makeMasker = ({ redact }: SecretMatcher): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text: string) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const after = redact(text, masked)
    if (known.size < maxKnown) known.set(text, after)
    return after
  }
}

const maxKnown = 10_000

/** Characters of a text of a leak that are read: many times what is shown, and few enough to be fast. */
const maxRead = 4000

const maxLink = 2000

const maskMarked = (clean: string, original: string) =>
  Array.from(original.matchAll(markedRun), ([, run = ""]) => oneLine(run))
    .filter(({ length }) => length >= 2)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, run) => text.replaceAll(run, masked), clean)

/** Leaks contain passwords and addresses of other people. */
const maskAccounts = failClosed((text) => withoutSecrets(text, masked).replace(email, (name) => maskedAccount(name)))

/** Cuts a text to a length, between two characters. */
export const shorten = (text: string, length: number): string =>
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

/**
 * Masks what is left of a value where an excerpt begins or ends inside it, from `minCut` characters on: too few to be masked
 * anywhere else.
 */
const makeCutMasker = (values: ReadonlyArray<string>) => {
  let parts: { readonly heads: ReadonlySet<string>; readonly tails: ReadonlySet<string> } | undefined
  return (text: string) => {
    parts ??= {
      heads: partsOf(values, (value, length) => value.slice(0, length)),
      tails: partsOf(values, (value, length) => value.slice(-length))
    }
    const { heads, tails } = parts
    const from = /^(?:…|\.\.\.)?/.exec(text)?.[0].length ?? 0
    const to = text.length - (/(?:…|\.\.\.)$/.exec(text)?.[0].length ?? 0)
    let start = 0
    let end = text.length
    for (let length = minCut; length <= Math.min(maxCut, to - from); length++) {
      if (tails.has(text.slice(from, from + length).toLowerCase())) start = from + length
      if (heads.has(text.slice(to - length, to).toLowerCase())) end = to - length
    }
    if (start === 0 && end === text.length) return text
    return `${start > 0 ? masked : ""}${text.slice(start, Math.max(start, end))}${end < text.length ? masked : ""}`
  }
}

const partsOf = (values: ReadonlyArray<string>, partOf: (value: string, length: number) => string) => {
  const parts = new Set<string>()
  for (const value of values) {
    for (let length = minCut; length <= Math.min(maxCut, value.length - 1); length++) {
      parts.add(partOf(value, length).toLowerCase())
    }
  }
  return parts
}

const minCut = 5
/** Longer parts are masked anywhere, but for the single words of a value. */
const maxCut = 16

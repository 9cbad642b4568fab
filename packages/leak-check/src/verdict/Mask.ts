/**
 * Sanitizes text of a leak for a report: one line, plain, short, and without any searched value.
 *
 * The result is not escaped for a format. Text is truncated last, so that a value at the cut is still recognized and
 * masked.
 */
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { failClosed, makeSecretMatcher, type SecretMatcher } from "@threat-exposure/core/redaction/SecretMatcher"
import { withoutSecrets } from "@threat-exposure/detect/SecretsInText"

/** The replacement for a value. */
export const masked = "••••"

export interface Mask {
  /** Masks text of the repository, such as a path or a name: only whole values of targets. */
  readonly own: (text: string) => string
  /** Masks text that may quote the service: also runs of eight characters of a value. */
  readonly quoted: (text: string) => string
  /**
   * Masks an identifier from the service, at most 300 characters. It is not searched for other secrets, because it may
   * look like one.
   */
  readonly identifier: (text: string) => string
  /** Masks text of a leak; truncated to 300 characters by default. */
  readonly text: (text: string, length?: number) => string
  /**
   * Masks an excerpt, which may begin or end inside a value. With `marked`, the matches that the service highlights are
   * masked too.
   */
  readonly excerpt: (text: string, marked: boolean) => string
  /** Masks an account name: `a…@example.com`. */
  readonly account: (name: string) => string
  /** An `https` or `http` URL without credentials; null for any other, or if it contains a value. */
  readonly link: (url: string | null | undefined) => string | null
}

/** `targets` are the searched values; `others` were found too, but may be ordinary words. */
export const makeMask = (targets: ReadonlyArray<string>, others: ReadonlyArray<string> = []): Mask => {
  const own = makeMasker(makeSecretMatcher([], { wholes: targets }))
  const quoted = makeMasker(makeSecretMatcher(targets.flatMap(readingsOf), { wholes: others.flatMap(readingsOf) }))
  const maskCut = makeCutMasker([...targets, ...others])
  const clean = failClosed((text) => {
    const isCut = text.length > maxRead
    // Remove invisible characters first: they may be inside a value.
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

/** Caches results: names and descriptions of sources repeat often. */
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

/** Maximum characters of a leak's text to process: many times what is shown, but few enough to be fast. */
const maxRead = 4000

const maxLink = 2000

const maskMarked = (clean: string, original: string) =>
  Array.from(original.matchAll(markedRun), ([, run = ""]) => oneLine(run))
    .filter(({ length }) => length >= 2)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, run) => text.replaceAll(run, masked), clean)

/** Masks passwords and addresses of other people, which leaks contain. */
const maskAccounts = failClosed((text) => withoutSecrets(text, masked).replace(email, (name) => maskedAccount(name)))

/** Truncates a text without splitting a surrogate pair. */
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

/** Control characters, and invisible characters that disguise text: directions, zero widths, tags. */
const invisible =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu

const oneLine = (text: string) => text.toWellFormed().replace(/\s+/gu, " ").replace(invisible, "").trim()

/**
 * Masks the rest of a value at the beginning or end of an excerpt, from `minCut` characters on, which would be too
 * short to be masked elsewhere.
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
/** Longer parts are masked anywhere, except single words of a value. */
const maxCut = 16

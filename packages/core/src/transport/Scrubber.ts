/**
 * Takes the secrets that were sent out of whatever came back: a service may
 * echo a password in an error, as it was or in another encoding.
 */

/** Stands where a secret stood. */
export const scrubbed = "<redacted>"

export interface Scrubber {
  text(text: string): string
  /** Every string, number and key in it, at any depth. */
  value(value: unknown): unknown
}

/** Shorter ones cannot be cut out without telling by what is missing: a text that holds one is withheld whole. */
const cutLength = 4

/** Of base64 text that holds a secret somewhere, only this much of the secret gives a stretch worth looking for. */
const base64Length = 6

/** Levels of a value that are looked through; what lies deeper is withheld. */
const deepest = 100

export const makeScrubber = (secrets: Iterable<string>): Scrubber => {
  const values = Array.from(new Set(secrets)).filter((secret) => secret !== "")
  const short = anyFormOf(values.filter((secret) => secret.length < cutLength))
  const long = anyFormOf(values.filter((secret) => secret.length >= cutLength))

  const text = (text: string) => {
    if (short !== undefined && text.search(short) !== -1) return scrubbed
    return long === undefined ? text : text.replace(long, scrubbed)
  }

  const value = (value: unknown, depth = 0): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return text(String(value)) === String(value) ? value : scrubbed
    if (typeof value !== "object" || value === null) return value
    if (depth === deepest) return scrubbed
    if (Array.isArray(value)) return value.map((inner) => scrub(inner, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), scrub(inner, depth + 1)]))
  }
  const scrub = value

  return { text, value: (whole) => value(whole) }
}

const anyFormOf = (secrets: ReadonlyArray<string>): RegExp | undefined => {
  if (secrets.length === 0) return undefined
  // Longest first, so that a secret inside another does not leave the rest of it behind.
  const forms = secrets
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => encodedForms(secret).map(literally).concat(Array.from(secret, anyFormOfCharacter).join("")))
  return new RegExp(forms.join("|"), "giu")
}

/** As it is, or as JSON, a URL, a form or HTML writes it, be that twice over; services mix them freely. */
const anyFormOfCharacter = (character: string): string => {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i).toString(16))
  const bytes = Array.from(new TextEncoder().encode(character), hexOf)
  const point = character.codePointAt(0) ?? 0
  const escaped = shortEscapes.get(character)
  const entity = entities.get(character)
  return `(?:${[
    character === "\\" ? "\\\\{1,4}" : `\\\\{0,3}${literally(character)}`,
    units.map((unit) => `\\\\{1,3}u${unit.padStart(4, "0")}`).join(""),
    bytes.map((byte) => `%(?:25)?${byte}`).join(""),
    `&(?:amp;)?#0*${point};`,
    `&(?:amp;)?#x0*${point.toString(16)};`,
    ...(escaped === undefined ? [] : [`\\\\{1,3}${escaped}`]),
    ...(entity === undefined ? [] : [`&(?:amp;)?${entity};`]),
    ...(character === " " ? ["\\+"] : [])
  ].join("|")})`
}

const shortEscapes = new Map([
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"]
])

const entities = new Map([
  ["&", "amp"],
  ["<", "lt"],
  [">", "gt"],
  ['"', "quot"],
  ["'", "apos"]
])

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

/**
 * The base64 of the secret alone, and the stretch that its bytes give at each
 * of the three places in which they can fall inside the base64 of a longer text;
 * and the hexadecimal digits, where they are enough not to be met by chance.
 */
const encodedForms = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const alone = base64(bytes).replace(/=+$/u, "")
  const inside =
    bytes.length < base64Length
      ? []
      : [0, 1, 2].map((shift) => {
          const padded = new Uint8Array(shift + bytes.length)
          padded.set(bytes, shift)
          return base64(padded)
            .replace(/=+$/u, "")
            .slice(Math.ceil((shift * 8) / 6), Math.floor((padded.length * 8) / 6))
        })
  const hex = bytes.length < cutLength ? [] : [Array.from(bytes, hexOf).join("")]
  return [alone, ...inside].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]).concat(hex)
}

const hexOf = (byte: number) => byte.toString(16).padStart(2, "0")

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

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

export const makeScrubber = (secrets: Iterable<string>): Scrubber => {
  const values = new Set(Array.from(secrets).filter((secret) => secret !== ""))
  const short = Array.from(values).filter((secret) => secret.length < cutLength)
  const forms = new Set(
    Array.from(values)
      .filter((secret) => secret.length >= cutLength)
      .flatMap(formsOf)
  )
  // Longest first, so that a form inside another does not leave the rest of it behind.
  const pattern =
    forms.size === 0
      ? undefined
      : new RegExp(
          Array.from(forms)
            .toSorted((a, b) => b.length - a.length)
            .map(literally)
            .join("|"),
          "giu"
        )

  const text = (text: string) => {
    if (short.some((secret) => text.includes(secret))) return scrubbed
    return pattern === undefined ? text : text.replace(pattern, scrubbed)
  }

  const value = (value: unknown): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return text(String(value)) === String(value) ? value : scrubbed
    if (Array.isArray(value)) return value.map(scrub)
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, value]) => [text(key), scrub(value)]))
    }
    return value
  }
  const scrub = value

  return { text, value }
}

/** How a secret reads when a service writes it into JSON, a URL, HTML, a shell or base64. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(/[^\u0020-\u007e]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")
  )
  const url = encodeURIComponent(secret.toWellFormed())
  const strictUrl = url.replace(/[!'()*]/gu, percent)
  return [
    secret,
    json,
    ascii,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    url,
    strictUrl,
    encodeURI(secret.toWellFormed()),
    strictUrl.replaceAll("%20", "+"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    html(secret, "&#39;"),
    html(secret, "&#x27;"),
    ...base64Forms(secret)
  ]
}

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

const percent = (char: string) => `%${char.charCodeAt(0).toString(16)}`

const html = (text: string, apostrophe: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", apostrophe)

/**
 * The base64 of the secret alone, and the stretch that its bytes give at each
 * of the three places in which they can fall inside the base64 of a longer text.
 */
const base64Forms = (secret: string): ReadonlyArray<string> => {
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
  return [alone, ...inside].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
}

const base64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))

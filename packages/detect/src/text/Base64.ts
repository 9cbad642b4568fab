/** Decodes base64. */

/** Decodes base64 of either alphabet; undefined if the value is not base64, or its content is not UTF-8 text. */
export const decodeBase64 = (value: string): string | undefined => {
  const bytes = bytesOfBase64(value)
  const text = bytes === undefined ? undefined : utf8.decode(bytes)
  return text?.includes("\ufffd") === true ? undefined : text
}

/** Decodes base64 of either alphabet; undefined if the value is not base64. */
export const bytesOfBase64 = (value: string): Uint8Array | undefined => {
  const plain = value.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")
  if (!/^[A-Za-z0-9+/]+$/.test(plain) || plain.length % 4 === 1) return undefined
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
}

/** Replaces invalid UTF-8 by U+FFFD, because throwing an exception would take most of the time. */
const utf8 = new TextDecoder()

/** The password in base64 of `user:password`; undefined if there is none. */
export const passwordOf = (encoded: string): string | undefined => {
  const decoded = decodeBase64(encoded)
  const colon = decoded?.indexOf(":") ?? -1
  if (decoded === undefined || colon < 0 || !/^[\x20-\x7e\xc0-\u024f]+$/.test(decoded)) return undefined
  const password = decoded.slice(colon + 1)
  return password === "" ? undefined : password
}

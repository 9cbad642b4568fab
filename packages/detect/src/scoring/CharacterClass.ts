/**
 * Classes of characters for randomness: letters by case, one class for digits, and the punctuation of identifiers and
 * paths.
 */

const digit = 52
const marks = "_-./+="
const other = digit + marks.length + 1

export const classes = other + 1

const classTable = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return code - 97
  if (code >= 65 && code <= 90) return code - 65 + 26
  if (code >= 48 && code <= 57) return digit
  const mark = marks.indexOf(String.fromCharCode(code))
  return mark >= 0 ? digit + 1 + mark : other
})

export const classOf = (code: number): number => classTable[code] ?? other

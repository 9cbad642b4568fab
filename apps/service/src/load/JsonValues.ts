/**
 * The elements of an array, or a sequence of values. Distinguishes only brackets and strings: the reader of a value
 * decides whether it is JSON. A raw line break in a string becomes a control character; JSON forbids both.
 */
export async function* jsonLines(source: AsyncIterable<Buffer>, type: "array" | "values"): AsyncGenerator<Buffer> {
  let recordDepth = type === "array" ? 1 : 0
  let depth = 0
  let isInText = false
  let isEscaped = false
  for await (const bytes of source) {
    // Each value grows by a line break, and the shortest value has two bytes.
    const lines = Buffer.allocUnsafe(bytes.length * 2)
    let length = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (isInText) {
        lines[length++] = byte === lineFeed ? control : byte
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) isInText = false
        continue
      }
      if (byte === quote) isInText = true
      const isOpening = byte === openBrace || byte === openBracket
      const isClosing = byte === closeBrace || byte === closeBracket
      if (isOpening) depth += 1
      if (isClosing) depth -= 1
      const isOfArray =
        recordDepth === 1 &&
        ((isOpening && depth === 1) || (isClosing && depth === 0) || (byte === comma && depth === 1))
      lines[length++] = isOfArray || byte === lineFeed ? space : byte
      if (isClosing && depth === recordDepth) lines[length++] = lineFeed
      // Content after the array counts as a separate value, which is refused.
      if (isClosing && depth < recordDepth) recordDepth = 0
    }
    yield lines.subarray(0, length)
  }
}

const lineFeed = 0x0a
const space = 0x20
const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const control = 0x01

/** Decrypts small AES data (FIPS 197) synchronously; Web Crypto is asynchronous. */

/** Decrypts whole blocks in CBC mode with an IV of zeros. */
export const decryptCbc = (key: Uint8Array, encrypted: Uint8Array): Uint8Array => {
  const keys = expandKey(key)
  const clear = new Uint8Array(encrypted.length)
  for (let at = 0; at < encrypted.length; at += blockSize) {
    const block = decryptBlock(keys, encrypted.subarray(at, at + blockSize))
    const previous = at === 0 ? new Uint8Array(blockSize) : encrypted.subarray(at - blockSize, at)
    clear.set(combine(block, previous), at)
  }
  return clear
}

/** Decrypts bytes in CTR mode; `counter` is the initial counter block. */
export const decryptCtr = (key: Uint8Array, counter: Uint8Array, encrypted: Uint8Array): Uint8Array => {
  const keys = expandKey(key)
  const clear = new Uint8Array(encrypted.length)
  const count = Uint8Array.from(counter)
  for (let at = 0; at < encrypted.length; at += blockSize) {
    clear.set(combine(encrypted.subarray(at, at + blockSize), encryptBlock(keys, count)), at)
    let digit = blockSize - 1
    for (; digit >= 0 && count[digit] === 255; digit--) count[digit] = 0
    if (digit >= 0) count[digit] = (count[digit] ?? 0) + 1
  }
  return clear
}

const blockSize = 16

const combine = (one: Uint8Array, other: Uint8Array): Uint8Array => one.map((byte, index) => byte ^ (other[index] ?? 0))

const double = (byte: number): number => ((byte << 1) ^ (byte < 0x80 ? 0 : 0x11b)) & 0xff

const multiply = (byte: number, factor: number): number => {
  let product = 0
  for (let rest = factor, power = byte; rest > 0; rest >>= 1, power = double(power)) if (rest & 1) product ^= power
  return product
}

interface Tables {
  readonly substitutes: Uint8Array
  readonly originals: Uint8Array
  /** Products of each byte with the elements of a row of the MixColumns matrix, and of its inverse. */
  readonly mix: ReadonlyArray<Uint8Array>
  readonly unmix: ReadonlyArray<Uint8Array>
}

const makeTables = (): Tables => {
  const substitutes = new Uint8Array(256)
  const originals = new Uint8Array(256)
  // `inverse` is the multiplicative inverse of `power`, which takes every value but zero.
  for (let index = 0, power = 1, inverse = 1; index < 256; index++) {
    const byte = index === 255 ? 0 : power
    const spread = index === 255 ? 0 : inverse * 0x101
    const substitute = ((spread ^ (spread >> 4) ^ (spread >> 5) ^ (spread >> 6) ^ (spread >> 7)) & 0xff) ^ 0x63
    substitutes[byte] = substitute
    originals[substitute] = byte
    power ^= double(power)
    inverse = multiply(inverse, 0xf6)
  }
  const productsWith = (factor: number) => substitutes.map((_, byte) => multiply(byte, factor))
  return { substitutes, originals, mix: [2, 3, 1, 1].map(productsWith), unmix: [14, 11, 13, 9].map(productsWith) }
}

let made: Tables | undefined
/** Created at the first use: most texts need none. */
const tables = (): Tables => (made ??= makeTables())

const expandKey = (key: Uint8Array): Uint8Array => {
  const { substitutes } = tables()
  const keys = new Uint8Array(blockSize * (key.length / 4 + 7))
  keys.set(key)
  let constant = 1
  for (let at = key.length; at < keys.length; at += 4) {
    const position = at % key.length
    let word = keys.slice(at - 4, at)
    if (position === 0) {
      word = Uint8Array.of(...word.subarray(1), ...word.subarray(0, 1)).map((byte) => substitutes[byte] ?? 0)
      word[0] = (word[0] ?? 0) ^ constant
      constant = double(constant)
    } else if (key.length === 32 && position === 16) word = word.map((byte) => substitutes[byte] ?? 0)
    keys.set(combine(word, keys.subarray(at - key.length)), at)
  }
  return keys
}

const encryptBlock = (keys: Uint8Array, block: Uint8Array): Uint8Array => {
  const { mix, substitutes } = tables()
  const state = combine(block, keys)
  for (let at = blockSize; at < keys.length; at += blockSize) {
    substituteAndShift(state, substitutes, 4)
    if (at + blockSize < keys.length) multiplyColumns(state, mix)
    addKey(state, keys, at)
  }
  return state
}

const decryptBlock = (keys: Uint8Array, block: Uint8Array): Uint8Array => {
  const { originals, unmix } = tables()
  const state = combine(block, keys.subarray(keys.length - blockSize))
  for (let at = keys.length - 2 * blockSize; at >= 0; at -= blockSize) {
    substituteAndShift(state, originals, 12)
    addKey(state, keys, at)
    if (at > 0) multiplyColumns(state, unmix)
  }
  return state
}

/** A copy of the state, which a step reads while it writes the new state. */
const before = new Uint8Array(blockSize)

const addKey = (state: Uint8Array, keys: Uint8Array, at: number): void => {
  for (let index = 0; index < blockSize; index++) state[index] = (state[index] ?? 0) ^ (keys[at + index] ?? 0)
}

/** SubBytes and ShiftRows: row number n is rotated by n times `shift`. */
const substituteAndShift = (state: Uint8Array, substitutes: Uint8Array, shift: number): void => {
  before.set(state)
  for (let index = 0; index < blockSize; index++)
    state[index] = substitutes[before[(index + shift * (index % 4)) % blockSize] ?? 0] ?? 0
}

/** MixColumns: multiplies each column by a circulant matrix. */
const multiplyColumns = (state: Uint8Array, products: ReadonlyArray<Uint8Array>): void => {
  before.set(state)
  for (let index = 0; index < blockSize; index++) {
    const column = index - (index % 4)
    let sum = 0
    for (let row = 0; row < 4; row++) sum ^= products[row]?.[before[column + ((index + row) % 4)] ?? 0] ?? 0
    state[index] = sum
  }
}

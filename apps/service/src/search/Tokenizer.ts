/**
 * How a text becomes the words that are searched, the same for what is stored and for what is asked: lower case, without
 * accents, letters and digits only; scripts that write no spaces give one word a character.
 */

export interface Word {
  /** As it is compared. */
  readonly text: string
  /** Where it stands in the original, in UTF-16 units; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

export const wordsOf = (text: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match
    const compared = asCompared(found)
    if (compared !== "") words.push({ text: compared, start: match.index, end: match.index + found.length })
  }
  return words
}

/** One word as it is compared; empty where nothing of it is a letter or a digit. */
export const asCompared = (word: string): string =>
  asciiPattern.test(word)
    ? word.toLowerCase()
    : word.normalize("NFKD").replaceAll(notCompared, "").toLowerCase().normalize("NFKD").replaceAll(notCompared, "")

const asciiPattern = /^[0-9A-Za-z]*$/
const notCompared = /[^\p{L}\p{N}]/gu
const spaceless = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const wordPattern = new RegExp(String.raw`[${spaceless}]\p{M}*|(?:(?![${spaceless}])[\p{L}\p{N}]\p{M}*)+`, "gu")

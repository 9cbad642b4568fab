/** Lower case, without accents, letters and digits only. In scripts without spaces, every character is a word. */
import { type HiddenSpan, hiddenIn } from "@threat-exposure/detect/SecretsInText"
import type { Span } from "@threat-exposure/detect/text/Spans"
import type { BlindIndex } from "./Term.ts"

export interface Word extends Span {
  /** The normal form of the word, in which words are compared. */
  readonly text: string
}

/** A token that equals no word, so that no phrase matches across a hidden value or from one text into the next. */
export const positionGap = "\u00B6"

/** A hidden value becomes a position gap, a random-looking value a keyed digest. */
export const tokenize = (
  blindIndex: BlindIndex,
  text: string,
  hidden: ReadonlyArray<HiddenSpan> = hiddenIn(text)
): ReadonlyArray<Word> => {
  if (hidden.length === 0) return wordsOf(text)
  const words: Array<Word> = []
  let from = 0
  const until = (end: number) => {
    for (const word of wordsOf(text.slice(from, end))) {
      words.push({ text: word.text, start: word.start + from, end: word.end + from })
    }
  }
  for (const { end, random, start, value } of hidden) {
    until(start)
    words.push({ text: random ? digestWord(blindIndex, value) : positionGap, start, end })
    from = end
  }
  until(text.length)
  return words
}

/** The words of a text without hidden values. */
export const wordsOf = (text: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match
    const normal = normalizeWord(found)
    if (normal !== "") words.push({ text: normal, start: match.index, end: match.index + found.length })
  }
  return words
}

/** The normal form of a word. Empty if it contains neither letters nor digits. */
const normalizeWord = (word: string): string =>
  asciiPattern.test(word)
    ? word.toLowerCase()
    : word.normalize("NFKD").replaceAll(ignored, "").toLowerCase().normalize("NFKD").replaceAll(ignored, "")

const digestWord = (blindIndex: BlindIndex, value: string): string =>
  `z${Buffer.from(blindIndex.blindIndex("event/word", value.toLowerCase())).toString("hex")}`

const asciiPattern = /^[0-9A-Za-z]*$/
const ignored = /[^\p{L}\p{N}]/gu
const spaceless = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const wordPattern = new RegExp(String.raw`[${spaceless}]\p{M}*|(?:(?![${spaceless}])[\p{L}\p{N}]\p{M}*)+`, "gu")

/** Finds seed phrases, the words that a wallet's keys derive from (BIP 39). */
import { matchAt } from "../text/MatchAt.ts"
import type { Rule } from "./Rule.ts"

/** `new HDWalletProvider("…")`, `mnemonic: "…"`, `Wallet.fromPhrase("…")`. */
export const seedPhrases: Rule = {
  id: "seed-phrase",
  keywords: ["mnemonic", "walletprovider(", "phrase"],
  find: (source, _start, end, report) => {
    const { text } = source
    const match = matchAt(phrase, text, end)
    const value = match?.[2] ?? ""
    if (match === null) return end
    const words = value.split(" ")
    const next = end + match[0].length - 1
    // An English sentence has words that no seed list contains, and an invented phrase repeats words.
    if (new Set(words).size < words.length - 3 || words.some((word) => ofSentences.test(word))) return next
    report({ form: "private-key", value, kind: "private-key", start: next - value.length, end: next })
    return next
  }
}

/** 12, 15, 18, 21 or 24 words of three to eight letters. */
const phrase = /[^"'`\n]{0,40}(["'`])([a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){3}){0,4})\1/y
const ofSentences = /^(?:and|are|but|for|from|has|its|not|our|the|these|which|with|your)$/

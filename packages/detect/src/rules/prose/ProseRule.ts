/** Rules for free text: what people, dumps and transcripts contain, outside the notation of a file format. */
import type { Span } from "../../text/Spans.ts"
import type { Rule } from "../Rule.ts"

export interface SecretInProse extends Span {
  /** The account beside the secret in the text, if any. */
  readonly account?: string | undefined
}

/**
 * A rule that is called once per text. Its findings have confidence 1, because their positions allow no other meaning.
 */
export const proseRule = (find: (text: string) => Iterable<SecretInProse>): Rule => ({
  id: "prose",
  keywords: [],
  find: ({ text }, _start, end, report) => {
    for (const { account, end, start } of find(text)) {
      report({ value: text.slice(start, end), kind: "password", rule: "prose", confidence: 1, start, end, account })
    }
    return end
  }
})

/** The content of a page in reading order, from which HTML and Markdown are generated. */
import { maskText } from "../../words/Mask.ts"
import { type FindSecrets, masked as hidden, type Range, withoutSecrets } from "./Secrets.ts"

/** A text with the positions of its secrets. */
export interface Passage {
  readonly text: string
  readonly secrets: ReadonlyArray<Range>
  /** Makes the text a link that sends this message. Ignored in Markdown, and for a text with secrets. */
  readonly message?: object
}

export type Entry = { readonly label: string } & (
  | { readonly _tag: "Field"; readonly value: Passage }
  | { readonly _tag: "List"; readonly values: ReadonlyArray<Passage> }
  /** ISO 8601 in the form of the service. */
  | { readonly _tag: "Time"; readonly at: string }
)

/** A long text, or a group of short entries. Entries outside of any nested record come first, without a heading. */
export type Section =
  | { readonly _tag: "Entries"; readonly heading: string | undefined; readonly entries: ReadonlyArray<Entry> }
  | { readonly _tag: "Text"; readonly heading: string; readonly content: Passage }

export interface DocumentOptions {
  /** For screen sharing: masks names, and makes secrets impossible to reveal. */
  readonly masked: boolean
  readonly secretsIn: FindSecrets
}

/** A text without a secret. */
export const plain = (text: string, message?: object): Passage =>
  message === undefined ? { text, secrets: [] } : { text, secrets: [], message }

/** A text that is a secret as a whole. */
export const secret = (text: string, { masked }: DocumentOptions): Passage =>
  masked ? plain(hidden) : { text, secrets: [{ start: 0, end: text.length }] }

/** A text whose secrets are already located. */
export const withSecrets = ({ secrets, text }: Passage, { masked }: DocumentOptions): Passage =>
  masked ? plain(maskText(withoutSecrets(text, secrets))) : { text, secrets }

/** A text from a leak, which is scanned for secrets. */
export const foreign = (text: string, options: DocumentOptions): Passage =>
  withSecrets({ text, secrets: options.secretsIn(text) }, options)

/** All passages with a secret in reading order. */
export const passagesWithSecrets = (sections: ReadonlyArray<Section>): ReadonlyArray<Passage> =>
  sections
    .flatMap((section) =>
      section._tag === "Text"
        ? [section.content]
        : section.entries.flatMap((entry) =>
            entry._tag === "Field" ? [entry.value] : entry._tag === "List" ? entry.values : []
          )
    )
    .filter(({ secrets }) => secrets.length > 0)

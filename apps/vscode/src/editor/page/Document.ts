/** The content of a page in reading order, from which HTML and Markdown are written. */
import { maskText } from "../../words/Mask.ts"
import { type FindSecrets, masked as hidden, type Range, withoutSecrets } from "./Secrets.ts"

/** A text, and the secrets in it. */
export interface Passage {
  readonly text: string
  readonly secrets: ReadonlyArray<Range>
  /** The message of the link that the text is on a page. Ignored where there are secrets, and in Markdown. */
  readonly message?: object
}

export type Entry = { readonly label: string } & (
  | { readonly _tag: "Field"; readonly value: Passage }
  | { readonly _tag: "List"; readonly values: ReadonlyArray<Passage> }
  /** ISO 8601, as the service wrote it. */
  | { readonly _tag: "Time"; readonly at: string }
)

/** A long text, or some short entries; the entries that belong to no record come first, without a heading. */
export type Section =
  | { readonly _tag: "Entries"; readonly heading: string | undefined; readonly entries: ReadonlyArray<Entry> }
  | { readonly _tag: "Text"; readonly heading: string; readonly content: Passage }

export interface DocumentOptions {
  /** While a screen is shared: names give way to their shape, and there is nothing to reveal. */
  readonly masked: boolean
  readonly secretsIn: FindSecrets
}

/** A text without a secret. */
export const plain = (text: string, message?: object): Passage =>
  message === undefined ? { text, secrets: [] } : { text, secrets: [], message }

/** A text that is a secret as a whole. */
export const secret = (text: string, { masked }: DocumentOptions): Passage =>
  masked ? plain(hidden) : { text, secrets: [{ start: 0, end: text.length }] }

/** A text whose secrets are where they were found. */
export const withSecrets = ({ secrets, text }: Passage, { masked }: DocumentOptions): Passage =>
  masked ? plain(maskText(withoutSecrets(text, secrets))) : { text, secrets }

/** A stranger's text, in which there may be secrets. */
export const foreign = (text: string, options: DocumentOptions): Passage =>
  withSecrets({ text, secrets: options.secretsIn(text) }, options)

/** Every passage with a secret, in reading order. */
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

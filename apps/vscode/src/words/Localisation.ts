/** The words a person reads, in the language of their editor. The English text is the key. */

type Argument = string | number

const fill = (message: string, args: ReadonlyArray<Argument>) =>
  message.replaceAll(/\{(\d+)\}/gu, (whole, index: string) => String(args[Number(index)] ?? whole))

let translate: (message: string, ...args: ReadonlyArray<Argument>) => string = (message, ...args) => fill(message, args)
let language = "en"

/** Set once, by the entry point. */
export const speak = (to: typeof translate, inLanguage: string): void => {
  translate = to
  language = inLanguage
}

/** `t("{0} events", 3)`; every literal message has its French twin in l10n/bundle.l10n.fr.json. */
export const t = (message: string, ...args: ReadonlyArray<Argument>): string => translate(message, ...args)

/** With an upper-case first letter, for a word of the API that begins a row, a column or a choice: "Critical". */
export const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase(language) + text.slice(1)

/** The editor's language, for dates and numbers. */
export const currentLanguage = (): string => language

/** With the digits grouped: `t` takes IDs too, and leaves a number as it is. */
export const number = (n: number): string => n.toLocaleString(language)

/** `count(n, "{0} event", "{0} events")`, by the plural rules of the editor's language. */
export const count = (n: number, one: string, many: string, ...args: ReadonlyArray<Argument>): string =>
  t(plurals().select(n) === "one" ? one : many, number(n), ...args)

let rules: Intl.PluralRules | undefined

const plurals = () => {
  if (rules?.resolvedOptions().locale !== language) rules = new Intl.PluralRules(language)
  return rules
}

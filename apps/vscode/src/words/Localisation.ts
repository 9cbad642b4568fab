/** Translates text into the editor's language. The English text is the key. */

type Argument = string | number

const fill = (message: string, args: ReadonlyArray<Argument>) =>
  message.replaceAll(/\{(\d+)\}/gu, (whole, index: string) => String(args[Number(index)] ?? whole))

type Translate = (message: string, args: ReadonlyArray<Argument>, context?: string) => string

let translate: Translate = fill
let language = "en"

/** Called once by the entry point. */
export const speak = (to: Translate, inLanguage: string): void => {
  translate = to
  language = inLanguage
  made = undefined
}

/** `t("{0} events", 3)`; every literal message has its French twin in l10n/bundle.l10n.fr.json. */
export const t = (message: string, ...args: ReadonlyArray<Argument>): string => translate(message, args)

/** An adjective that describes several things, such as "open" of events: other languages inflect it. */
export const ofSeveral = (adjective: string): string => translate(adjective, [], several)

/** Follows the adjective and a slash in the keys of l10n/bundle.l10n.fr.json. */
export const several = "of several"

/** Capitalises the first letter of an API word at the start of a row, column or choice: "Critical". */
export const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase(language) + text.slice(1)

export const currentLanguage = (): string => language

/** Groups digits. Not for IDs, which `t` formats without grouping. */
export const number = (n: number): string => rules().digits.format(n)

/** `count(n, "{0} event", "{0} events")`, by the plural rules of the editor's language. */
export const count = (n: number, one: string, many: string, ...args: ReadonlyArray<Argument>): string =>
  t(rules().plural.select(n) === "one" ? one : many, number(n), ...args)

/** The rules and the format are kept, because making them costs as much as using them a thousand times. */
let made: { readonly plural: Intl.PluralRules; readonly digits: Intl.NumberFormat } | undefined

const rules = () => (made ??= { plural: new Intl.PluralRules(language), digits: new Intl.NumberFormat(language) })

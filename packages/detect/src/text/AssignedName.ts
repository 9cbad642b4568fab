/** Finds the name that a value is assigned to: a key, variable, attribute, element or header. */

/** `before` is the text before the value on its line. Undefined if it does not end in a name. */
export const assignedName = (before: string): string | undefined => {
  const [, assigned, element] = name.exec(before.slice(-maxSearched)) ?? []
  return assigned ?? element
}

/** Maximum number of characters that are searched. */
const maxSearched = 200

const name =
  /(?<![\w.$/@-])([A-Za-z_][\w.-]{0,99})\\?["'`]?\]?[ \t]*(?::[ \t]*[A-Za-z][\w<>[\]|]{0,30}[ \t]*)?(?:=>|[:?]?=|:)[ \t]*[A-Za-z]{0,2}\\?["'`]?(?:(?:Bearer|Basic|Token)[ \t]+)?$|<([A-Za-z_][\w.-]{0,99})>[ \t]*$/i

/** The words of a name in lower case: `db` and `password` for `dbPassword`. */
export const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/[a-z\d](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g, "$& ")
    .toLowerCase()
    .match(/[\p{Ll}\p{Lo}\p{Lm}\d]+/gu) ?? []

/** Whether the name says that its value is a placeholder: `DUMMY_SECRET`, `exampleKey`. */
export const isStandIn = (name: string): boolean => wordsOf(name).some((word) => standIns.has(word))

export const standIns: ReadonlySet<string> = new Set([
  "placeholder",
  "dummy",
  "fake",
  "mock",
  "mocked",
  "example",
  "sample"
])

/** The name that a value is given where it stands: a key, a variable, an attribute, an element, a header. */

/** `before` is the text before the value on its line; undefined if it does not end in a name. */
export const assignedName = (before: string): string | undefined => {
  const [, assigned, element] = name.exec(before.slice(-longest)) ?? []
  return assigned ?? element
}

/** Characters that are looked at. */
const longest = 200

const name =
  /(?<![\w.$/-])([A-Za-z_][\w.-]{0,99})\\?["'`]?\]?[ \t]*(?::[ \t]*[A-Za-z][\w<>[\]|]{0,30}[ \t]*)?(?:=>|[:?]?=|:)[ \t]*[A-Za-z]{0,2}\\?["'`]?(?:(?:Bearer|Basic|Token)[ \t]+)?$|<([A-Za-z_][\w.-]{0,99})>[ \t]*$/i

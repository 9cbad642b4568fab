/** Masks an account name, so that it can be shown: `a…@example.com`. */
export const maskedAccount = (name: string): string => {
  const at = name.lastIndexOf("@")
  const [first = ""] = name
  return at > 0 ? `${first}…${name.slice(at)}` : `${first}…`
}

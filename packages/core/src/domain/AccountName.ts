/** The name of an account as far as everybody may see it: `a…@example.com`. */
export const maskedAccount = (name: string): string => {
  const at = name.lastIndexOf("@")
  const [first = ""] = name
  return at > 0 ? `${first}…${name.slice(at)}` : `${first}…`
}

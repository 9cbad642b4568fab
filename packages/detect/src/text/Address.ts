/**
 * Recognizes host names, e-mail addresses and IP addresses without Node modules, because the web extension also runs
 * this.
 */

/** Also accepts internationalized names in Unicode, and one trailing dot. */
export const isHostName = (text: string): boolean => {
  const name = text.trim().replace(/\.$/, "")
  // Compiled only when it is needed: V8 takes a millisecond for it, and few programs use it.
  return (
    name.length <= maxHostNameLength &&
    /^(?:[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_-]{0,61}[\p{L}\p{M}\p{N}_])?\.)+\p{L}[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]$/u.test(
      name
    )
  )
}

/** Whether the part after the last `@` is a host name. */
export const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@")
  return at > 0 && isHostName(text.slice(at + 1))
}

/** `git@example.com` is the user of everybody's repositories over SSH: the path of one follows, not a password. */
export const isGitUser = (account: string): boolean => account.startsWith("git@")

export const isIpAddress = (text: string): boolean =>
  ipv4.test(text) || (text.includes(":") && URL.canParse(`http://[${text}]/`))

const maxHostNameLength = 253
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

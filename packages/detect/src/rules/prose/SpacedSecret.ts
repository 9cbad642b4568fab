/** Finds the end of secrets with spaces: app passwords, recovery codes in groups, passphrases. */
import { isPassphrase } from "../../scoring/Placeholder.ts"

/**
 * The end offset of a secret whose first word a rule has found at `start`; returns `start` if the secret has no spaces.
 */
export const endOfSpacedSecret = (text: string, start: number): number => {
  const line = text.slice(start, start + maxLength).split(/[\r\n"'`<>]/, 1)[0] ?? ""
  const phrase = line.split(/[.,;)\]]/, 1)[0]?.trimEnd() ?? ""
  if (isPassphrase(phrase)) return start + phrase.length
  const first = /^(?:[A-Za-z\d]{3,8}|[A-Za-z\d]{3,8}-[A-Za-z\d]{3,8})(?=,? )/.exec(line)?.[0]
  if (first === undefined) return start
  const shape = first.replace(/[A-Za-z\d]/g, String.raw`[A-Za-z\d]`)
  const groups = new RegExp(`^${shape}(?:,? ${shape}){1,31}(?![\\w-])`).exec(line)?.[0] ?? ""
  const all = groups.split(/,? /)
  // A sentence may begin with two or three words of equal length.
  return all.length >= 4 || all.every((group) => /\d/.test(group)) ? start + groups.length : start
}

const maxLength = 400

/** Secrets with blanks: app passwords and recovery codes in groups, passphrases. */
import { isPassphrase } from "../../scoring/Placeholder.ts"

/** Where a secret ends that begins at an offset and whose first word a rule has found; the offset itself if it has no blanks. */
export const endOfSpacedSecret = (text: string, start: number): number => {
  const line = text.slice(start, start + maxLength).split(/[\r\n"'`<>]/, 1)[0] ?? ""
  const phrase = line.split(/[.,;)\]]/, 1)[0]?.trimEnd() ?? ""
  if (isPassphrase(phrase)) return start + phrase.length
  const first = /^(?:[A-Za-z\d]{3,8}|[A-Za-z\d]{3,8}-[A-Za-z\d]{3,8})(?=,? )/.exec(line)?.[0]
  if (first === undefined) return start
  const shape = first.replace(/[A-Za-z\d]/g, String.raw`[A-Za-z\d]`)
  const groups = new RegExp(`^${shape}(?:,? ${shape}){1,31}(?![\\w-])`).exec(line)?.[0] ?? ""
  const all = groups.split(/,? /)
  // Two or three words of one length may begin a sentence.
  return all.length >= 4 || all.every((group) => /\d/.test(group)) ? start + groups.length : start
}

const maxLength = 400

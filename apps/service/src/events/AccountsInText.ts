/** Finds the accounts that a text names, and the secret that follows each: a stealer log has both on lines of their own. */
import type { SecretInText } from "@threat-exposure/detect/SecretsInText"

export interface AccountInText {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Accounts behind a label, such as `Login: jane`. */
export const labelledAccounts = (text: string): ReadonlyArray<AccountInText> =>
  // Most texts have no such sign.
  signs.test(text)
    ? Array.from(text.matchAll(labelled), ({ 0: { length }, 1: name = "", index }) => ({
        name,
        start: index + length - name.length,
        end: index + length
      }))
    : []

const signs = /[:=：]|- /

const labelled =
  /(?<![\p{L}\p{N}])(?:user(?:[ _-]?name)?|usr|log[io]n|e-?mail|mail|account|nick(?:name)?|handle|author|seller|telegram|skype|jabber|discord|benutzer(?:name)?|kennung|identifiant|utilisateur|usuario|utente|логин|пользователь|почта|账号|用户名)["'`*]{0,3}[ \t]*(?:[:=：]|-(?= ))[ \t]*["'`*]{0,3}([^\s"'`,;|<>&]{2,100})/giu

/**
 * The secrets at the first place behind each account, with the account's name: certain ones before possible ones, and
 * none that is more than 100 characters away.
 */
export const secretsOfAccounts = (
  accounts: ReadonlyArray<AccountInText>,
  secrets: ReadonlyArray<SecretInText>
): ReadonlyArray<{ readonly name: string; readonly secret: SecretInText }> => {
  if (accounts.length === 0) return []
  const byStart = secrets.toSorted((a, b) => a.start - b.start)
  const certain = byStart.filter(({ hidden }) => hidden)
  return accounts.flatMap(({ end, name }) => {
    const place = [certain, byStart]
      .map((sorted) => sorted[firstAt(sorted, end)])
      .find((secret) => secret !== undefined && secret.start <= end + maxDistance)
    if (place === undefined) return []
    const first = firstAt(byStart, place.start)
    const last = Math.min(first + maxForms, firstAt(byStart, place.end))
    return byStart.slice(first, last).map((secret) => ({ name, secret }))
  })
}

const maxDistance = 100

/** Maximum number of secrets that overlap at one place, such as the forms of one password. */
const maxForms = 16

/** The index of the first secret that starts at or behind a place. */
const firstAt = (sorted: ReadonlyArray<SecretInText>, place: number): number => {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((sorted[middle]?.start ?? 0) < place) from = middle + 1
    else to = middle
  }
  return from
}

/** Advice about a leak, in steps. Contains no text from outside. */
import type { Leak } from "../Report.ts"
import { providerAdvice, providerOf, providerOfRule } from "./Providers.ts"

export const stepsFor = (leak: Pick<Leak, "subject">): ReadonlyArray<string> =>
  adviceFor(leak).map((step) => step.join(" "))

/** The same steps as lists of sentences, which are translated one by one; `sentences` returns all of them. */
export const adviceFor = ({ subject }: Pick<Leak, "subject">): ReadonlyArray<ReadonlyArray<string>> =>
  subject.type === "domain"
    ? [[accounts], ...(subject.searchedBy === "login" ? [] : [[machines]])]
    : [
        [known, providerOf(subject)?.advice ?? rotate[subject.kind] ?? rotateAny],
        [logs],
        ...(subject.names.length > 0 ? [[store]] : []),
        ...(subject.locations.length > 0 ? [[takeOut]] : [])
      ]

/** How to replace a secret that this rule finds. */
export const replacementFor = (rule: string): string => providerOfRule(rule)?.advice ?? rotate[rule] ?? rotateAny

/** The entry of the ignore file for a resolved leak. */
export const ignoreEntry = (fingerprint: string): string =>
  [
    "ignore:",
    `  - fingerprint: ${fingerprint}`,
    "    reason: resolved on YYYY-MM-DD, see …",
    "    expires: YYYY-MM-DD  # a year ahead at most"
  ].join("\n")

const accounts = "Reset the passwords of the accounts that leaked and end their sessions; require a second factor."
const machines = "If an event is a stealer log or an infected device, clean the device before its owner signs in again."
const known = "Treat it as compromised."
const logs =
  "In the logs of the systems that the secret gives access to, look for activity that is not yours, from the date on which it was first seen."
const store = "Store the new value under the same name in the secrets of the repository or organisation."
const takeOut =
  "Remove it from the code and read it from the environment or a secret store. The git history still contains it, so replace it in any case."

const rotateAny = "Create a new secret where this one was issued, start using the new one, then revoke this one."

const rotate: Readonly<Partial<Record<string, string>>> = {
  password: "Change the password wherever it is used, and do not use it again.",
  "basic-auth": "Change the password of the account in the URL.",
  "connection-string":
    "Change the password of the database user in the connection string, then restart the programs that use it.",
  "private-key":
    "Create a new key pair, install its public key wherever the old one is trusted (authorized keys, certificates, deploy keys), and remove or revoke the old one there.",
  jwt: "End the session that the token belongs to. If the token does not expire soon, replace the key that signs these tokens."
}

export const sentences = (): ReadonlyArray<string> => [
  accounts,
  machines,
  known,
  logs,
  store,
  takeOut,
  rotateAny,
  ...Object.values(rotate).filter((sentence) => sentence !== undefined),
  ...providerAdvice
]

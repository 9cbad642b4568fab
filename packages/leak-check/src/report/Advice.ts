/** What to do about a leak, one step a sentence; no part of them comes from outside. */
import type { Leak } from "../Report.ts"
import { providerOf } from "./Providers.ts"

export const stepsFor = ({ subject }: Pick<Leak, "subject">): ReadonlyArray<string> => {
  if (subject.type === "domain") {
    return [
      "Reset the passwords of the accounts named below and end their sessions; require a second factor.",
      "Where an event is a stealer log or an infected device, clean the machine before its owner signs in again."
    ]
  }
  return [
    `Treat it as known to attackers. ${providerOf(subject)?.rotate ?? rotate[subject.kind] ?? rotateAny}`,
    "Look through the logs of what it opens for uses that are not yours, back to the first date it was seen.",
    ...(subject.names.length > 0
      ? ["Store the new value under the same name in the secrets of the repository or organisation."]
      : []),
    ...(subject.locations.length > 0
      ? [
          "Take it out of the code and read it from the environment or a secret store; it stays in git's history, so only a new value helps."
        ]
      : [])
  ]
}

/** How to say that a leak is dealt with. */
export const ignoreEntry = (fingerprint: string): string =>
  [
    "ignore:",
    `  - fingerprint: ${fingerprint}`,
    "    reason: rotated on YYYY-MM-DD, see …",
    "    expires: YYYY-MM-DD  # a year ahead at most"
  ].join("\n")

const rotateAny = "Issue a new one where it was issued, put it to use, then revoke this one."

const rotate: Partial<Record<string, string>> = {
  password: "Change the password wherever it is used, and do not use it again.",
  "basic-auth": "Change the password of the account that the URL names.",
  "connection-string": "Change the password of the database user that it names, then restart what connects with it.",
  "private-key":
    "Make a new key pair, put its public key where the old one is trusted (authorized keys, certificates, deploy keys), and remove or revoke the old one there.",
  jwt: "End the session it stands for; where it does not expire soon, change the key that signs such tokens."
}

/** What to do about a leak, one step a sentence; no part of them comes from outside. */
import type { Leak } from "../Report.ts"

export const stepsFor = ({ subject }: Leak): ReadonlyArray<string> => {
  if (subject.type === "domain") {
    return [
      "Reset the passwords of the accounts named below and end their sessions; require a second factor.",
      "Where an event is a stealer log or an infected device, clean the machine before its owner signs in again."
    ]
  }
  const rules = subject.locations.map(({ rule }) => rule).join(" ")
  const provider = providers.find(({ rule }) => rule.test(rules))
  return [
    `Treat it as known to attackers. ${provider?.rotate ?? rotate[subject.kind] ?? rotateAny}`,
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

const providers: ReadonlyArray<{ readonly rule: RegExp; readonly rotate: string }> = [
  {
    rule: /\baws\b/i,
    rotate: "In AWS IAM, make a new access key for the user, put it to use, then deactivate and delete this one."
  },
  {
    rule: /\b(?:gcp|google)\b/i,
    rotate:
      "In Google Cloud, under APIs and Services or the service account, make a new key, put it to use, then delete this one."
  },
  {
    rule: /\bazure\b/i,
    rotate: "In the Azure portal, add a new secret or regenerate the key, put it to use, then remove this one."
  },
  {
    rule: /\bgithub\b/i,
    rotate:
      "On GitHub, under Settings, Developer settings, make a new token with no more rights than it needs, then delete this one."
  },
  { rule: /\bgitlab\b/i, rotate: "On GitLab, under Access tokens, rotate the token." },
  {
    rule: /\bnpm\b/i,
    rotate:
      "On npm, under Access Tokens, make a new granular token, then delete this one; check what was published with it."
  },
  {
    rule: /\bpypi\b/i,
    rotate: "On PyPI, under API tokens, make a new token, then remove this one; check what was published with it."
  },
  {
    rule: /\bslack\b/i,
    rotate: "In the settings of the Slack app, rotate the token or regenerate the webhook, then reinstall the app."
  },
  { rule: /\bstripe\b/i, rotate: "In the Stripe dashboard, under Developers, API keys, roll the key." },
  { rule: /\bsendgrid\b/i, rotate: "In SendGrid, under Settings, API Keys, make a new key, then delete this one." },
  { rule: /\btwilio\b/i, rotate: "In the Twilio console, make a new API key or promote the secondary auth token." },
  {
    rule: /\bshopify\b/i,
    rotate: "In the Shopify admin, uninstall and reinstall the custom app, or rotate its credentials."
  },
  {
    rule: /\b(?:openai|anthropic)\b/i,
    rotate: "In the provider's console, under API keys, make a new key, then delete this one; check the usage."
  },
  {
    rule: /\bdocker\b/i,
    rotate: "On Docker Hub, under Personal access tokens, make a new token, then delete this one."
  }
]

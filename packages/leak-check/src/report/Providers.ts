/** Finds the provider of a token, by the rule that found it, and how to replace such a token. */
import { providerFormats } from "@threat-exposure/detect/rules/providers/ProviderFormats"
import type { ValueSubject } from "../Report.ts"

export interface Provider {
  /** For example "AWS access key ID". */
  readonly name: string
  /** How to replace the token, in one sentence. Undefined if there is no better advice than for any secret. */
  readonly advice: string | undefined
}

/** The provider of the first location whose rule names a provider, such as `provider/gitlab` or `gitleaks/github-pat`. */
export const providerOf = ({ locations }: ValueSubject): Provider | undefined => {
  for (const { rule } of locations) {
    const provider = providerOfRule(rule)
    if (provider !== undefined) return provider
  }
  return undefined
}

/** Looks up the longest known prefix of the id, in whole words, because other scanners append words. */
export const providerOfRule = (rule: string): Provider | undefined => {
  const words = rule.slice(rule.indexOf("/") + 1).split("-")
  for (let length = words.length; length > 0; length--) {
    const name = names.get(words.slice(0, length).join("-"))
    if (name !== undefined) return { name, advice: advice.find(([names]) => names.test(name))?.[1] }
  }
  return undefined
}

/** Names for rule ids of other scanners, from a repository's own `.gitleaks.toml`. */
const otherNames = {
  "1password": "1Password token",
  alibaba: "Alibaba Cloud access key",
  aws: "AWS access key",
  azure: "Azure secret",
  bitbucket: "Bitbucket app password",
  discord: "Discord token",
  gcp: "Google Cloud key",
  google: "Google credential",
  "hashicorp-vault": "HashiCorp Vault token",
  "mongodb-atlas": "MongoDB Atlas secret",
  twitter: "Twitter bearer token"
}

const names: ReadonlyMap<string, string> = new Map([
  ...Object.entries(otherNames),
  ...providerFormats.map(({ id, name }) => [id, name] as const)
])

/** How to replace a token of a provider whose name matches. */
const advice: ReadonlyArray<readonly [names: RegExp, sentence: string]> = [
  [/^AWS /, "In AWS IAM, create a new access key for the user, start using it, then deactivate and delete this one."],
  [/^Azure /, "In the Azure portal, add a new secret or regenerate the key, start using it, then remove this one."],
  [/^Docker /, "On Docker Hub, under Personal access tokens, create a new token, then delete this one."],
  [
    /^GitHub /,
    "On GitHub, under Settings, Developer settings, create a new token with no more rights than it needs, then delete this one."
  ],
  [/^GitLab /, "On GitLab, under Access tokens, rotate the token."],
  [
    /^(?:Google|Gemini) /,
    "In Google Cloud, under APIs and Services or the service account, create a new key, start using it, then delete this one."
  ],
  [
    /^(?:Anthropic|Cerebras|Cursor|DeepSeek|E2B|ElevenLabs|Firecrawl|Fireworks|Groq|Jina|MiniMax|NVIDIA|OpenAI|OpenRouter|Perplexity|Replicate|Runway|Tavily|Together|Voyage|xAI|Zhipu) /,
    "In the provider's console, under API keys, create a new key, then delete this one; check the usage."
  ],
  [/^NATS /, "In NATS, create a new nkey, start using it, then revoke the one of this seed."],
  [
    /^npm /,
    "On npm, under Access Tokens, create a new granular token, then delete this one; check what was published with it."
  ],
  [/^PyPI /, "On PyPI, under API tokens, create a new token, then remove this one; check what was published with it."],
  [/^SendGrid /, "In SendGrid, under Settings, API Keys, create a new key, then delete this one."],
  [/^Shopify /, "In the Shopify admin, uninstall and reinstall the custom app, or rotate its credentials."],
  [/^Slack /, "In the settings of the Slack app, rotate the token or regenerate the webhook, then reinstall the app."],
  [/^Stripe /, "In the Stripe dashboard, under Developers, API keys, roll the key."],
  [/^Twilio /, "In the Twilio console, create a new API key or promote the secondary auth token."]
]

/** All sentences of advice. */
export const providerAdvice: ReadonlyArray<string> = advice.map(([, sentence]) => sentence)

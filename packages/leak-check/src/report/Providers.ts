/** Finds the provider of a token, by the rule that found it. */
import {
  otherProviders,
  type ProviderFormat,
  providerFormats
} from "@threat-exposure/detect/rules/providers/ProviderFormats"
import type { ValueSubject } from "../Report.ts"

/** `name` is for example "AWS access key ID"; `advice` says how to replace the token, and may be undefined. */
export type Provider = Pick<ProviderFormat, "name" | "advice">

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
    const provider = providers.get(words.slice(0, length).join("-"))
    if (provider !== undefined) return provider
  }
  return undefined
}

const providers = new Map<string, Provider>([...otherProviders, ...providerFormats].map((each) => [each.id, each]))

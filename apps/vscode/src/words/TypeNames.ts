/** Names of the API's types of events, identifiers and queries. */
import { t } from "./Localisation.ts"

/** Replaces underscores: `stealer_log` becomes "stealer log". */
export const nameOfType = (type: string): string => properNames.get(type)?.() ?? t(type.replaceAll("_", " "))

/** Types that the API abbreviates, or whose names have a special spelling. */
const properNames: ReadonlyMap<string, () => string> = new Map([
  ["auth_domain", () => t("login domain")],
  ["azure_tenant", () => t("Azure tenant")],
  ["bin", () => t("card number prefix (BIN)")],
  ["cc", () => t("credit card")],
  ["ccbin", () => t("card number prefix (BIN)")],
  ["docker", () => t("Docker")],
  ["docker_image", () => t("Docker image")],
  ["docker_repository", () => t("Docker repository")],
  ["email", () => t("e-mail address")],
  ["external_id", () => t("external ID")],
  ["github_repository", () => t("GitHub repository")],
  ["google", () => t("Google")],
  ["ip", () => t("IP address")],
  ["jwt", () => t("JWT")],
  ["lookalike", () => t("lookalike domain")],
  ["pii", () => t("personal data")],
  ["ransomleak", () => t("ransom leak")],
  ["stack_exchange", () => t("Stack Exchange")],
  ["whois", () => t("WHOIS")]
])

/** The flags of a search for credentials. See docs/api.md#search-credentials. */
import { CredentialInclude, type CredentialSearch } from "@threat-exposure/core/domain/Credential"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Flag from "effect/cli/Flag"
import { domainGiven, optionalText, valueFlag } from "./Flags.ts"
import { UsageInvalid } from "./UsageInvalid.ts"
import { secretEnvFlag, secretStdinFlag } from "./Secrets.ts"
import { sinceFlag, timeRangeOf, untilFlag } from "./TimeFlags.ts"

export const order = Flag.Literals("order", ["asc", "desc"]).pipe(
  Flag.withMetavar("CHOICE"),
  Flag.withDefault("desc"),
  Flag.withDescription("By time: desc (newest first, the default) or asc")
)

export const credentialFlags = {
  domain: optionalText("domain", "DOMAIN", "Accounts whose e-mail address is in this domain"),
  loginDomain: optionalText("login-domain", "DOMAIN", "Accounts that were used to log in to this domain"),
  email: valueFlag("email", "ADDRESS", "Accounts of exactly this e-mail address"),
  user: optionalText("user", "NAME", "Accounts whose user name, the part before the @, matches"),
  secretEnv: secretEnvFlag,
  secretStdin: secretStdinFlag,
  since: sinceFlag("Imported"),
  until: untilFlag("Imported"),
  include: Flag.Literals("include", CredentialInclude.literals).pipe(
    Flag.withMetavar("CHOICE"),
    Flag.atLeast(0),
    Flag.withDescription("Fields that the service adds on request; may be repeated")
  ),
  order
}

/** Flags of the members of a search, for refusals. */
export const credentialInputs = {
  email: "--email",
  keyword: "--user",
  secret: "--secret-env or --secret-stdin",
  gte: "--since",
  lte: "--until",
  include: "--include"
}

export interface CredentialFlagValues {
  readonly domain: Option.Option<string>
  readonly loginDomain: Option.Option<string>
  readonly email: Option.Option<string>
  readonly user: Option.Option<string>
  readonly secretEnv: Option.Option<string>
  readonly secretStdin: boolean
  readonly since: Option.Option<string>
  readonly until: Option.Option<string>
  readonly include: ReadonlyArray<CredentialInclude>
  readonly order: "asc" | "desc"
}

/** `secret` is the value from `--secret-env` or `--secret-stdin`. */
export const credentialSearchOf = Effect.fnUntraced(function* (
  flags: CredentialFlagValues,
  secret: Redacted.Redacted | undefined
) {
  const domain = yield* domainGiven("domain", flags.domain)
  const loginDomain = yield* domainGiven("login-domain", flags.loginDomain)
  const queries = credentialQueries({ ...flags, domain, loginDomain }, secret)
  const query = queries[0]
  if (query === undefined || queries.length > 1) {
    return yield* new UsageInvalid({
      message: "Give one of --domain, --login-domain, --email, --user, --secret-env and --secret-stdin"
    })
  }
  const imported_at = yield* timeRangeOf(flags)
  return {
    query,
    order: flags.order,
    ...(imported_at === undefined ? {} : { filters: { imported_at } }),
    ...(flags.include.length === 0 ? {} : { include: flags.include })
  } satisfies CredentialSearch
})

const credentialQueries = (
  { domain, email, loginDomain, user }: CredentialFlagValues,
  secret: Redacted.Redacted | undefined
): ReadonlyArray<CredentialSearch["query"]> => [
  ...Option.toArray(Option.map(domain, (fqdn) => ({ type: "domain", fqdn }) as const)),
  ...Option.toArray(Option.map(loginDomain, (fqdn) => ({ type: "auth_domain", fqdn }) as const)),
  ...Option.toArray(Option.map(email, (email) => ({ type: "email", email }) as const)),
  ...Option.toArray(Option.map(user, (keyword) => ({ type: "keyword", keyword }) as const)),
  ...(secret === undefined ? [] : [{ type: "secret", secret } as const])
]

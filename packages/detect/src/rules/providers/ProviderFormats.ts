/**
 * Every token format of a provider, in one table: what finds it, what reports call it and where it is replaced.
 *
 * To add a format, add a row here, and its literal form in test/rules/providers/forms.ts.
 */
import type { CandidateKind } from "../../Candidate.ts"

export interface ProviderFormat {
  /** The rule of its findings is `provider/ID`. Ids are stable: reports carry them. */
  readonly id: string
  /** As reports show it, for example "GitHub token". */
  readonly name: string
  /** How to replace such a token, as one sentence. Absent where nothing more specific is known than for any secret. */
  readonly advice?: string
  /** Lower-case strings, one of which every match contains; the pattern is only tried near them. */
  readonly keywords: readonly [string, ...ReadonlyArray<string>]
  /** The token is the first group, or the whole match without a group. Sticky, or global with `around`. */
  readonly pattern: RegExp
  /** The keyword is inside or before the token: search the whole line. Without it, the token starts at the keyword. */
  readonly around?: true
  /** Other values have the same form. */
  readonly form?: "provider-token" | "loose-format" | "key-id" | "private-key"
  readonly kind?: CandidateKind
}

const advice = {
  aws: "In AWS IAM, create a new access key for the user, start using it, then deactivate and delete this one.",
  azure: "In the Azure portal, add a new secret or regenerate the key, start using it, then remove this one.",
  docker: "On Docker Hub, under Personal access tokens, create a new token, then delete this one.",
  github:
    "On GitHub, under Settings, Developer settings, create a new token with no more rights than it needs, then delete this one.",
  gitlab: "On GitLab, under Access tokens, rotate the token.",
  google:
    "In Google Cloud, under APIs and Services or the service account, create a new key, start using it, then delete this one.",
  modelApi: "In the provider's console, under API keys, create a new key, then delete this one; check the usage.",
  npm: "On npm, under Access Tokens, create a new granular token, then delete this one; check what was published with it.",
  pypi: "On PyPI, under API tokens, create a new token, then remove this one; check what was published with it.",
  sendgrid: "In SendGrid, under Settings, API Keys, create a new key, then delete this one.",
  shopify: "In the Shopify admin, uninstall and reinstall the custom app, or rotate its credentials.",
  slack: "In the settings of the Slack app, rotate the token or regenerate the webhook, then reinstall the app.",
  stripe: "In the Stripe dashboard, under Developers, API keys, roll the key.",
  twilio: "In the Twilio console, create a new API key or promote the secondary auth token."
} as const

export const providerFormats: ReadonlyArray<ProviderFormat> = [
  {
    id: "1password-secret-key",
    name: "1Password secret key",
    keywords: ["a3-"],
    pattern: /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b/y
  },
  {
    id: "1password-service-account",
    name: "1Password service account token",
    keywords: ["ops_ey"],
    pattern: /ops_eyJ[\w+/-]{200,}={0,3}/y
  },
  { id: "adafruit", name: "Adafruit IO key", keywords: ["aio_"], pattern: /aio_[A-Za-z0-9]{28}\b/y },
  { id: "adobe", name: "Adobe client secret", keywords: ["p8e-", "p8e_"], pattern: /p8[eE][-_][A-Za-z0-9]{32}\b/y },
  {
    id: "age",
    name: "age secret key",
    keywords: ["age-secret-key-1"],
    pattern: /AGE-SECRET-KEY-1[0-9A-Z]{58}\b/y,
    form: "private-key"
  },
  {
    id: "aikido",
    name: "Aikido token",
    keywords: ["aik_secret_", "aik_ci_"],
    pattern: /AIK_(?:SECRET_[A-Za-z0-9_-]{40,100}|CI_[A-Za-z0-9_-]{20,100})(?![\w-])/y
  },
  { id: "airtable", name: "Airtable token", keywords: ["pat"], pattern: /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/y },
  { id: "akamai", name: "Akamai token", keywords: ["akab-"], pattern: /akab-[a-z0-9]{16}-[a-z0-9]{16}(?![\w-])/y },
  { id: "alchemy", name: "Alchemy API key", keywords: ["alcht_"], pattern: /alcht_[A-Za-z0-9]{30}\b/y },
  {
    id: "alibaba-access-key-id",
    name: "Alibaba Cloud access key ID",
    keywords: ["ltai"],
    pattern: /LTAI[A-Za-z0-9]{17,21}\b/y,
    form: "key-id"
  },
  {
    id: "alibaba-sts",
    name: "Alibaba Cloud STS access key ID",
    keywords: ["sts."],
    pattern: /STS\.[A-Za-z0-9]{20,40}\b/y,
    form: "key-id"
  },
  {
    id: "amazon-marketplace",
    name: "Amazon Marketplace token",
    keywords: ["amzn.mws."],
    pattern: /amzn\.mws\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  {
    id: "anthropic",
    name: "Anthropic API key",
    advice: advice.modelApi,
    keywords: ["sk-ant-"],
    pattern: /sk-ant-(?:admin|oat|sid|api)\d\d-[\w-]{80,120}/y
  },
  { id: "apify", name: "Apify API token", keywords: ["apify_api_"], pattern: /apify_api_[A-Za-z0-9]{34,38}\b/y },
  {
    id: "appsync",
    name: "AWS AppSync API key",
    advice: advice.aws,
    keywords: ["da2-"],
    pattern: /da2-[a-z0-9]{26}\b/y
  },
  {
    id: "artifactory",
    name: "Artifactory token",
    keywords: ["akc", "cmvmdgtuo"],
    pattern: /(?:AKC[A-Za-z0-9]{64,73}|cmVmdGtuO[A-Za-z0-9]{50,70})(?![\w+/=])/y
  },
  {
    id: "artifactory-reference",
    name: "Artifactory reference token",
    keywords: ["cmvmd"],
    pattern: /cmVmd[A-Za-z0-9]{59}\b/y
  },
  { id: "asaas", name: "Asaas API key", keywords: ["$aact_prod_"], pattern: /\$aact_prod_[\w:$=+/-]{20,300}/y },
  {
    id: "asana",
    name: "Asana token",
    keywords: ["asana"],
    pattern: /asana[\w .,"'=:>-]{0,40}?["'=: ]([01]\/\d{13,20}:[a-f0-9]{32}|\d\/\d{13,20}\/\d{13,20}:[a-f0-9]{32})\b/iy
  },
  {
    id: "astra",
    name: "DataStax Astra token",
    keywords: ["astracs:"],
    pattern: /AstraCS:[A-Za-z]{24}:[a-f0-9]{64}\b/y
  },
  {
    id: "atlassian",
    name: "Atlassian API token",
    keywords: ["atatt3", "atctt3"],
    pattern: /(?:ATATT3|ATCTT3)[\w=-]{100,260}/y
  },
  {
    id: "atlassian-datacenter",
    name: "Atlassian Data Center token",
    keywords: ["bbdc-"],
    pattern: /BBDC-[A-Za-z0-9+/@_-]{40,50}(?![\w+/@-])/y
  },
  {
    id: "authress",
    name: "Authress access key",
    keywords: ["sc_", "ext_", "scauth_", "authress_"],
    pattern:
      /(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}(?![\w+/=-])/y
  },
  {
    id: "aws-access-key-id",
    name: "AWS access key ID",
    advice: advice.aws,
    keywords: ["akia", "asia", "abia", "acca", "a3t"],
    pattern: /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}\b/y,
    form: "key-id"
  },
  {
    id: "aws-bedrock",
    name: "AWS Bedrock API key",
    advice: advice.aws,
    keywords: ["absk"],
    pattern: /ABSK[A-Za-z0-9+/]{109,269}={0,2}/y
  },
  {
    id: "aws-secret-access-key",
    name: "AWS secret access key",
    advice: advice.aws,
    keywords: ["secret_access_key", "secretaccesskey", "secret_accesskey", "secretaccess_key"],
    pattern: /secret_?access_?key["']?[ \t]*(?:=>?|:|,)[ \t]*["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    around: true
  },
  {
    id: "axiom",
    name: "Axiom token",
    keywords: ["xaat-", "xapt-"],
    pattern: /xa[ap]t-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  {
    id: "azure-client-secret",
    name: "Azure client secret",
    advice: advice.azure,
    keywords: ["q~"],
    pattern: /(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g,
    around: true
  },
  {
    id: "azure-container-registry",
    name: "Azure Container Registry password",
    advice: advice.azure,
    keywords: ["+acr"],
    pattern: /(?<![\w+/])([A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5})(?![\w+/])/g,
    around: true
  },
  {
    id: "azure-devops",
    name: "Azure DevOps token",
    advice: advice.azure,
    keywords: ["azdo"],
    pattern: /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g,
    around: true
  },
  {
    id: "azure-function",
    name: "Azure Functions key",
    advice: advice.azure,
    keywords: ["code="],
    pattern: /code=([\w-]{52,54}(?:==|%3D%3D))/y
  },
  {
    id: "azure-sas",
    name: "Azure shared access signature",
    advice: advice.azure,
    keywords: ["sig="],
    pattern: /sig=([A-Za-z0-9%+/]{43,63}(?:%3D|=))/y
  },
  {
    id: "azure-search",
    name: "Azure AI Search key",
    advice: advice.azure,
    keywords: ["azse"],
    pattern: /\b([A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5})\b/g,
    around: true
  },
  {
    id: "azure-storage",
    name: "Azure storage key",
    advice: advice.azure,
    keywords: ["accountkey", "sharedaccesskey"],
    pattern: /(?:AccountKey|SharedAccessKey)\s*=\s*([A-Za-z0-9+/]{42,86}={1,2})/iy
  },
  {
    id: "beamer",
    name: "Beamer API key",
    keywords: ["b_"],
    pattern: /b_[A-Za-z0-9=_-]{44}(?![\w=-])/y,
    form: "loose-format"
  },
  {
    id: "bedrock",
    name: "AWS Bedrock API key",
    advice: advice.aws,
    keywords: ["bedrock-api-key-"],
    pattern: /bedrock-api-key-[\w+/=]{32,1000}/y
  },
  {
    id: "bitbucket-app-password",
    name: "Bitbucket app password",
    keywords: ["atbb"],
    pattern: /ATBB[A-Za-z0-9]{20,40}\b/y
  },
  {
    id: "blockfrost",
    name: "Blockfrost project token",
    keywords: ["mainnet", "preprod"],
    pattern: /(?:mainnet|preprod)[A-Za-z0-9]{32}\b/y
  },
  {
    id: "braintree",
    name: "Braintree access token",
    keywords: ["access_token$"],
    pattern: /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b/y
  },
  {
    id: "branch",
    name: "Branch key",
    keywords: ["key_live_"],
    pattern: /key_live_[A-Za-z0-9]{32}\b/y,
    form: "loose-format"
  },
  {
    id: "brave-search",
    name: "Brave Search API key",
    keywords: ["bsa"],
    pattern: /BSA[\w-]{24,40}(?![\w-])/y,
    form: "loose-format"
  },
  {
    id: "buildkite",
    name: "Buildkite token",
    keywords: ["bkua_", "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_"],
    pattern: /bk(?:ua_[a-z0-9]{40,53}\b|(?:aa|aj|ar|ct|pt|pat|ps)_[A-Za-z0-9_-]{40,340}(?![\w-]))/y
  },
  { id: "calcom", name: "Cal.com API key", keywords: ["cal_live_"], pattern: /cal_live_[a-f0-9]{32}\b/y },
  { id: "canva", name: "Canva client secret", keywords: ["cnvca"], pattern: /cnvca[\w-]{51}(?![\w-])/y },
  {
    id: "cerebras",
    name: "Cerebras API key",
    advice: advice.modelApi,
    keywords: ["csk-"],
    pattern: /csk-[a-z0-9]{48}\b/y
  },
  {
    id: "circleci",
    name: "CircleCI token",
    keywords: ["ccipat_", "cciprj_"],
    pattern: /CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b/iy
  },
  {
    id: "clickhouse",
    name: "ClickHouse Cloud API secret",
    keywords: ["4b1d"],
    pattern: /4b1d[A-Za-z0-9]{38}\b/y,
    form: "loose-format"
  },
  {
    id: "clickup",
    name: "ClickUp token",
    keywords: ["pk_"],
    pattern: /pk_\d{6,9}_[A-Z0-9]{32}\b/y
  },
  { id: "clojars", name: "Clojars token", keywords: ["clojars_"], pattern: /CLOJARS_[a-z0-9]{60}\b/iy },
  {
    id: "cloudflare",
    name: "Cloudflare API token",
    keywords: ["cfk_", "cfut_", "cfat_"],
    pattern: /cf(?:k|ut|at)_[A-Za-z0-9]{48}(?![\w-])/y
  },
  {
    id: "cloudflare-origin-ca",
    name: "Cloudflare origin CA key",
    keywords: ["v1.0-"],
    pattern: /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b/y
  },
  {
    id: "cloudinary",
    name: "Cloudinary API secret",
    keywords: ["cloudinary://"],
    pattern: /cloudinary:\/\/\d{10,20}:([\w-]{20,40})@/y
  },
  { id: "cloudsmith", name: "Cloudsmith API key", keywords: ["csa_"], pattern: /csa_[A-Za-z0-9]{36}\b/y },
  {
    id: "cockroach",
    name: "CockroachDB Cloud API key",
    keywords: ["ccdb1_"],
    pattern: /CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}\b/y
  },
  { id: "coderabbit", name: "CodeRabbit API key", keywords: ["cr-"], pattern: /cr-[a-f0-9]{58}\b/y },
  {
    id: "configcat",
    name: "ConfigCat SDK key",
    keywords: ["configcat-sdk-1/"],
    pattern: /configcat-sdk-1\/[\w-]{22}\/[\w-]{22}(?![\w-])/y
  },
  {
    id: "confluent",
    name: "Confluent Cloud API secret",
    keywords: ["cflt"],
    pattern: /cflt[A-Za-z0-9+/]{60}(?![\w+/])/y
  },
  { id: "contentful", name: "Contentful token", keywords: ["cfpat-"], pattern: /CFPAT-[\w-]{43}\b/y },
  { id: "cratesio", name: "crates.io token", keywords: ["cio"], pattern: /cio[A-Za-z0-9]{32}\b/y },
  {
    id: "cursor",
    name: "Cursor API key",
    advice: advice.modelApi,
    keywords: ["key_"],
    pattern: /key_[a-f0-9]{64}\b/y
  },
  {
    id: "databento",
    name: "Databento API key",
    keywords: ["db-"],
    pattern: /db-[A-Za-z0-9]{29}\b/y,
    form: "loose-format"
  },
  { id: "databricks", name: "Databricks token", keywords: ["dapi"], pattern: /dapi[a-f0-9]{32}(?:-\d)?\b/iy },
  { id: "dbt", name: "dbt Cloud token", keywords: ["dbtc_", "dbtu_"], pattern: /dbt[cu]_[\w-]{43}(?![\w-])/y },
  {
    id: "deepseek",
    name: "DeepSeek API key",
    advice: advice.modelApi,
    keywords: ["sk-"],
    pattern: /sk-[a-f0-9]{32}\b/y
  },
  {
    id: "defined-networking",
    name: "Defined Networking API key",
    keywords: ["dnkey-"],
    pattern: /dnkey-[A-Z0-9=_-]{26}-[A-Z0-9=_-]{52}(?![\w=-])/iy
  },
  { id: "deno-deploy", name: "Deno Deploy token", keywords: ["ddp_"], pattern: /ddp_[A-Za-z0-9]{36}\b/y },
  { id: "deno-organization", name: "Deno organization token", keywords: ["ddo_"], pattern: /ddo_[A-Za-z0-9]{36}\b/y },
  {
    id: "dependency-track",
    name: "Dependency-Track API key",
    keywords: ["odt_"],
    pattern: /odt_[A-Za-z0-9]{32,64}\b/y
  },
  {
    id: "devcycle",
    name: "DevCycle server key",
    keywords: ["dvc_server_"],
    pattern: /dvc_server_[A-Za-z0-9_]{30,60}(?!\w)/y
  },
  {
    id: "devin",
    name: "Devin API key",
    keywords: ["cog_", "apk_"],
    pattern: /(?:cog_[a-z2-7]{52}|apk_(?:user_)?[\w+/=-]{60,200})(?![\w+/=-])/y
  },
  {
    id: "digitalocean",
    name: "DigitalOcean token",
    keywords: ["dop_v1_", "doo_v1_", "dor_v1_", "doa_v1_"],
    pattern: /do[opra]_v1_[a-f0-9]{64}\b/y
  },
  {
    id: "discord-bot",
    name: "Discord bot token",
    keywords: ["discord", "bot"],
    pattern: /(?<![\w.-])([MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40})(?![\w.-])/g,
    around: true
  },
  {
    id: "discord-webhook",
    name: "Discord webhook",
    keywords: ["/api/webhooks/"],
    pattern: /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,72}/g,
    around: true
  },
  {
    id: "docker",
    name: "Docker Hub token",
    advice: advice.docker,
    keywords: ["dckr_pat_"],
    pattern: /dckr_pat_[\w-]{27}(?![\w-])/y
  },
  {
    id: "docker-organization",
    name: "Docker organization access token",
    advice: advice.docker,
    keywords: ["dckr_oat_"],
    pattern: /dckr_oat_[\w-]{32}(?![\w-])/y
  },
  {
    id: "docker-swarm",
    name: "Docker Swarm key",
    advice: advice.docker,
    keywords: ["swmkey-1-", "swmtkn-1-"],
    pattern: /SWM(?:KEY-1-[\w+/]{43}|TKN-1-[a-z0-9]{50}-[a-z0-9]{25})(?![\w+/-])/y
  },
  {
    id: "doppler",
    name: "Doppler token",
    keywords: ["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."],
    pattern: /dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}\b/y
  },
  { id: "dropbox", name: "Dropbox token", keywords: ["sl."], pattern: /sl\.(?:u\.)?[\w=-]{130,1200}/y },
  { id: "duffel", name: "Duffel token", keywords: ["duffel_"], pattern: /duffel_(?:test|live)_[\w=-]{43}(?![\w=-])/y },
  {
    id: "dynatrace",
    name: "Dynatrace token",
    keywords: ["dt0"],
    pattern: /dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/iy
  },
  { id: "e2b", name: "E2B API key", advice: advice.modelApi, keywords: ["e2b_"], pattern: /e2b_[a-f0-9]{40}\b/y },
  { id: "easypost", name: "EasyPost API key", keywords: ["ezak", "ezt"], pattern: /EZ[AT]K[A-Za-z0-9]{54}\b/y },
  {
    id: "elastic-cloud",
    name: "Elastic Cloud API key",
    keywords: ["essu_"],
    pattern: /essu_[\w+/-]{40,200}={0,2}(?![\w+/=-])/y
  },
  {
    id: "elevenlabs",
    name: "ElevenLabs API key",
    advice: advice.modelApi,
    keywords: ["sk_"],
    pattern: /sk_[a-f0-9]{48}\b/y
  },
  { id: "endor-labs", name: "Endor Labs API key", keywords: ["endr+"], pattern: /endr\+[A-Za-z0-9-]{16}(?![\w-])/y },
  { id: "exoscale", name: "Exoscale API key", keywords: ["exo"], pattern: /EXO[a-f0-9]{24}\b/y, form: "key-id" },
  {
    id: "facebook",
    name: "Facebook access token",
    keywords: ["eaa"],
    pattern: /EAA[A-Za-z0-9]{3}[A-Za-z0-9]{90,250}\b/y
  },
  {
    id: "facebook-app",
    name: "Facebook app access token",
    keywords: ["0|", "1|", "2|", "3|", "4|", "5|", "6|", "7|", "8|", "9|"],
    pattern: /(?<!\d)\d{13,17}\|[\w-]{27}(?![\w-])/g,
    around: true
  },
  {
    id: "fastly",
    name: "Fastly API token",
    keywords: ["fastly"],
    pattern: /fastly[\w .,"'=:>-]{0,40}?["'=: ]([\w-]{32})(?![\w-])/iy,
    form: "loose-format"
  },
  { id: "figma", name: "Figma token", keywords: ["figd_"], pattern: /figd_[\w-]{40,200}(?![\w-])/y },
  {
    id: "firecrawl",
    name: "Firecrawl API key",
    advice: advice.modelApi,
    keywords: ["fc-"],
    pattern: /fc-[a-f0-9]{32}\b/y
  },
  {
    id: "fireworks",
    name: "Fireworks AI API key",
    advice: advice.modelApi,
    keywords: ["fw_"],
    pattern: /fw_[A-Za-z0-9]{22,24}\b/y,
    form: "loose-format"
  },
  { id: "fleetbase", name: "Fleetbase API key", keywords: ["flb_live_"], pattern: /flb_live_[A-Za-z0-9]{20,40}\b/y },
  {
    id: "flutterwave",
    name: "Flutterwave secret key",
    keywords: ["flwseck"],
    pattern: /FLWSECK(?:_TEST|_LIVE)?-[a-zA-Z0-9]{12,32}(?:-X)?\b/y
  },
  {
    id: "flyio",
    name: "Fly.io token",
    keywords: ["fo1_", "fm1a_", "fm1r_", "fm2_"],
    pattern: /(?:fo1_[\w-]{43}(?![\w-])|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})/y
  },
  {
    id: "flyio-macaroon",
    name: "Fly.io token",
    keywords: ["flyv1"],
    pattern: /FlyV1 (?!f[mo]\d)([\w+/=,-]{80,2000})(?![\w+/=,-])/y
  },
  { id: "frameio", name: "Frame.io token", keywords: ["fio-u-"], pattern: /fio-u-[\w=-]{64}(?![\w=-])/y },
  {
    id: "freemius",
    name: "Freemius secret key",
    keywords: ["sk_"],
    pattern: /sk_[\w$*?!%&@~-]{29}(?=["'])/y,
    form: "loose-format"
  },
  { id: "friendli", name: "Friendli token", keywords: ["flp_"], pattern: /flp_[A-Za-z0-9]{46}\b/y },
  {
    id: "gc-notify",
    name: "GC Notify API key",
    keywords: ["gcntfy-"],
    pattern:
      /gcntfy-[\w-]{1,100}?-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  {
    id: "gemini",
    name: "Gemini API key",
    advice: advice.google,
    keywords: ["aq.ab8rn6"],
    pattern: /AQ\.Ab8RN6[\w-]{44}(?![\w-])/y
  },
  {
    id: "github",
    name: "GitHub token",
    advice: advice.github,
    keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /gh[pousr]_[A-Za-z0-9]{36,255}\b|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b/y
  },
  {
    id: "github-basic-auth",
    name: "GitHub token",
    advice: advice.github,
    keywords: ["x-oauth-basic"],
    pattern: /https?:\/\/([^\s:@/]{20,255}):x-oauth-basic@github\.com/g,
    around: true
  },
  {
    id: "gitlab",
    name: "GitLab token",
    advice: advice.gitlab,
    keywords: [
      "glpat-",
      "gldt-",
      "glrt-",
      "glrtr-",
      "glcbt-",
      "glptt-",
      "glft-",
      "glsoat-",
      "glagent-",
      "glimt-",
      "gloas-",
      "glffct-",
      "glwt-",
      "gr1348941"
    ],
    pattern:
      /(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|imt|oas|ffct|wt)-[\w.-]{20,300}|GR1348941[\w-]{20,30}(?![\w-]))/y
  },
  {
    id: "gitlab-session",
    name: "GitLab session cookie",
    advice: advice.gitlab,
    keywords: ["_gitlab_session="],
    pattern: /_gitlab_session=([a-f0-9]{32})\b/y
  },
  {
    id: "gocardless",
    name: "GoCardless token",
    keywords: ["live_"],
    pattern: /live_[\w=-]{40}(?![\w=-])/y,
    form: "loose-format"
  },
  {
    id: "google-api-key",
    name: "Google API key",
    advice: advice.google,
    keywords: ["aiza"],
    pattern: /AIza[\w-]{35}(?![\w-])/y
  },
  {
    id: "google-oauth-secret",
    name: "Google OAuth client secret",
    advice: advice.google,
    keywords: ["gocspx-"],
    pattern: /GOCSPX-[\w-]{28}(?![\w-])/y
  },
  {
    id: "google-oauth-token",
    name: "Google OAuth token",
    advice: advice.google,
    keywords: ["ya29."],
    pattern: /ya29\.[\w-]{30,1000}/y
  },
  {
    id: "google-refresh-token",
    name: "Google refresh token",
    advice: advice.google,
    keywords: ["1//0"],
    pattern: /1\/\/0[\w-]{35,120}/y
  },
  {
    id: "grafana",
    name: "Grafana token",
    keywords: ["glc_", "glsa_", "eyjrijo"],
    pattern:
      /(?:glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}\b|eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3})/y
  },
  { id: "groq", name: "Groq API key", advice: advice.modelApi, keywords: ["gsk_"], pattern: /gsk_[A-Za-z0-9]{52}\b/y },
  {
    id: "harness",
    name: "Harness token",
    keywords: ["pat.", "sat."],
    pattern: /[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}\b/iy
  },
  {
    id: "healthchecks",
    name: "Healthchecks ping URL",
    keywords: ["hc-ping.com/"],
    pattern: /https:\/\/hc-ping\.com\/[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g,
    around: true
  },
  { id: "heroku", name: "Heroku API key", keywords: ["hrku-"], pattern: /HRKU-[\w-]{36,80}/y },
  { id: "honeycomb", name: "Honeycomb key", keywords: ["hcaik_", "hcamk_"], pattern: /hca[im]k_[a-z0-9]{58,64}\b/y },
  {
    id: "hubspot",
    name: "HubSpot token",
    keywords: ["pat-"],
    pattern: /pat-(?:na|eu|ap)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  { id: "huggingface", name: "Hugging Face token", keywords: ["hf_"], pattern: /hf_[A-Za-z]{34}\b/y },
  {
    id: "huggingface-organization",
    name: "Hugging Face organization token",
    keywords: ["api_org_"],
    pattern: /api_org_[a-zA-Z]{34}\b/y
  },
  {
    id: "infisical",
    name: "Infisical service token",
    keywords: ["st."],
    pattern: /st\.[a-f0-9]{8,24}(?:-[a-f0-9-]{27})?\.[a-f0-9]{32}\.[a-f0-9]{32}\b/y
  },
  { id: "infracost", name: "Infracost API key", keywords: ["ico-"], pattern: /ico-[A-Za-z0-9]{32}\b/y },
  {
    id: "infura",
    name: "Infura API key",
    keywords: [".infura.io/"],
    pattern: /\b[\w-]{3,40}\.infura\.io\/(?:ws\/)?v3\/([a-f0-9]{32})\b/g,
    around: true
  },
  {
    id: "inngest",
    name: "Inngest signing key",
    keywords: ["signkey-"],
    pattern: /signkey-(?:prod|test|branch)-[a-f0-9]{64}\b/y
  },
  { id: "instagram", name: "Instagram access token", keywords: ["igqv", "igqw"], pattern: /IGQ[VW][\w-]{100,300}/y },
  {
    id: "intercom",
    name: "Intercom token",
    keywords: ["dg9r"],
    pattern: /dG9rO[A-Za-z0-9+/=]{50,60}(?![A-Za-z0-9+/=])/y
  },
  { id: "intra42", name: "Intra 42 client secret", keywords: ["s-s4t2"], pattern: /s-s4t2(?:ud|af)-[a-f0-9]{64}\b/y },
  { id: "ionic", name: "Ionic token", keywords: ["ion_"], pattern: /ion_[A-Za-z0-9]{42}\b/y },
  {
    id: "jina",
    name: "Jina AI API key",
    advice: advice.modelApi,
    keywords: ["jina_"],
    pattern: /jina_[a-f0-9]{32}[\w-]{28}(?![\w-])/y
  },
  { id: "klaviyo", name: "Klaviyo private key", keywords: ["pk_"], pattern: /pk_[a-f0-9]{34}\b/y },
  { id: "kolide", name: "Kolide API key", keywords: ["k2sk_v"], pattern: /k2sk_v\d_[A-Za-z0-9]{24}\b/y },
  {
    id: "langchain",
    name: "LangSmith API key",
    keywords: ["lsv2_", "ls__"],
    pattern: /(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b/y
  },
  {
    id: "langfuse",
    name: "Langfuse secret key",
    keywords: ["sk-lf-"],
    pattern: /sk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  {
    id: "lark-webhook",
    name: "Lark or Feishu webhook",
    keywords: ["/open-apis/bot/"],
    pattern:
      /https:\/\/open\.(?:larksuite\.com|feishu\.cn)\/open-apis\/bot\/(?:v2\/)?hook\/[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/g,
    around: true
  },
  {
    id: "launchdarkly",
    name: "LaunchDarkly key",
    keywords: ["api-", "sdk-", "mob-"],
    pattern: /(?:api|sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}\b/y
  },
  { id: "lichess", name: "Lichess token", keywords: ["lip_"], pattern: /lip_[A-Za-z0-9]{16,60}\b/y },
  { id: "linear", name: "Linear API key", keywords: ["lin_api_"], pattern: /lin_api_\w{32,128}(?!\w)/y },
  {
    id: "liveblocks",
    name: "Liveblocks secret key",
    keywords: ["sk_prod_", "sk_dev_"],
    pattern: /sk_(?:prod|dev)_[\w-]{24,70}(?![\w-])/y
  },
  { id: "llamaindex", name: "LlamaIndex API key", keywords: ["llx-"], pattern: /llx-[\w-]{48}(?![\w-])/y },
  { id: "lob", name: "Lob API key", keywords: ["live_"], pattern: /live_[a-f0-9]{35}\b/y },
  {
    id: "mailchimp",
    name: "Mailchimp API key",
    keywords: ["-us"],
    pattern: /(?<![a-f0-9])[a-f0-9]{32}-us\d{1,2}\b/g,
    around: true
  },
  { id: "mailersend", name: "MailerSend token", keywords: ["mlsn."], pattern: /mlsn\.[A-Za-z0-9]{30,100}\b/y },
  { id: "mailgun", name: "Mailgun API key", keywords: ["key-"], pattern: /key-[a-f0-9]{32}\b/y },
  { id: "mapbox", name: "Mapbox secret token", keywords: ["sk.ey"], pattern: /sk\.eyJ[\w-]{60,120}\.[\w-]{20,30}/y },
  {
    id: "maxmind",
    name: "MaxMind license key",
    keywords: ["_mmk"],
    pattern: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b/g,
    around: true
  },
  {
    id: "mercadopago",
    name: "Mercado Pago access token",
    keywords: ["app_usr-"],
    pattern: /APP_USR-\d{12,16}-\d{6}-[a-f0-9]{32}-\d{6,12}\b/y
  },
  {
    id: "mercury",
    name: "Mercury API token",
    keywords: ["mercury_production_"],
    pattern: /mercury_production_[\w+/=-]{20,100}_yrucrem\b/y
  },
  {
    id: "mergify",
    name: "Mergify application key",
    keywords: ["mergify_application_key_"],
    pattern: /mergify_application_key_[\w-]{40,100}(?![\w-])/y
  },
  {
    id: "microsoft-teams-webhook",
    name: "Microsoft Teams webhook",
    keywords: [".office.com/webhook"],
    pattern:
      /https:\/\/(?:[\w-]+\.webhook|outlook)\.office\.com\/webhook(?:b2)?\/[\w@-]{73,80}\/IncomingWebhook\/[a-z0-9]{32}\/[a-z0-9-]{36}(?![a-z0-9-])/g,
    around: true
  },
  {
    id: "minimax",
    name: "MiniMax API key",
    advice: advice.modelApi,
    keywords: ["sk-api-"],
    pattern: /sk-api-[\w-]{119}(?![\w-])/y
  },
  {
    id: "mongodb-atlas-service-account",
    name: "MongoDB Atlas service account secret",
    keywords: ["mdb_sa_sk_"],
    pattern: /mdb_sa_sk_[\w-]{40}(?![\w-])/y
  },
  {
    id: "nats-seed",
    name: "NATS seed",
    advice: "In NATS, create a new nkey, start using it, then revoke the one of this seed.",
    keywords: ["saa", "soa", "sua"],
    pattern: /S[AOU]A[A-P][A-Z2-7]{54}\b/y,
    form: "private-key"
  },
  { id: "neon", name: "Neon API key", keywords: ["napi_"], pattern: /napi_[a-z0-9]{64}\b/y },
  { id: "netbird", name: "NetBird token", keywords: ["nbp_"], pattern: /nbp_[A-Za-z0-9]{36}\b/y },
  { id: "netlify", name: "Netlify token", keywords: ["nfp_"], pattern: /nfp_[A-Za-z0-9]{36}\b/y },
  {
    id: "newrelic",
    name: "New Relic key",
    keywords: ["nrak-", "nrii-", "nriq-", "nrjs-", "nraa-", "nrra-"],
    pattern: /NR(?:AK-[A-Z0-9]{27}|I[IQ]-[\w-]{32}|JS-[a-f0-9]{19}|AA-[a-f0-9]{27}|RA-[a-f0-9]{42})\b/iy
  },
  {
    id: "newrelic-license",
    name: "New Relic license key",
    keywords: ["nral"],
    pattern: /[a-f0-9]{36}NRAL\b/g,
    around: true
  },
  {
    id: "ngrok",
    name: "ngrok token",
    keywords: ["ngrok"],
    pattern: /ngrok[\w .,"'=:>-]{0,40}?["'=: ](\d[A-Za-z0-9]{26,27}_[A-Za-z0-9]{17,24})\b/iy
  },
  {
    id: "notion",
    name: "Notion token",
    keywords: ["secret_", "ntn_"],
    pattern: /(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})\b/y
  },
  { id: "npm", name: "npm token", advice: advice.npm, keywords: ["npm_"], pattern: /npm_[A-Za-z0-9_]{36}(?!\w)/y },
  { id: "nuget", name: "NuGet API key", keywords: ["oy2"], pattern: /oy2[a-z0-9]{43}\b/y },
  {
    id: "nvidia",
    name: "NVIDIA API key",
    advice: advice.modelApi,
    keywords: ["nvapi-"],
    pattern: /nvapi-[\w-]{60,70}(?![\w-])/y
  },
  {
    id: "octopus",
    name: "Octopus Deploy API key",
    keywords: ["api-"],
    pattern: /API-[A-Z0-9]{25,36}\b/y
  },
  {
    id: "okta",
    name: "Okta API token",
    keywords: ["okta"],
    pattern: /okta[\w .,"'=:>-]{0,40}?["'=: ](00[\w=-]{40})(?![\w=-])/iy
  },
  { id: "onesignal", name: "OneSignal API key", keywords: ["os_v2_"], pattern: /os_v2_(?:app|org)_[a-z2-7]{103}\b/y },
  {
    id: "onfido",
    name: "Onfido API token",
    keywords: ["api_live", "api_sandbox"],
    pattern: /api_(?:live|sandbox)(?:_(?:us|ca))?\.[\w-]{11}\.[\w-]{32}(?![\w-])/y
  },
  {
    id: "openai",
    name: "OpenAI API key",
    advice: advice.modelApi,
    keywords: ["sk-"],
    pattern: /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,120}|sk-[A-Za-z0-9]{48}(?![\w-])/y
  },
  {
    id: "openrouter",
    name: "OpenRouter API key",
    advice: advice.modelApi,
    keywords: ["sk-or-"],
    pattern: /sk-or-v1-[a-f0-9]{64}\b/y
  },
  { id: "openshift", name: "OpenShift token", keywords: ["sha256~"], pattern: /sha256~[\w-]{43}(?![\w-])/y },
  {
    id: "openweathermap",
    name: "OpenWeatherMap API key",
    keywords: ["openweathermap.org/"],
    pattern: /\bopenweathermap\.org\/[^\s"'`]{1,200}?[?&]appid=([a-f0-9]{32})\b/gi,
    around: true
  },
  {
    id: "ory",
    name: "Ory token",
    keywords: ["ory_pat_", "ory_apikey_", "ory_wak_"],
    pattern: /ory_(?:pat|apikey|wak)_[A-Za-z0-9]{32}\b/y
  },
  {
    id: "packagist",
    name: "Packagist token",
    keywords: ["packagist_"],
    pattern: /packagist_(?:ack|acs|ora|org|ort|out|uut)_[a-f0-9]{68,80}\b/iy
  },
  {
    id: "paddle",
    name: "Paddle API key",
    keywords: ["pdl_"],
    pattern: /pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[a-zA-Z\d]{22}_[a-zA-Z\d]{3}\b/y
  },
  { id: "pangea", name: "Pangea token", keywords: ["pts_"], pattern: /pts_[a-z0-9]{32}\b/y, form: "loose-format" },
  {
    id: "paystack",
    name: "Paystack secret key",
    keywords: ["sk_live_", "sk_test_"],
    pattern: /sk_(?:live|test)_[a-f0-9]{40}\b/y
  },
  {
    id: "perplexity",
    name: "Perplexity API key",
    advice: advice.modelApi,
    keywords: ["pplx-"],
    pattern: /pplx-[A-Za-z0-9]{48}\b/y
  },
  {
    id: "persona",
    name: "Persona API key",
    keywords: ["persona_production_"],
    pattern: /persona_production_[a-z0-9_-]{20,80}(?![\w-])/y
  },
  {
    id: "pinecone",
    name: "Pinecone API key",
    keywords: ["pcsk_"],
    pattern: /pcsk_[A-Za-z0-9]{4,6}_[A-Za-z0-9]{50,70}\b/y
  },
  {
    id: "pinterest",
    name: "Pinterest access token",
    keywords: ["pina_"],
    pattern: /pina_[A-Za-z0-9_-]{20,160}(?![\w-])/y
  },
  {
    id: "plaid",
    name: "Plaid access token",
    keywords: ["access-"],
    pattern: /access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  {
    id: "planetscale",
    name: "PlanetScale secret",
    keywords: ["pscale_"],
    pattern: /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/y
  },
  {
    id: "polar",
    name: "Polar token",
    keywords: ["polar_"],
    pattern: /polar_(?:oat|pat|at)_[A-Za-z0-9_-]{20,100}(?![\w-])/y
  },
  { id: "porkbun", name: "Porkbun API key", keywords: ["sk1_", "pk1_"], pattern: /[sp]k1_[a-f0-9]{64}\b/y },
  { id: "portainer", name: "Portainer access token", keywords: ["ptr_"], pattern: /ptr_[\w+/=-]{44}(?![\w+/=-])/y },
  {
    id: "posthog",
    name: "PostHog key",
    keywords: ["phx_", "phs_", "phr_", "pha_"],
    pattern: /ph[xsra]_[\w-]{43,50}(?![\w-])/y
  },
  { id: "postman", name: "Postman API key", keywords: ["pmak-"], pattern: /PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/iy },
  {
    id: "postman-collection",
    name: "Postman collection access key",
    keywords: ["pmat-"],
    pattern: /PMAT-[A-Z0-9]{26}\b/y
  },
  {
    id: "proof",
    name: "Proof API key",
    keywords: ["prf_"],
    // A digit: names in code may begin so.
    pattern: /prf_(?=[\w-]{24,80}(?![\w-]))[A-Za-z_-]*\d[\w-]*/y
  },
  { id: "prefect", name: "Prefect API key", keywords: ["pnu_", "pnb_"], pattern: /pn[ub]_[A-Za-z0-9]{36}\b/y },
  { id: "pubnub", name: "PubNub secret key", keywords: ["sec-c-"], pattern: /sec-c-[A-Za-z0-9]{48}\b/y },
  { id: "pulumi", name: "Pulumi token", keywords: ["pul-"], pattern: /pul-[a-f0-9]{40}\b/y },
  { id: "pypi", name: "PyPI token", advice: advice.pypi, keywords: ["pypi-age"], pattern: /pypi-AgE[\w-]{84,1000}/y },
  { id: "ramp", name: "Ramp client secret", keywords: ["ramp_sec_"], pattern: /ramp_sec_[A-Za-z0-9]{40,64}\b/y },
  {
    id: "rapidapi",
    name: "RapidAPI key",
    keywords: ["msh"],
    pattern: /\b([a-f0-9]{10}msh[a-f0-9]{15}p1[a-f0-9]{6}jsn[a-f0-9]{12})\b/g,
    around: true
  },
  {
    id: "razorpay",
    name: "Razorpay key ID",
    keywords: ["rzp_live_"],
    pattern: /rzp_live_[A-Za-z0-9]{14}\b/y,
    form: "key-id"
  },
  { id: "redirect-pizza", name: "redirect.pizza API token", keywords: ["rpa_"], pattern: /rpa_[A-Za-z0-9]{30}\b/y },
  { id: "readme", name: "ReadMe API key", keywords: ["rdme_"], pattern: /rdme_[a-z0-9]{70}\b/y },
  { id: "render", name: "Render API key", keywords: ["rnd_"], pattern: /rnd_[A-Za-z0-9]{28,40}\b/y },
  { id: "replicate", name: "Replicate token", advice: advice.modelApi, keywords: ["r8_"], pattern: /r8_[\w-]{37}\b/y },
  { id: "resend", name: "Resend API key", keywords: ["re_"], pattern: /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/y },
  { id: "retell", name: "Retell API key", keywords: ["key_"], pattern: /key_[a-f0-9]{28}\b/y, form: "loose-format" },
  {
    id: "riot",
    name: "Riot Games API key",
    keywords: ["rgapi-"],
    pattern: /RGAPI-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y
  },
  { id: "rootly", name: "Rootly API key", keywords: ["rootly_"], pattern: /rootly_[a-f0-9]{64}\b/y },
  { id: "rubygems", name: "RubyGems API key", keywords: ["rubygems_"], pattern: /rubygems_[a-f0-9]{48}\b/y },
  { id: "runpod", name: "RunPod API key", keywords: ["rpa_"], pattern: /rpa_[A-Za-z0-9]{46}\b/y },
  {
    id: "runway",
    name: "Runway API key",
    advice: advice.modelApi,
    keywords: ["key_"],
    pattern: /key_[a-f0-9]{128}\b/y
  },
  {
    id: "salesforce",
    name: "Salesforce token",
    keywords: ["00d", "!aq", "!ar"],
    around: true,
    pattern:
      /(?<!\w)00(?:D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,260}|[A-Za-z0-9]{13,16}!A[QR][A-Za-z0-9._]{78,258})(?![\w.])/g
  },
  {
    id: "samsara",
    name: "Samsara API token",
    keywords: ["samsara_api_"],
    pattern: /samsara_api_[A-Za-z0-9]{26,32}\b/y
  },
  {
    id: "scale",
    name: "Scale API key",
    keywords: ["scale"],
    pattern: /scale[\w .,"'=:>-]{0,40}?["'=: ](live_[a-z0-9]{32})\b/iy
  },
  { id: "scalingo", name: "Scalingo token", keywords: ["tk-us-"], pattern: /tk-us-[\w-]{48}(?![\w-])/y },
  { id: "segment", name: "Segment public API token", keywords: ["sgp_"], pattern: /sgp_[A-Za-z0-9]{64}\b/y },
  {
    id: "sendgrid",
    name: "SendGrid API key",
    advice: advice.sendgrid,
    keywords: ["sg."],
    pattern: /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y
  },
  {
    id: "sendinblue",
    name: "Brevo API key",
    keywords: ["xkeysib-", "xsmtpsib-"],
    pattern: /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/y
  },
  { id: "sentry", name: "Sentry token", keywords: ["sntrys_", "sntryu_"], pattern: /sntry[su]_[\w+/=-]{60,400}/y },
  {
    id: "settlemint",
    name: "SettleMint token",
    keywords: ["sm_pat_", "sm_aat_", "sm_sat_"],
    pattern: /sm_[pas]at_[A-Za-z0-9]{16}\b/y
  },
  { id: "shippo", name: "Shippo token", keywords: ["shippo_"], pattern: /shippo_(?:live|test)_[a-f0-9]{40}\b/y },
  {
    id: "shopify",
    name: "Shopify token",
    advice: advice.shopify,
    keywords: ["shppa_", "shpca_", "shpat_", "shpss_"],
    pattern: /shp(?:[pc]a|at|ss)_[A-Za-z0-9]{32,64}\b/y
  },
  {
    id: "sidekiq",
    name: "Sidekiq license credential",
    keywords: ["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"],
    pattern: /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM\w*["']?\s*[:=.?>]{1,4}\s*["'`]?([a-f0-9]{8}:[a-f0-9]{8})\b/iy
  },
  {
    id: "slack",
    name: "Slack token",
    advice: advice.slack,
    keywords: ["xoxe", "xoxs-", "xoxd-", "xoxc-", "xoxb-", "xoxp-", "xoxa-", "xoxr-"],
    pattern:
      /(?:xoxe\.xox[bp]-\d-[A-Za-z0-9]{120,200}|xoxe-\d-[A-Za-z0-9]{100,180}|xoxd-[A-Za-z0-9%]{40,250}|xox[bpasrce]-(?:\d-)?\d{6,14}-[A-Za-z0-9-]{10,250})/iy
  },
  {
    id: "slack-app",
    name: "Slack app token",
    advice: advice.slack,
    keywords: ["xapp-"],
    pattern: /xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+\b/iy
  },
  {
    id: "slack-webhook",
    name: "Slack webhook",
    advice: advice.slack,
    keywords: ["hooks.slack.com"],
    pattern: /https?:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{36,70}(?![A-Za-z0-9+/])/g,
    around: true
  },
  {
    id: "snyk",
    name: "Snyk token",
    keywords: ["snyk"],
    pattern: /snyk[\w .,"'=:>-]{0,40}?["'=: ]([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b/iy
  },
  {
    id: "snyk-service",
    name: "Snyk service account token",
    keywords: ["snyk_"],
    pattern: /snyk_(?:uat|sat)\.[a-z0-9]{8}\.eyJ[\w-]+\.[\w-]+\.[\w-]+/y
  },
  {
    id: "sonar-login",
    name: "SonarQube token",
    keywords: ["sonar"],
    pattern: /sonar[\w.]{0,20}(?:login|token)["']?[ \t]*[=:,][ \t]*["']?([a-f0-9]{40})\b/iy
  },
  { id: "sonarqube", name: "SonarQube token", keywords: ["squ_", "sqp_", "sqa_"], pattern: /sq[upa]_[a-f0-9]{40}\b/y },
  {
    id: "sourcegraph",
    name: "Sourcegraph token",
    keywords: ["sgp_", "slk_"],
    pattern: /(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64})\b/y
  },
  {
    id: "square",
    name: "Square access token",
    keywords: ["sq0", "eaaa"],
    pattern: /(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/y
  },
  { id: "stackhawk", name: "StackHawk API key", keywords: ["hawk."], pattern: /hawk\.[\w-]{20}\.[\w-]{20}(?![\w-])/y },
  {
    id: "stripe",
    name: "Stripe key",
    advice: advice.stripe,
    keywords: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "whsec_"],
    pattern: /(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,120}|whsec_[A-Za-z0-9+/]{32,64}=?)/y
  },
  {
    id: "supabase",
    name: "Supabase key",
    keywords: ["sbp_", "sb_secret_"],
    pattern: /(?:sbp_(?:oauth_|v0_)?[\w-]{40}|sb_secret_[\w-]{31,45})(?![\w-])/y
  },
  {
    id: "tableau",
    name: "Tableau personal access token",
    keywords: ["==:"],
    pattern: /(?<![\w+/])[A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}\b/g,
    around: true
  },
  {
    id: "tailscale",
    name: "Tailscale key",
    keywords: ["tskey-"],
    pattern: /tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]+\b/y
  },
  {
    id: "tavily",
    name: "Tavily API key",
    advice: advice.modelApi,
    keywords: ["tvly-"],
    pattern: /tvly-(?:(?:dev|prod)-)?[A-Za-z0-9]{32}\b/y
  },
  {
    id: "teamcity",
    name: "TeamCity access token",
    keywords: ["eyj0exaioiaivenwmij9."],
    pattern: /eyJ0eXAiOiAiVENWMiJ9\.[\w-]{16,120}\.[\w+/=-]{30,90}(?![\w+/=-])/y
  },
  {
    id: "telegram",
    name: "Telegram bot token",
    keywords: [":aa"],
    pattern: /(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])/g,
    around: true
  },
  {
    id: "terraform-cloud",
    name: "Terraform Cloud token",
    keywords: [".atlasv1."],
    pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g,
    around: true
  },
  { id: "thunderstore", name: "Thunderstore token", keywords: ["tss_"], pattern: /tss_[A-Za-z0-9_-]{20,80}(?![\w-])/y },
  {
    id: "tines-webhook",
    name: "Tines webhook",
    keywords: [".tines.com/webhook/"],
    pattern: /https:\/\/[\w-]+\.tines\.com\/webhook\/[a-f0-9]{32}\/[a-f0-9]{32}\b/g,
    around: true
  },
  { id: "tinybird", name: "Tinybird token", keywords: ["p.ey"], pattern: /p\.eyJ[\w-]{60,}\.[\w-]{20,}/y },
  {
    id: "together",
    name: "Together AI API key",
    advice: advice.modelApi,
    keywords: ["tgp_v1_"],
    pattern: /tgp_v1_[\w-]{43}(?![\w-])/y
  },
  { id: "twilio", name: "Twilio API key", advice: advice.twilio, keywords: ["sk"], pattern: /SK[a-f0-9]{32}\b/y },
  {
    id: "twitter-bearer",
    name: "Twitter bearer token",
    keywords: ["aaaaaaaaaaaaaaaaaaaaa"],
    pattern: /A{21,22}(?!A)[A-Za-z0-9%]{60,100}(?![\w%+/=])/y
  },
  { id: "typeform", name: "Typeform token", keywords: ["tfp_"], pattern: /tfp_[\w.=-]{59}(?![\w.=-])/y },
  { id: "ubidots", name: "Ubidots token", keywords: ["bbff-"], pattern: /BBFF-[A-Za-z0-9]{30}\b/y },
  { id: "unkey", name: "Unkey root key", keywords: ["unkey_"], pattern: /unkey_[A-Za-z0-9]{20,40}\b/y },
  { id: "upcloud", name: "UpCloud API token", keywords: ["ucat_"], pattern: /ucat_[A-Za-z0-9]{24,32}\b/y },
  { id: "valtown", name: "Val Town token", keywords: ["vtwn_"], pattern: /vtwn_[A-Za-z0-9_-]{20,80}(?![\w-])/y },
  {
    id: "vault",
    name: "HashiCorp Vault token",
    keywords: ["hvs.", "hvb.", "hvr."],
    pattern: /hv[sbr]\.[\w-]{24,300}/y
  },
  {
    id: "vault-unseal",
    name: "HashiCorp Vault unseal key",
    keywords: ["unseal"],
    pattern: /unseal(?:[ \t]+key(?:[ \t]+\d)?[ \t]*:)?[ \t]+([A-Za-z0-9+/]{44})(?![\w+/])/iy
  },
  {
    id: "vercel",
    name: "Vercel token",
    keywords: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
    pattern: /vc[piark]_[A-Za-z0-9_-]{24,80}(?![\w-])/y
  },
  {
    id: "vercel-blob",
    name: "Vercel Blob token",
    keywords: ["vercel_blob_rw_"],
    pattern: /vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,32}\b/y
  },
  {
    id: "voyage",
    name: "Voyage AI API key",
    advice: advice.modelApi,
    keywords: ["pa-"],
    pattern: /pa-(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])/y,
    form: "loose-format"
  },
  {
    id: "wakatime",
    name: "WakaTime API key",
    keywords: ["waka_"],
    pattern: /waka_(?:[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}|[a-z0-9]{36,64})\b/y
  },
  {
    id: "weights-and-biases",
    name: "Weights & Biases API key",
    keywords: ["wandb"],
    pattern: /wandb[\w .,"'=:>-]{0,40}?["'=: ]([a-f0-9]{40})\b/iy
  },
  {
    id: "weights-and-biases-v1",
    name: "Weights & Biases API key",
    keywords: ["wandb_v1_"],
    pattern: /wandb_v1_\w{77}(?!\w)/y
  },
  {
    id: "workato",
    name: "Workato API token",
    keywords: ["wrka"],
    pattern: /wrka(?:[a-z]{2})?-eyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{64,}(?![\w-])/y
  },
  {
    id: "xai",
    name: "xAI API key",
    advice: advice.modelApi,
    keywords: ["xai-"],
    pattern: /xai-[A-Za-z0-9]{60,120}\b/y
  },
  {
    id: "yandex",
    name: "Yandex Cloud key",
    keywords: ["aqvn", "ycaj", "ycm", "t1."],
    pattern:
      /(?:AQVN[\w-]{35,38}|YC(?:AJE|M)[\w-]{22,40}|t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[A-Z0-9a-z_-]{86}[=]{0,2})(?![\w-])/y
  },
  {
    id: "zapier-webhook",
    name: "Zapier webhook",
    keywords: ["hooks.zapier.com"],
    pattern: /https:\/\/hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/\w{5,32}/g,
    around: true
  },
  {
    id: "zhipu",
    name: "Zhipu API key",
    advice: advice.modelApi,
    keywords: ["zhipu", "bigmodel", "glm_", "zai_"],
    pattern: /(?:zhipu|bigmodel|glm_|zai_)[\w .,"'=:>-]{0,40}?["'=: ]([a-f0-9]{32}\.[A-Za-z0-9]{16})\b/iy
  },
  { id: "zuplo", name: "Zuplo API key", keywords: ["zpka_"], pattern: /zpka_[a-z0-9]{32}_[a-f0-9]{8}\b/y }
]

/** Names for the rule ids of other scanners (a repository's own `.gitleaks.toml`) that are no format's id here. */
export const otherProviders: ReadonlyArray<Pick<ProviderFormat, "id" | "name" | "advice">> = [
  { id: "1password", name: "1Password token" },
  { id: "alibaba", name: "Alibaba Cloud access key" },
  { id: "aws", name: "AWS access key", advice: advice.aws },
  { id: "azure", name: "Azure secret", advice: advice.azure },
  { id: "bitbucket", name: "Bitbucket app password" },
  { id: "discord", name: "Discord token" },
  { id: "gcp", name: "Google Cloud key", advice: advice.google },
  { id: "google", name: "Google credential", advice: advice.google },
  { id: "hashicorp-vault", name: "HashiCorp Vault token" },
  { id: "mongodb-atlas", name: "MongoDB Atlas secret" },
  { id: "twitter", name: "Twitter bearer token" }
]

/** Every sentence of advice, once each. */
export const providerAdvice: ReadonlyArray<string> = Object.values(advice)

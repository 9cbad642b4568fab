/**
 * The table of all token formats of providers: how each is found, what reports call it, and how to replace such a
 * token.
 *
 * To add a format, add a row here, and its literal form in test/rules/providers/forms.ts.
 */
import type { CandidateKind } from "../../Candidate.ts"

export interface ProviderFormat {
  /** The rule id is `provider/ID`. Ids are stable, because reports contain them. */
  readonly id: string
  /** The name in reports, for example "GitHub token". */
  readonly name: string
  /** How to replace such a token, in one sentence. Undefined if there is no better advice than for any secret. */
  readonly advice?: string
  /**
   * Lower-case strings, one of which every match contains; the pattern is only tried near them. Default: the literal
   * prefix of the pattern.
   */
  readonly keywords?: readonly [string, ...ReadonlyArray<string>]
  /**
   * The token is the first group or, without groups, the whole match. The expression is sticky, or global with
   * `around`.
   */
  readonly pattern: RegExp
  /**
   * Set if the keyword is inside or before the token, so that the whole line is searched. Otherwise the token starts at
   * the keyword.
   */
  readonly around?: true
  /** Default: `provider-token`. */
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
    pattern: /A3-[A-Z\d]{6}-(?:[A-Z\d]{11}|[A-Z\d]{6}-[A-Z\d]{5})(?:-[A-Z\d]{5}){3}\b/y
  },
  {
    id: "1password-service-account",
    name: "1Password service account token",
    pattern: /ops_eyJ[\w+/-]{200,}={0,3}/y
  },
  { id: "adafruit", name: "Adafruit IO key", pattern: /aio_[A-Za-z\d]{28}\b/y },
  { id: "adobe", name: "Adobe client secret", keywords: ["p8e-", "p8e_"], pattern: /p8[eE][-_][A-Za-z\d]{32}\b/y },
  {
    id: "age",
    name: "age secret key",
    pattern: /AGE-SECRET-KEY-1[0-9A-Z]{58}\b/y,
    form: "private-key"
  },
  {
    id: "aikido",
    name: "Aikido token",
    keywords: ["aik_secret_", "aik_ci_"],
    pattern: /AIK_(?:SECRET_[\w-]{40,100}|CI_[\w-]{20,100})(?![\w-])/y
  },
  { id: "airtable", name: "Airtable token", pattern: /pat[A-Za-z\d]{14}\.[a-f\d]{64}\b/y },
  { id: "akamai", name: "Akamai token", pattern: /akab-[a-z\d]{16}-[a-z\d]{16}(?![\w-])/y },
  { id: "alchemy", name: "Alchemy API key", pattern: /alcht_[A-Za-z\d]{30}\b/y },
  {
    id: "alchemy-url",
    name: "Alchemy API key",
    keywords: ["alchemy.com/v2/"],
    pattern: /\balchemy\.com\/v2\/([\w-]{32})(?![\w-])/g,
    around: true
  },
  {
    id: "alibaba-access-key-id",
    name: "Alibaba Cloud access key ID",
    pattern: /LTAI[A-Za-z\d]{17,21}\b/y,
    form: "key-id"
  },
  {
    id: "alibaba-sts",
    name: "Alibaba Cloud STS access key ID",
    // Requires a digit: names of operations have the same form.
    pattern: /STS\.(?=[A-Za-z]*\d)[A-Za-z\d]{20,40}\b/y,
    form: "key-id"
  },
  {
    id: "amazon-marketplace",
    name: "Amazon Marketplace token",
    pattern: /amzn\.mws\.[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  {
    id: "anthropic",
    name: "Anthropic API key",
    advice: advice.modelApi,
    pattern: /sk-ant-(?:admin|oat|sid|api)\d\d-[\w-]{80,120}/y
  },
  { id: "apify", name: "Apify API token", pattern: /apify_api_[A-Za-z\d]{34,38}\b/y },
  {
    id: "appsync",
    name: "AWS AppSync API key",
    advice: advice.aws,
    pattern: /da2-[a-z\d]{26}\b/y
  },
  {
    id: "artifactory",
    name: "Artifactory token",
    keywords: ["akc", "cmvmdgtuo"],
    pattern: /(?:AKC[A-Za-z\d]{64,73}|cmVmdGtuO[A-Za-z\d]{50,70})(?![\w+/=])/y
  },
  {
    id: "artifactory-reference",
    name: "Artifactory reference token",
    pattern: /cmVmd[A-Za-z\d]{59}\b/y
  },
  { id: "asaas", name: "Asaas API key", pattern: /\$aact_prod_[\w:$=+/-]{20,300}/y },
  {
    id: "asana",
    name: "Asana token",
    pattern: /asana[\w .,"'=:>-]{0,40}?["'=: ]([01]\/\d{13,20}:[a-f\d]{32}|\d\/\d{13,20}\/\d{13,20}:[a-f\d]{32})\b/iy
  },
  {
    id: "astra",
    name: "DataStax Astra token",
    pattern: /AstraCS:[A-Za-z]{24}:[a-f\d]{64}\b/y
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
    pattern: /BBDC-[A-Za-z\d+/@_-]{40,50}(?![\w+/@-])/y
  },
  {
    id: "authress",
    name: "Authress access key",
    keywords: ["sc_", "ext_", "scauth_", "authress_"],
    pattern:
      /(?:sc|ext|scauth|authress)_[A-Za-z\d]{5,30}\.[A-Za-z\d]{4,6}\.acc[_-][A-Za-z\d-]{10,32}\.[\w+/=-]{30,120}(?![\w+/=-])/y
  },
  {
    id: "aws-access-key-id",
    name: "AWS access key ID",
    advice: advice.aws,
    keywords: ["akia", "asia", "abia", "acca", "a3t"],
    pattern: /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z\d])[A-Z2-7]{16}\b/y,
    form: "key-id"
  },
  {
    id: "aws-bedrock",
    name: "AWS Bedrock API key",
    advice: advice.aws,
    pattern: /ABSK[A-Za-z\d+/]{109,269}={0,2}/y
  },
  {
    id: "aws-secret-access-key",
    name: "AWS secret access key",
    advice: advice.aws,
    keywords: ["secret_access_key", "secretaccesskey", "secret_accesskey", "secretaccess_key"],
    pattern: /secret_?access_?key["']?[ \t]*(?:=>?|:|,)[ \t]*["']?([A-Za-z\d/+]{40})(?![A-Za-z\d/+=])/gi,
    around: true
  },
  {
    id: "axiom",
    name: "Axiom token",
    keywords: ["xaat-", "xapt-"],
    pattern: /xa[ap]t-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
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
    pattern: /(?<![\w+/])([A-Za-z\d+/]{42}\+ACR[A-D][A-Za-z\d+/]{5})(?![\w+/])/g,
    around: true
  },
  {
    id: "azure-devops",
    name: "Azure DevOps token",
    advice: advice.azure,
    keywords: ["azdo"],
    pattern: /[A-Za-z\d]{76}AZDO[A-Za-z\d]{4}\b/g,
    around: true
  },
  {
    id: "azure-function",
    name: "Azure Functions key",
    advice: advice.azure,
    pattern: /code=([\w-]{52,54}(?:==|%3D%3D))/y
  },
  {
    id: "azure-logic-app",
    name: "Azure Logic Apps trigger",
    advice: advice.azure,
    keywords: ["sp=%2ftriggers", "sp=/triggers"],
    pattern: /sp=(?:%2F|\/)triggers[^\s"'<>]{0,120}?[&;]sig=([\w-]{43})(?![\w-])/iy
  },
  {
    id: "azure-sas",
    name: "Azure shared access signature",
    advice: advice.azure,
    pattern: /sig=([A-Za-z\d%+/]{43,63}(?:%3D|=))/y
  },
  {
    id: "azure-search",
    name: "Azure AI Search key",
    advice: advice.azure,
    keywords: ["azse"],
    pattern: /\b([A-Za-z\d]{42}AzSe[A-D][A-Za-z\d]{5})\b/g,
    around: true
  },
  {
    id: "azure-storage",
    name: "Azure storage key",
    advice: advice.azure,
    keywords: ["accountkey", "sharedaccesskey"],
    pattern: /(?:AccountKey|SharedAccessKey)\s*=\s*([A-Za-z\d+/]{42,86}={1,2})/iy
  },
  {
    id: "beamer",
    name: "Beamer API key",
    pattern: /b_[A-Za-z\d=_-]{44}(?![\w=-])/y,
    form: "loose-format"
  },
  {
    id: "bedrock",
    name: "AWS Bedrock API key",
    advice: advice.aws,
    pattern: /bedrock-api-key-[\w+/=]{32,1000}/y
  },
  {
    id: "bitbucket-app-password",
    name: "Bitbucket app password",
    pattern: /ATBB[A-Za-z\d]{20,40}\b/y
  },
  {
    id: "blockfrost",
    name: "Blockfrost project token",
    keywords: ["mainnet", "preprod"],
    pattern: /(?:mainnet|preprod)[A-Za-z\d]{32}\b/y
  },
  {
    id: "braintree",
    name: "Braintree access token",
    pattern: /access_token\$(?:production|sandbox)\$[a-z\d]{16}\$[a-f\d]{32}\b/y
  },
  {
    id: "branch",
    name: "Branch key",
    pattern: /key_live_[A-Za-z\d]{32}\b/y,
    form: "loose-format"
  },
  {
    id: "brave-search",
    name: "Brave Search API key",
    pattern: /BSA[\w-]{24,40}(?![\w-])/y,
    form: "loose-format"
  },
  {
    id: "buildkite",
    name: "Buildkite token",
    keywords: ["bkua_", "bkaa_", "bkaj_", "bkar_", "bkct_", "bkpt_", "bkpat_", "bkps_"],
    pattern: /bk(?:ua_[a-z\d]{40,53}\b|(?:aa|aj|ar|ct|pt|pat|ps)_[\w-]{40,340}(?![\w-]))/y
  },
  { id: "calcom", name: "Cal.com API key", pattern: /cal_live_[a-f\d]{32}\b/y },
  { id: "canva", name: "Canva client secret", pattern: /cnvca[\w-]{51}(?![\w-])/y },
  {
    id: "cerebras",
    name: "Cerebras API key",
    advice: advice.modelApi,
    pattern: /csk-[a-z\d]{48}\b/y
  },
  {
    id: "circleci",
    name: "CircleCI token",
    keywords: ["ccipat_", "cciprj_"],
    pattern: /CCIP(?:AT|RJ)_[A-Za-z\d]{22}_[a-f\d]{40}\b/iy
  },
  {
    id: "clickhouse",
    name: "ClickHouse Cloud API secret",
    pattern: /4b1d[A-Za-z\d]{38}\b/y,
    form: "loose-format"
  },
  {
    id: "clickup",
    name: "ClickUp token",
    pattern: /pk_\d{6,9}_[A-Z\d]{32}\b/y
  },
  { id: "clojars", name: "Clojars token", pattern: /CLOJARS_[a-z\d]{60}\b/iy },
  {
    id: "cloudflare",
    name: "Cloudflare API token",
    keywords: ["cfk_", "cfut_", "cfat_"],
    pattern: /cf(?:k|ut|at)_[A-Za-z\d]{48}(?![\w-])/y
  },
  {
    id: "cloudflare-origin-ca",
    name: "Cloudflare origin CA key",
    pattern: /v1\.0-[a-f\d]{24}-[a-f\d]{146}\b/y
  },
  {
    id: "cloudinary",
    name: "Cloudinary API secret",
    pattern: /cloudinary:\/\/\d{10,20}:([\w-]{20,40})@/y
  },
  { id: "cloudsmith", name: "Cloudsmith API key", pattern: /csa_[A-Za-z\d]{36}\b/y },
  {
    id: "cockroach",
    name: "CockroachDB Cloud API key",
    pattern: /CCDB1_[A-Za-z\d]{22}_[A-Za-z\d]{40}\b/y
  },
  {
    id: "codeclimate",
    name: "Code Climate reporter ID",
    pattern: /cc_test_reporter_id["']?[ \t]*[:=][ \t]*["']?([a-f\d]{64})\b/iy
  },
  { id: "coderabbit", name: "CodeRabbit API key", pattern: /cr-[a-f\d]{58}\b/y },
  {
    id: "configcat",
    name: "ConfigCat SDK key",
    pattern: /configcat-sdk-1\/[\w-]{22}\/[\w-]{22}(?![\w-])/y
  },
  {
    id: "confluent",
    name: "Confluent Cloud API secret",
    pattern: /cflt[A-Za-z\d+/]{60}(?![\w+/])/y
  },
  { id: "contentful", name: "Contentful token", pattern: /CFPAT-[\w-]{43}\b/y },
  { id: "cratesio", name: "crates.io token", pattern: /cio[A-Za-z\d]{32}\b/y },
  {
    id: "cursor",
    name: "Cursor API key",
    advice: advice.modelApi,
    pattern: /key_[a-f\d]{64}\b/y
  },
  {
    id: "databento",
    name: "Databento API key",
    pattern: /db-[A-Za-z\d]{29}\b/y,
    form: "loose-format"
  },
  { id: "databricks", name: "Databricks token", pattern: /dapi[a-f\d]{32}(?:-\d)?\b/iy },
  { id: "dbt", name: "dbt Cloud token", keywords: ["dbtc_", "dbtu_"], pattern: /dbt[cu]_[\w-]{43}(?![\w-])/y },
  {
    id: "deepseek",
    name: "DeepSeek API key",
    advice: advice.modelApi,
    pattern: /sk-[a-f\d]{32}\b/y
  },
  {
    id: "defined-networking",
    name: "Defined Networking API key",
    pattern: /dnkey-[A-Z\d=_-]{26}-[A-Z\d=_-]{52}(?![\w=-])/iy
  },
  { id: "deno-deploy", name: "Deno Deploy token", pattern: /ddp_[A-Za-z\d]{36}\b/y },
  { id: "deno-organization", name: "Deno organization token", pattern: /ddo_[A-Za-z\d]{36}\b/y },
  {
    id: "dependency-track",
    name: "Dependency-Track API key",
    pattern: /odt_[A-Za-z\d]{32,64}\b/y
  },
  {
    id: "devcycle",
    name: "DevCycle server key",
    pattern: /dvc_server_[A-Za-z\d_]{30,60}(?!\w)/y
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
    pattern: /do[opra]_v1_[a-f\d]{64}\b/y
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
    pattern: /dckr_pat_[\w-]{27}(?![\w-])/y
  },
  {
    id: "docker-organization",
    name: "Docker organization access token",
    advice: advice.docker,
    pattern: /dckr_oat_[\w-]{32}(?![\w-])/y
  },
  {
    id: "docker-swarm",
    name: "Docker Swarm key",
    advice: advice.docker,
    keywords: ["swmkey-1-", "swmtkn-1-"],
    pattern: /SWM(?:KEY-1-[\w+/]{43}|TKN-1-[a-z\d]{50}-[a-z\d]{25})(?![\w+/-])/y
  },
  {
    id: "doppler",
    name: "Doppler token",
    keywords: ["dp.pt.", "dp.st.", "dp.sa.", "dp.ct.", "dp.scim.", "dp.audit."],
    pattern: /dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z\d]{40,44}\b/y
  },
  { id: "dropbox", name: "Dropbox token", pattern: /sl\.(?:u\.)?[\w=-]{130,1200}/y },
  { id: "duffel", name: "Duffel token", pattern: /duffel_(?:test|live)_[\w=-]{43}(?![\w=-])/y },
  {
    id: "dynatrace",
    name: "Dynatrace token",
    pattern: /dt0[a-z]\d\d\.[A-Z\d]{24}\.[A-Z\d]{64}\b/iy
  },
  { id: "e2b", name: "E2B API key", advice: advice.modelApi, pattern: /e2b_[a-f\d]{40}\b/y },
  { id: "easypost", name: "EasyPost API key", keywords: ["ezak", "ezt"], pattern: /EZ[AT]K[A-Za-z\d]{54}\b/y },
  {
    id: "elastic-cloud",
    name: "Elastic Cloud API key",
    pattern: /essu_[\w+/-]{40,200}={0,2}(?![\w+/=-])/y
  },
  {
    id: "elevenlabs",
    name: "ElevenLabs API key",
    advice: advice.modelApi,
    pattern: /sk_[a-f\d]{48}\b/y
  },
  { id: "endor-labs", name: "Endor Labs API key", pattern: /endr\+[A-Za-z\d-]{16}(?![\w-])/y },
  { id: "exoscale", name: "Exoscale API key", pattern: /EXO[a-f\d]{24}\b/y, form: "key-id" },
  {
    id: "facebook",
    name: "Facebook access token",
    pattern: /EAA[A-Za-z\d]{3}[A-Za-z\d]{90,250}\b/y
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
    pattern: /fastly[\w .,"'=:>-]{0,40}?["'=: ]([\w-]{32})(?![\w-])/iy,
    form: "loose-format"
  },
  { id: "figma", name: "Figma token", pattern: /figd_[\w-]{40,200}(?![\w-])/y },
  {
    id: "firecrawl",
    name: "Firecrawl API key",
    advice: advice.modelApi,
    pattern: /fc-[a-f\d]{32}\b/y
  },
  {
    id: "fireworks",
    name: "Fireworks AI API key",
    advice: advice.modelApi,
    pattern: /fw_[A-Za-z\d]{22,24}\b/y,
    form: "loose-format"
  },
  { id: "fleetbase", name: "Fleetbase API key", pattern: /flb_live_[A-Za-z\d]{20,40}\b/y },
  { id: "flexport", name: "Flexport API token", pattern: /shltm_[\w-]{40}(?![\w-])/y },
  {
    id: "flutterwave",
    name: "Flutterwave secret key",
    pattern: /FLWSECK(?:_TEST|_LIVE)?-[a-zA-Z\d]{12,32}(?:-X)?\b/y
  },
  {
    id: "flyio",
    name: "Fly.io token",
    keywords: ["fo1_", "fm1a_", "fm1r_", "fm2_"],
    pattern: /(?:fo1_[\w-]{43}(?![\w-])|fm1[ar]_[A-Za-z\d+/]{100,}={0,3}|fm2_[A-Za-z\d+/]{100,}={0,3})/y
  },
  {
    id: "flyio-macaroon",
    name: "Fly.io token",
    pattern: /FlyV1 (?!f[mo]\d)([\w+/=,-]{80,2000})(?![\w+/=,-])/y
  },
  { id: "frameio", name: "Frame.io token", pattern: /fio-u-[\w=-]{64}(?![\w=-])/y },
  {
    id: "freemius",
    name: "Freemius secret key",
    pattern: /sk_[\w$*?!%&@~-]{29}(?=["'])/y,
    form: "loose-format"
  },
  { id: "friendli", name: "Friendli token", pattern: /flp_[A-Za-z\d]{46}\b/y },
  {
    id: "gc-notify",
    name: "GC Notify API key",
    pattern: /gcntfy-[\w-]{1,100}?-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  {
    id: "gemini",
    name: "Gemini API key",
    advice: advice.google,
    pattern: /AQ\.Ab8RN6[\w-]{44}(?![\w-])/y
  },
  {
    id: "github",
    name: "GitHub token",
    advice: advice.github,
    keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern:
      /gh[pousr]_[A-Za-z\d]{36,255}\b|ghs_\d+_eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}|github_pat_[A-Za-z\d]{22}_[A-Za-z\d]{59}\b/y
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
    pattern: /_gitlab_session=([a-f\d]{32})\b/y
  },
  {
    id: "gocardless",
    name: "GoCardless token",
    pattern: /live_[\w=-]{40}(?![\w=-])/y,
    form: "loose-format"
  },
  {
    id: "google-api-key",
    name: "Google API key",
    advice: advice.google,
    pattern: /AIza[\w-]{35}(?![\w-])/y
  },
  {
    id: "google-oauth-secret",
    name: "Google OAuth client secret",
    advice: advice.google,
    pattern: /GOCSPX-[\w-]{28}(?![\w-])/y
  },
  {
    id: "google-oauth-token",
    name: "Google OAuth token",
    advice: advice.google,
    pattern: /ya29\.[\w-]{30,1000}/y
  },
  {
    id: "google-refresh-token",
    name: "Google refresh token",
    advice: advice.google,
    pattern: /1\/\/0[\w-]{35,120}/y
  },
  {
    id: "grafana",
    name: "Grafana token",
    keywords: ["glc_", "glsa_", "eyjrijo"],
    pattern:
      /(?:glc_[A-Za-z\d+/]{32,400}={0,3}|glsa_[A-Za-z\d]{32}_[a-fA-F0-9]{8}\b|eyJrIjoi[A-Za-z\d+/]{60,400}={0,3})/y
  },
  { id: "groq", name: "Groq API key", advice: advice.modelApi, pattern: /gsk_[A-Za-z\d]{52}\b/y },
  {
    id: "harness",
    name: "Harness token",
    keywords: ["pat.", "sat."],
    pattern: /[ps]at\.[\w-]{22}\.[A-Za-z\d]{24}\.[A-Za-z\d]{20}\b/iy
  },
  {
    id: "healthchecks",
    name: "Healthchecks ping URL",
    keywords: ["hc-ping.com/"],
    pattern: /https:\/\/hc-ping\.com\/[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/g,
    around: true
  },
  { id: "heroku", name: "Heroku API key", pattern: /HRKU-[\w-]{36,80}/y },
  { id: "honeycomb", name: "Honeycomb key", keywords: ["hcaik_", "hcamk_"], pattern: /hca[im]k_[a-z\d]{58,64}\b/y },
  {
    id: "honeycomb-team",
    name: "Honeycomb API key",
    pattern: /x-honeycomb-team["']?[ \t]*[=:,][ \t]*["']?([A-Za-z\d]{20,64})\b/iy
  },
  {
    id: "hubspot",
    name: "HubSpot token",
    pattern: /pat-(?:na|eu|ap)\d-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  { id: "huggingface", name: "Hugging Face token", pattern: /hf_[A-Za-z]{34}\b/y },
  {
    id: "huggingface-organization",
    name: "Hugging Face organization token",
    pattern: /api_org_[a-zA-Z]{34}\b/y
  },
  {
    id: "infisical",
    name: "Infisical service token",
    pattern: /st\.[a-f\d]{8,24}(?:-[a-f\d-]{27})?\.[a-f\d]{32}\.[a-f\d]{32}\b/y
  },
  { id: "infracost", name: "Infracost API key", pattern: /ico-[A-Za-z\d]{32}\b/y },
  {
    id: "infura",
    name: "Infura API key",
    keywords: [".infura.io/"],
    pattern: /\b[\w-]{3,40}\.infura\.io\/(?:ws\/)?v3\/([a-f\d]{32})\b/g,
    around: true
  },
  {
    id: "inngest",
    name: "Inngest signing key",
    pattern: /signkey-(?:prod|test|branch)-[a-f\d]{64}\b/y
  },
  { id: "instagram", name: "Instagram access token", keywords: ["igqv", "igqw"], pattern: /IGQ[VW][\w-]{100,300}/y },
  {
    id: "intercom",
    name: "Intercom token",
    pattern: /dG9rO[A-Za-z\d+/=]{50,60}(?![A-Za-z\d+/=])/y
  },
  { id: "intra42", name: "Intra 42 client secret", pattern: /s-s4t2(?:ud|af)-[a-f\d]{64}\b/y },
  { id: "ionic", name: "Ionic token", pattern: /ion_[A-Za-z\d]{42}\b/y },
  {
    id: "jenkins-setup",
    name: "Jenkins setup password",
    pattern: /password to proceed to installation:\s+([a-f\d]{32})\b/iy
  },
  {
    id: "jina",
    name: "Jina AI API key",
    advice: advice.modelApi,
    pattern: /jina_[a-f\d]{32}[\w-]{28}(?![\w-])/y
  },
  { id: "klaviyo", name: "Klaviyo private key", pattern: /pk_[a-f\d]{34}\b/y },
  { id: "kolide", name: "Kolide API key", pattern: /k2sk_v\d_[A-Za-z\d]{24}\b/y },
  {
    id: "langchain",
    name: "LangSmith API key",
    keywords: ["lsv2_", "ls__"],
    pattern: /(?:lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}|ls__[a-f\d]{32})\b/y
  },
  {
    id: "langfuse",
    name: "Langfuse secret key",
    pattern: /sk-lf-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  {
    id: "lark-webhook",
    name: "Lark or Feishu webhook",
    keywords: ["/open-apis/bot/"],
    pattern:
      /https:\/\/open\.(?:larksuite\.com|feishu\.cn)\/open-apis\/bot\/(?:v2\/)?hook\/[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/g,
    around: true
  },
  {
    id: "launchdarkly",
    name: "LaunchDarkly key",
    keywords: ["api-", "sdk-", "mob-"],
    pattern: /(?:api|sdk|mob)-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[a-f\d]{4}-[a-f\d]{12}\b/y
  },
  { id: "lichess", name: "Lichess token", pattern: /lip_[A-Za-z\d]{16,60}\b/y },
  { id: "linear", name: "Linear API key", pattern: /lin_api_\w{32,128}(?!\w)/y },
  {
    id: "liveblocks",
    name: "Liveblocks secret key",
    keywords: ["sk_prod_", "sk_dev_"],
    pattern: /sk_(?:prod|dev)_[\w-]{24,70}(?![\w-])/y
  },
  { id: "llamaindex", name: "LlamaIndex API key", pattern: /llx-[\w-]{48}(?![\w-])/y },
  { id: "lob", name: "Lob API key", pattern: /live_[a-f\d]{35}\b/y },
  {
    id: "mailchimp",
    name: "Mailchimp API key",
    keywords: ["-us"],
    pattern: /(?<![a-f\d])[a-f\d]{32}-us\d{1,2}\b/g,
    around: true
  },
  { id: "mailersend", name: "MailerSend token", pattern: /mlsn\.[A-Za-z\d]{30,100}\b/y },
  { id: "mailgun", name: "Mailgun API key", pattern: /key-[a-f\d]{32}\b/y },
  { id: "mapbox", name: "Mapbox secret token", pattern: /sk\.eyJ[\w-]{60,120}\.[\w-]{20,30}/y },
  {
    id: "maxmind",
    name: "MaxMind license key",
    keywords: ["_mmk"],
    pattern: /[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk\b/g,
    around: true
  },
  {
    id: "mercadopago",
    name: "Mercado Pago access token",
    pattern: /APP_USR-\d{12,16}-\d{6}-[a-f\d]{32}-\d{6,12}\b/y
  },
  {
    id: "mercury",
    name: "Mercury API token",
    pattern: /mercury_production_[\w+/=-]{20,100}_yrucrem\b/y
  },
  {
    id: "mergify",
    name: "Mergify application key",
    pattern: /mergify_application_key_[\w-]{40,100}(?![\w-])/y
  },
  {
    id: "mattermost-webhook",
    name: "Mattermost or Rocket.Chat webhook",
    keywords: ["/hooks/"],
    pattern: /https?:\/\/[\w.:-]+\/hooks\/(?:[a-z\d]{26}|[A-Za-z\d]{17,24}\/[A-Za-z\d]{40,64})(?![\w/.-])/g,
    around: true
  },
  {
    id: "microsoft-teams-webhook",
    name: "Microsoft Teams webhook",
    keywords: [".office.com/webhook"],
    pattern:
      /https:\/\/(?:[\w-]+\.webhook|outlook)\.office\.com\/webhook(?:b2)?\/[\w@-]{73,80}\/IncomingWebhook\/[a-z\d]{32}\/[a-z\d-]{36}(?![a-z\d-])/g,
    around: true
  },
  {
    id: "minimax",
    name: "MiniMax API key",
    advice: advice.modelApi,
    pattern: /sk-api-[\w-]{119}(?![\w-])/y
  },
  {
    id: "mongodb-atlas-service-account",
    name: "MongoDB Atlas service account secret",
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
  { id: "neon", name: "Neon API key", pattern: /napi_[a-z\d]{64}\b/y },
  { id: "netbird", name: "NetBird token", pattern: /nbp_[A-Za-z\d]{36}\b/y },
  { id: "netlify", name: "Netlify token", pattern: /nfp_[A-Za-z\d]{36}\b/y },
  {
    id: "newrelic",
    name: "New Relic key",
    keywords: ["nrak-", "nrii-", "nriq-", "nrjs-", "nraa-", "nrra-"],
    pattern: /NR(?:AK-[A-Z\d]{27}|I[IQ]-[\w-]{25,32}|JS-[a-f\d]{19}|AA-[a-f\d]{27}|RA-[a-f\d]{42})\b/iy
  },
  {
    id: "newrelic-license",
    name: "New Relic license key",
    keywords: ["nral"],
    pattern: /(?:[a-f\d]{36}|(?:eu|gov)\d\dxx[a-f\d]{30})NRAL\b/g,
    around: true
  },
  {
    id: "ngrok",
    name: "ngrok token",
    pattern: /ngrok[\w .,"'=:>-]{0,40}?["'=: ](\d[A-Za-z\d]{26,27}_[A-Za-z\d]{17,24})\b/iy
  },
  {
    id: "notion",
    name: "Notion token",
    keywords: ["secret_", "ntn_"],
    pattern: /(?:secret_[A-Za-z\d]{43}|ntn_[A-Za-z\d]{40,50})\b/y
  },
  { id: "npm", name: "npm token", advice: advice.npm, pattern: /npm_[A-Za-z\d_]{36}(?!\w)/y },
  { id: "nuget", name: "NuGet API key", pattern: /oy2[a-z\d]{43}\b/y },
  {
    id: "nvidia",
    name: "NVIDIA API key",
    advice: advice.modelApi,
    pattern: /nvapi-[\w-]{60,70}(?![\w-])/y
  },
  {
    id: "octopus",
    name: "Octopus Deploy API key",
    pattern: /API-[A-Z\d]{25,36}\b/y
  },
  {
    id: "okta",
    name: "Okta API token",
    pattern: /okta[\w .,"'=:>-]{0,40}?["'=: ](00[\w=-]{40})(?![\w=-])/iy
  },
  { id: "onesignal", name: "OneSignal API key", pattern: /os_v2_(?:app|org)_[a-z2-7]{103}\b/y },
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
    pattern: /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,120}|sk-[A-Za-z\d]{48}(?![\w-])/y
  },
  {
    id: "openrouter",
    name: "OpenRouter API key",
    advice: advice.modelApi,
    pattern: /sk-or-v1-[a-f\d]{64}\b/y
  },
  { id: "openshift", name: "OpenShift token", pattern: /sha256~[\w-]{43}(?![\w-])/y },
  {
    id: "openweathermap",
    name: "OpenWeatherMap API key",
    keywords: ["openweathermap.org/"],
    pattern: /\bopenweathermap\.org\/[^\s"'`]{1,200}?[?&]appid=([a-f\d]{32})\b/gi,
    around: true
  },
  {
    id: "ory",
    name: "Ory token",
    keywords: ["ory_pat_", "ory_apikey_", "ory_wak_"],
    pattern: /ory_(?:pat|apikey|wak)_[A-Za-z\d]{32}\b/y
  },
  {
    id: "packagist",
    name: "Packagist token",
    pattern: /packagist_(?:ack|acs|ora|org|ort|out|uut)_[a-f\d]{68,80}\b/iy
  },
  {
    id: "paddle",
    name: "Paddle API key",
    pattern: /pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[a-zA-Z\d]{22}_[a-zA-Z\d]{3}\b/y
  },
  { id: "pangea", name: "Pangea token", pattern: /pts_[a-z\d]{32}\b/y, form: "loose-format" },
  {
    id: "paystack",
    name: "Paystack secret key",
    keywords: ["sk_live_", "sk_test_"],
    pattern: /sk_(?:live|test)_[a-f\d]{40}\b/y
  },
  {
    id: "perplexity",
    name: "Perplexity API key",
    advice: advice.modelApi,
    pattern: /pplx-[A-Za-z\d]{48}\b/y
  },
  {
    id: "persona",
    name: "Persona API key",
    pattern: /persona_production_[a-z\d_-]{20,80}(?![\w-])/y
  },
  {
    id: "pinecone",
    name: "Pinecone API key",
    pattern: /pcsk_[A-Za-z\d]{4,6}_[A-Za-z\d]{50,70}\b/y
  },
  {
    id: "pinterest",
    name: "Pinterest access token",
    pattern: /pina_[\w-]{20,160}(?![\w-])/y
  },
  {
    id: "plaid",
    name: "Plaid access token",
    pattern: /access-(?:sandbox|development|production)-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  {
    id: "planetscale",
    name: "PlanetScale secret",
    pattern: /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/y
  },
  {
    id: "polar",
    name: "Polar token",
    pattern: /polar_(?:oat|pat|at)_[\w-]{20,100}(?![\w-])/y
  },
  { id: "porkbun", name: "Porkbun API key", keywords: ["sk1_", "pk1_"], pattern: /[sp]k1_[a-f\d]{64}\b/y },
  { id: "portainer", name: "Portainer access token", pattern: /ptr_[\w+/=-]{44}(?![\w+/=-])/y },
  {
    id: "posthog",
    name: "PostHog key",
    keywords: ["phx_", "phs_", "phr_", "pha_"],
    pattern: /ph[xsra]_[\w-]{43,50}(?![\w-])/y
  },
  { id: "postman", name: "Postman API key", pattern: /PMAK-[a-f\d]{24}-[a-f\d]{34}\b/iy },
  {
    id: "postman-collection",
    name: "Postman collection access key",
    pattern: /PMAT-[A-Z\d]{26}\b/y
  },
  {
    id: "proof",
    name: "Proof API key",
    // Requires a digit: names in code may have the same prefix.
    pattern: /prf_(?=[\w-]{24,80}(?![\w-]))[A-Za-z_-]*\d[\w-]*/y
  },
  { id: "prefect", name: "Prefect API key", keywords: ["pnu_", "pnb_"], pattern: /pn[ub]_[A-Za-z\d]{36}\b/y },
  { id: "pubnub", name: "PubNub secret key", pattern: /sec-c-[A-Za-z\d]{48}\b/y },
  { id: "pulumi", name: "Pulumi token", pattern: /pul-[a-f\d]{40}\b/y },
  { id: "pypi", name: "PyPI token", advice: advice.pypi, pattern: /pypi-AgE[\w-]{84,1000}/y },
  { id: "ramp", name: "Ramp client secret", pattern: /ramp_sec_[A-Za-z\d]{40,64}\b/y },
  {
    id: "rapidapi",
    name: "RapidAPI key",
    keywords: ["msh"],
    pattern: /\b([a-f\d]{10}msh[a-f\d]{15}p1[a-f\d]{6}jsn[a-f\d]{12})\b/g,
    around: true
  },
  {
    id: "razorpay",
    name: "Razorpay key ID",
    pattern: /rzp_live_[A-Za-z\d]{14}\b/y,
    form: "key-id"
  },
  { id: "redirect-pizza", name: "redirect.pizza API token", pattern: /rpa_[A-Za-z\d]{30}\b/y },
  { id: "readme", name: "ReadMe API key", pattern: /rdme_[a-z\d]{70}\b/y },
  { id: "render", name: "Render API key", pattern: /rnd_[A-Za-z\d]{28,40}\b/y },
  { id: "replicate", name: "Replicate token", advice: advice.modelApi, pattern: /r8_[\w-]{37}\b/y },
  { id: "resend", name: "Resend API key", pattern: /re_[A-Za-z\d]{8}_[A-Za-z\d]{24}\b/y },
  { id: "retell", name: "Retell API key", pattern: /key_[a-f\d]{28}\b/y, form: "loose-format" },
  {
    id: "riot",
    name: "Riot Games API key",
    pattern: /RGAPI-[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/y
  },
  { id: "rootly", name: "Rootly API key", pattern: /rootly_[a-f\d]{64}\b/y },
  { id: "rubygems", name: "RubyGems API key", pattern: /rubygems_[a-f\d]{48}\b/y },
  { id: "runpod", name: "RunPod API key", pattern: /rpa_[A-Za-z\d]{46}\b/y },
  {
    id: "runway",
    name: "Runway API key",
    advice: advice.modelApi,
    pattern: /key_[a-f\d]{128}\b/y
  },
  {
    id: "salesforce",
    name: "Salesforce token",
    keywords: ["00d", "!aq", "!ar"],
    around: true,
    pattern:
      /(?<!\w)00(?:D[A-Za-z\d]{12,15}![A-Za-z\d._]{80,260}|[A-Za-z\d]{13,16}!A[QR][A-Za-z\d._]{78,258})(?![\w.])/g
  },
  {
    id: "samsara",
    name: "Samsara API token",
    pattern: /samsara_api_[A-Za-z\d]{26,32}\b/y
  },
  {
    id: "scale",
    name: "Scale API key",
    pattern: /scale[\w .,"'=:>-]{0,40}?["'=: ](live_[a-z\d]{32})\b/iy
  },
  { id: "scalingo", name: "Scalingo token", pattern: /tk-us-[\w-]{48}(?![\w-])/y },
  { id: "segment", name: "Segment public API token", pattern: /sgp_[A-Za-z\d]{64}\b/y },
  {
    id: "sendgrid",
    name: "SendGrid API key",
    advice: advice.sendgrid,
    pattern: /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y
  },
  {
    id: "sendinblue",
    name: "Brevo API key",
    keywords: ["xkeysib-", "xsmtpsib-"],
    pattern: /x(?:key|smtp)sib-[a-f\d]{64}-[A-Za-z\d]{16}\b/y
  },
  { id: "sentry", name: "Sentry token", keywords: ["sntrys_", "sntryu_"], pattern: /sntry[su]_[\w+/=-]{60,400}/y },
  {
    id: "settlemint",
    name: "SettleMint token",
    keywords: ["sm_pat_", "sm_aat_", "sm_sat_"],
    pattern: /sm_[pas]at_[A-Za-z\d]{16}\b/y
  },
  { id: "shippo", name: "Shippo token", pattern: /shippo_(?:live|test)_[a-f\d]{40}\b/y },
  {
    id: "shopify",
    name: "Shopify token",
    advice: advice.shopify,
    keywords: ["shppa_", "shpca_", "shpat_", "shpss_"],
    pattern: /shp(?:[pc]a|at|ss)_[A-Za-z\d]{32,64}\b/y
  },
  {
    id: "sidekiq",
    name: "Sidekiq license credential",
    keywords: ["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"],
    pattern: /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM\w*["']?\s*[:=.?>]{1,4}\s*["'`]?([a-f\d]{8}:[a-f\d]{8})\b/iy
  },
  {
    id: "slack",
    name: "Slack token",
    advice: advice.slack,
    keywords: ["xoxe", "xoxs-", "xoxd-", "xoxc-", "xoxb-", "xoxp-", "xoxa-", "xoxr-"],
    pattern:
      /(?:xoxe\.xox[bp]-\d-[A-Za-z\d]{120,200}|xoxe-\d-[A-Za-z\d]{100,180}|xoxd-[A-Za-z\d%]{40,250}|xox[bpasrce]-(?:\d-)?\d{6,14}-[A-Za-z\d-]{10,250})/iy
  },
  {
    id: "slack-app",
    name: "Slack app token",
    advice: advice.slack,
    pattern: /xapp-\d-[A-Z\d]+-\d+-[a-f\d]+\b/iy
  },
  {
    id: "slack-webhook",
    name: "Slack webhook",
    advice: advice.slack,
    keywords: ["hooks.slack.com"],
    pattern: /https?:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z\d+/]{36,70}(?![A-Za-z\d+/])/g,
    around: true
  },
  {
    id: "snyk",
    name: "Snyk token",
    pattern: /snyk[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12})\b/iy
  },
  {
    id: "snyk-service",
    name: "Snyk service account token",
    pattern: /snyk_(?:uat|sat)\.[a-z\d]{8}\.eyJ[\w-]+\.[\w-]+\.[\w-]+/y
  },
  {
    id: "sonar-login",
    name: "SonarQube token",
    pattern: /sonar[\w.]{0,20}(?:login|token)["']?[ \t]*[=:,][ \t]*["']?([a-f\d]{40})\b/iy
  },
  { id: "sonarqube", name: "SonarQube token", keywords: ["squ_", "sqp_", "sqa_"], pattern: /sq[upa]_[a-f\d]{40}\b/y },
  {
    id: "sourcegraph",
    name: "Sourcegraph token",
    keywords: ["sgp_", "slk_"],
    pattern: /(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f\d]{64})\b/y
  },
  { id: "spectral", name: "Spectral key", pattern: /spu-[a-f\d]{32}\b/y },
  {
    id: "square",
    name: "Square access token",
    keywords: ["sq0", "eaaa"],
    pattern: /(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/y
  },
  { id: "stackhawk", name: "StackHawk API key", pattern: /hawk\.[\w-]{20}\.[\w-]{20}(?![\w-])/y },
  {
    id: "stripe",
    name: "Stripe key",
    advice: advice.stripe,
    keywords: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "whsec_"],
    pattern: /(?:[sr]k_(?:live|test|prod)_[A-Za-z\d]{10,120}|whsec_[A-Za-z\d+/]{32,64}=?)/y
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
    pattern: /(?<![\w+/])[A-Za-z\d+/]{22}==:[A-Za-z\d]{32}\b/g,
    around: true
  },
  {
    id: "tailscale",
    name: "Tailscale key",
    pattern: /tskey-[a-z]+-[A-Za-z\d]+-[A-Za-z\d]+\b/y
  },
  {
    id: "tavily",
    name: "Tavily API key",
    advice: advice.modelApi,
    pattern: /tvly-(?:(?:dev|prod)-)?[A-Za-z\d]{32}\b/y
  },
  {
    id: "teamcity",
    name: "TeamCity access token",
    pattern: /eyJ0eXAiOiAiVENWMiJ9\.[\w-]{16,120}\.[\w+/=-]{30,90}(?![\w+/=-])/y
  },
  { id: "teamwork", name: "Teamwork API token", pattern: /tkn\.v1_[\w+/=-]{60,100}(?![\w+/=-])/y },
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
    pattern: /\b[A-Za-z\d]{14}\.atlasv1\.[\w=-]{60,70}/g,
    around: true
  },
  {
    id: "thingsboard",
    name: "ThingsBoard access token",
    keywords: ["/telemetry", "/attributes"],
    pattern: /\/api\/v1\/([A-Za-z\d]{20})\/(?:telemetry|attributes)\b/g,
    around: true
  },
  { id: "thunderstore", name: "Thunderstore token", pattern: /tss_[\w-]{20,80}(?![\w-])/y },
  {
    id: "tines-webhook",
    name: "Tines webhook",
    keywords: [".tines.com/webhook/"],
    pattern: /https:\/\/[\w-]+\.tines\.com\/webhook\/[a-f\d]{32}\/[a-f\d]{32}\b/g,
    around: true
  },
  { id: "tinybird", name: "Tinybird token", pattern: /p\.eyJ[\w-]{60,}\.[\w-]{20,}/y },
  {
    id: "together",
    name: "Together AI API key",
    advice: advice.modelApi,
    pattern: /tgp_v1_[\w-]{43}(?![\w-])/y
  },
  {
    id: "truenas",
    name: "TrueNAS API key",
    keywords: ["truenas", "auth.login_with_api_key"],
    pattern: /(?:truenas|auth\.login_with_api_key)[\w\s.,"'=:>[-]{0,40}?["'=:\s[](\d{1,3}-[A-Za-z\d]{64})\b/iy
  },
  { id: "twilio", name: "Twilio API key", advice: advice.twilio, pattern: /SK[a-f\d]{32}\b/y },
  {
    id: "twitter-bearer",
    name: "Twitter bearer token",
    keywords: ["aaaaaaaaaaaaaaaaaaaaa"],
    pattern: /A{21,22}(?!A)[A-Za-z\d%]{60,100}(?![\w%+/=])/y
  },
  { id: "typeform", name: "Typeform token", pattern: /tfp_[\w.=-]{59}(?![\w.=-])/y },
  { id: "ubidots", name: "Ubidots token", pattern: /BBFF-[A-Za-z\d]{30}\b/y },
  { id: "unkey", name: "Unkey root key", pattern: /unkey_[A-Za-z\d]{20,40}\b/y },
  { id: "upcloud", name: "UpCloud API token", pattern: /ucat_[A-Za-z\d]{24,32}\b/y },
  { id: "valtown", name: "Val Town token", pattern: /vtwn_[\w-]{20,80}(?![\w-])/y },
  {
    id: "vault",
    name: "HashiCorp Vault token",
    keywords: ["hvs.", "hvb.", "hvr."],
    pattern: /hv[sbr]\.[\w-]{24,300}/y
  },
  {
    id: "vault-unseal",
    name: "HashiCorp Vault unseal key",
    pattern: /unseal(?:[ \t]+key(?:[ \t]+\d)?[ \t]*:)?[ \t]+([A-Za-z\d+/]{44})(?![\w+/])/iy
  },
  {
    id: "vercel",
    name: "Vercel token",
    keywords: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
    pattern: /vc[piark]_[\w-]{24,80}(?![\w-])/y
  },
  {
    id: "vercel-blob",
    name: "Vercel Blob token",
    pattern: /vercel_blob_rw_[A-Za-z\d]{16}_[A-Za-z\d]{30,32}\b/y
  },
  { id: "voiceflow", name: "Voiceflow API key", pattern: /VF\.(?:[A-Z]{2}\.)?[a-f\d]{24}\.[A-Za-z\d]{16}\b/y },
  {
    id: "voyage",
    name: "Voyage AI API key",
    advice: advice.modelApi,
    pattern: /pa-(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])/y,
    form: "loose-format"
  },
  {
    id: "wakatime",
    name: "WakaTime API key",
    pattern: /waka_(?:[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}|[a-z\d]{36,64})\b/y
  },
  {
    id: "weights-and-biases",
    name: "Weights & Biases API key",
    pattern: /wandb[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{40})\b/iy
  },
  {
    id: "weights-and-biases-v1",
    name: "Weights & Biases API key",
    pattern: /wandb_v1_\w{77}(?!\w)/y
  },
  {
    id: "workato",
    name: "Workato API token",
    pattern: /wrka(?:[a-z]{2})?-eyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{64,}(?![\w-])/y
  },
  {
    id: "xai",
    name: "xAI API key",
    advice: advice.modelApi,
    pattern: /xai-[A-Za-z\d]{60,120}\b/y
  },
  {
    id: "yandex",
    name: "Yandex Cloud key",
    keywords: ["aqvn", "ycaj", "ycm", "t1."],
    pattern:
      /(?:AQVN[\w-]{35,38}|YC(?:AJE|M)[\w-]{22,40}|t1\.[A-Z\da-z_-]+[=]{0,2}\.[A-Z\da-z_-]{86}[=]{0,2})(?![\w-])/y
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
    pattern: /(?:zhipu|bigmodel|glm_|zai_)[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{32}\.[A-Za-z\d]{16})\b/iy
  },
  { id: "zoho", name: "Zoho OAuth token", pattern: /1000\.[a-f\d]{32}\.[a-f\d]{32}\b/y },
  { id: "zuplo", name: "Zuplo API key", pattern: /zpka_[a-z\d]{32}_[a-f\d]{8}\b/y }
]

/**
 * Names for rule ids of other scanners, from a repository's own `.gitleaks.toml`, that are not the id of a format here.
 */
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

/** All sentences of advice, each once. */
export const providerAdvice: ReadonlyArray<string> = Object.values(advice)

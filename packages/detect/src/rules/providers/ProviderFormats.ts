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
   * beginnings of the pattern.
   */
  readonly keywords?: readonly [string, ...ReadonlyArray<string>]
  /**
   * The token is the first group or, without groups, the whole match. A sticky expression starts at the keyword. A
   * global one is searched for in the whole line: the keyword is before or inside the token.
   */
  readonly pattern: RegExp
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

/** Advice alone, or other members too. */
type More = string | Omit<ProviderFormat, "id" | "name" | "pattern">
type Row = readonly [id: string, name: string, pattern: RegExp, more?: More]

const rows: ReadonlyArray<Row> = [
  [
    "1password-secret-key",
    "1Password secret key",
    /A3-[A-Z\d]{6}-(?:[A-Z\d]{11}|[A-Z\d]{6}-[A-Z\d]{5})(?:-[A-Z\d]{5}){3}\b/y
  ],
  ["1password-service-account", "1Password service account token", /ops_eyJ[\w+/-]{200,}={0,3}/y],
  ["adafruit", "Adafruit IO key", /aio_[A-Za-z\d]{28}\b/y],
  ["adobe", "Adobe client secret", /p8[eE][-_][A-Za-z\d]{32}\b/y],
  ["age", "age secret key", /AGE-SECRET-KEY-1[0-9A-Z]{58}\b/y, { form: "private-key" }],
  ["aikido", "Aikido token", /AIK_(?:SECRET_[\w-]{40,100}|CI_[\w-]{20,100})(?![\w-])/y],
  ["airtable", "Airtable token", /pat[A-Za-z\d]{14}\.[a-f\d]{64}\b/y],
  ["akamai", "Akamai token", /akab-[a-z\d]{16}-[a-z\d]{16}(?![\w-])/y],
  ["alchemy", "Alchemy API key", /alcht_[A-Za-z\d]{30}\b/y],
  ["alchemy-url", "Alchemy API key", /\balchemy\.com\/v2\/([\w-]{32})(?![\w-])/g, { keywords: ["alchemy.com/v2/"] }],
  ["alibaba-access-key-id", "Alibaba Cloud access key ID", /LTAI[A-Za-z\d]{17,21}\b/y, { form: "key-id" }],
  // Requires a digit: names of operations have the same form.
  ["alibaba-sts", "Alibaba Cloud STS access key ID", /STS\.(?=[A-Za-z]*\d)[A-Za-z\d]{20,40}\b/y, { form: "key-id" }],
  ["amazon-marketplace", "Amazon Marketplace token", /amzn\.mws\.[a-f\d-]{36}\b/y],
  ["anthropic", "Anthropic API key", /sk-ant-(?:admin|oat|sid|api)\d\d-[\w-]{80,120}/y, advice.modelApi],
  ["apify", "Apify API token", /apify_api_[A-Za-z\d]{34,38}\b/y],
  ["appsync", "AWS AppSync API key", /da2-[a-z\d]{26}\b/y, advice.aws],
  ["artifactory", "Artifactory token", /(?:AKC[A-Za-z\d]{64,73}|cmVmdGtuO[A-Za-z\d]{50,70})(?![\w+/=])/y],
  ["artifactory-reference", "Artifactory reference token", /cmVmd[A-Za-z\d]{59}\b/y],
  ["asaas", "Asaas API key", /\$aact_prod_[\w:$=+/-]{20,300}/y],
  [
    "asana",
    "Asana token",
    /asana[\w .,"'=:>-]{0,40}?["'=: ]([01]\/\d{13,20}:[a-f\d]{32}|\d\/\d{13,20}\/\d{13,20}:[a-f\d]{32})\b/iy
  ],
  ["astra", "DataStax Astra token", /AstraCS:[A-Za-z\d]{24}:[a-f\d]{64}\b/y],
  ["atlassian", "Atlassian API token", /(?:ATATT3|ATCTT3)[\w=-]{100,260}/y],
  ["atlassian-datacenter", "Atlassian Data Center token", /BBDC-[A-Za-z\d+/@_-]{40,50}(?![\w+/@-])/y],
  // Base64 of the id, which has twelve digits, a colon and the random part.
  [
    "atlassian-datacenter-id",
    "Atlassian Data Center token",
    /(?<![\w+/])((?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4}O[g-v][A-Za-z\d+/]{26})(?![\w+/=])/g,
    { keywords: ["jira", "confluence", "bitbucket", "atlassian"] }
  ],
  [
    "authress",
    "Authress access key",
    /(?:sc|ext|scauth|authress)_[A-Za-z\d]{5,30}\.[A-Za-z\d]{4,6}\.acc[_-][A-Za-z\d-]{10,32}\.[\w+/=-]{30,120}(?![\w+/=-])/y
  ],
  [
    "aws-access-key-id",
    "AWS access key ID",
    /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z\d])[A-Z2-7]{16}\b/y,
    { advice: advice.aws, form: "key-id" }
  ],
  ["aws-bedrock", "AWS Bedrock API key", /ABSK[A-Za-z\d+/]{109,269}={0,2}/y, advice.aws],
  [
    "aws-secret-access-key",
    "AWS secret access key",
    /(?:secret_?access_?key["']?[ \t]*(?:=>?|:|,)|\bA(?:KIA|SIA)[A-Z2-7]{16}["']?[ \t]*[:,;/|])[ \t]*["']?([A-Za-z\d/+]{40})(?![A-Za-z\d/+=])/gi,
    {
      advice: advice.aws,
      keywords: ["secret_access_key", "secretaccesskey", "secret_accesskey", "secretaccess_key", "akia", "asia"]
    }
  ],
  ["axiom", "Axiom token", /xa[ap]t-[a-f\d-]{36}\b/y],
  [
    "azure-client-secret",
    "Azure client secret",
    /(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g,
    { advice: advice.azure, keywords: ["q~"] }
  ],
  [
    "azure-container-registry",
    "Azure Container Registry password",
    /(?<![\w+/])([A-Za-z\d+/]{42}\+ACR[A-D][A-Za-z\d+/]{5})(?![\w+/])/g,
    { advice: advice.azure, keywords: ["+acr"] }
  ],
  [
    "azure-devops",
    "Azure DevOps token",
    /[A-Za-z\d]{76}AZDO[A-Za-z\d]{4}\b/g,
    { advice: advice.azure, keywords: ["azdo"] }
  ],
  ["azure-function", "Azure Functions key", /code=([\w-]{52,54}(?:==|%3D%3D))/y, advice.azure],
  [
    "azure-logic-app",
    "Azure Logic Apps trigger",
    /sp=(?:%2F|\/)triggers[^\s"'<>]{0,120}?[&;]sig=([\w-]{43})(?![\w-])/iy,
    { advice: advice.azure, keywords: ["sp=%2ftriggers", "sp=/triggers"] }
  ],
  ["azure-sas", "Azure shared access signature", /sig=([A-Za-z\d%+/]{43,63}(?:%3D|=))/y, advice.azure],
  [
    "azure-search",
    "Azure AI Search key",
    /\b([A-Za-z\d]{42}AzSe[A-D][A-Za-z\d]{5})\b/g,
    { advice: advice.azure, keywords: ["azse"] }
  ],
  [
    "azure-storage",
    "Azure storage key",
    /(?:AccountKey|SharedAccessKey)\s*=\s*([A-Za-z\d+/]{42,86}={1,2})/iy,
    advice.azure
  ],
  ["bannerbear", "Bannerbear API key", /bb_(?:pr|ma)_[a-f\d]{30}\b/y],
  ["beamer", "Beamer API key", /b_[A-Za-z\d=_-]{44}(?![\w=-])/y, { form: "loose-format" }],
  ["bedrock", "AWS Bedrock API key", /bedrock-api-key-[\w+/=]{32,1000}/y, advice.aws],
  ["bitbucket-app-password", "Bitbucket app password", /ATBB[A-Za-z\d]{20,40}\b/y],
  ["blockfrost", "Blockfrost project token", /(?:mainnet|preprod)[A-Za-z\d]{32}\b/y],
  ["braintree", "Braintree access token", /access_token\$(?:production|sandbox)\$[a-z\d]{16}\$[a-f\d]{32}\b/y],
  ["branch", "Branch key", /key_live_[A-Za-z\d]{32}\b/y, { form: "loose-format" }],
  ["brave-search", "Brave Search API key", /BSA[\w-]{24,40}(?![\w-])/y, { form: "loose-format" }],
  ["buildkite", "Buildkite token", /bk(?:ua_[a-z\d]{40,53}\b|(?:aa|aj|ar|ct|pt|pat|ps)_[\w-]{40,340}(?![\w-]))/y],
  ["calcom", "Cal.com API key", /cal_live_[a-f\d]{32}\b/y],
  ["canva", "Canva client secret", /cnvca[\w-]{51}(?![\w-])/y],
  ["cerebras", "Cerebras API key", /csk-[a-z\d]{48}\b/y, advice.modelApi],
  ["circleci", "CircleCI token", /CCIP(?:AT|RJ)_[A-Za-z\d]{22}_[a-z\d]{40}\b/iy],
  ["clickhouse", "ClickHouse Cloud API secret", /4b1d[A-Za-z\d]{38}\b/y, { form: "loose-format" }],
  ["clickup", "ClickUp token", /pk_\d{6,9}_[A-Z\d]{32}\b/y],
  ["clojars", "Clojars token", /CLOJARS_[a-z\d]{60}\b/iy],
  ["close", "Close API key", /api_[A-Za-z\d]{22}\.[A-Za-z\d]{22}\b/y],
  ["cloudflare", "Cloudflare API token", /cf(?:k|ut|at)_[A-Za-z\d]{48}(?![\w-])/y],
  ["cloudflare-origin-ca", "Cloudflare origin CA key", /v1\.0-[a-f\d]{24}-[a-f\d]{146}\b/y],
  ["cloudinary", "Cloudinary API secret", /cloudinary:\/\/\d{10,20}:([\w-]{20,40})@/y],
  ["cloudsmith", "Cloudsmith API key", /csa_[A-Za-z\d]{36}\b/y],
  ["cockroach", "CockroachDB Cloud API key", /CCDB1_[A-Za-z\d]{22}_[A-Za-z\d]{40}\b/y],
  ["codeclimate", "Code Climate reporter ID", /cc_test_reporter_id["']?[ \t]*[:=][ \t]*["']?([a-f\d]{64})\b/iy],
  ["coderabbit", "CodeRabbit API key", /cr-[a-f\d]{58}\b/y],
  ["configcat", "ConfigCat SDK key", /configcat-sdk-1\/[\w-]{22}\/[\w-]{22}(?![\w-])/y],
  ["confluent", "Confluent Cloud API secret", /cflt[A-Za-z\d+/]{60}(?![\w+/])/y],
  ["contentful", "Contentful token", /CFPAT-[\w-]{43}\b/y],
  ["cratesio", "crates.io token", /cio[A-Za-z\d]{32}\b/y],
  ["cursor", "Cursor API key", /key_[a-f\d]{64}\b/y, advice.modelApi],
  ["databento", "Databento API key", /db-[A-Za-z\d]{29}\b/y, { form: "loose-format" }],
  ["databricks", "Databricks token", /dapi[a-f\d]{32}(?:-\d)?\b/iy],
  ["dbt", "dbt Cloud token", /dbt[cu]_[\w-]{43}(?![\w-])/y],
  ["deepseek", "DeepSeek API key", /sk-[a-f\d]{32}\b/y, advice.modelApi],
  ["defined-networking", "Defined Networking API key", /dnkey-[A-Z\d=_-]{26}-[A-Z\d=_-]{52}(?![\w=-])/iy],
  ["deno-deploy", "Deno Deploy token", /dd[pw]_[A-Za-z\d]{36}\b/y],
  ["deno-organization", "Deno organization token", /ddo_[A-Za-z\d]{36}\b/y],
  ["dependency-track", "Dependency-Track API key", /odt_[A-Za-z\d]{32,64}\b/y],
  ["devcycle", "DevCycle server key", /dvc_server_\w{20,60}(?!\w)/y],
  ["devin", "Devin API key", /(?:cog_[a-z2-7]{52}|apk_(?:user_)?[\w+/=-]{60,200})(?![\w+/=-])/y],
  ["digitalocean", "DigitalOcean token", /do[opra]_v1_[a-f\d]{64}\b/y],
  [
    "discord-bot",
    "Discord bot token",
    /(?<![\w.-])([MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40})(?![\w.-])/g,
    { keywords: ["discord", "bot"] }
  ],
  [
    "discord-webhook",
    "Discord webhook",
    /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,72}/g,
    { keywords: ["/api/webhooks/"] }
  ],
  ["docker", "Docker Hub token", /dckr_pat_[\w-]{27}(?![\w-])/y, advice.docker],
  ["docker-organization", "Docker organization access token", /dckr_oat_[\w-]{32}(?![\w-])/y, advice.docker],
  [
    "docker-swarm",
    "Docker Swarm key",
    /SWM(?:KEY-1-[\w+/]{43}|TKN-1-[a-z\d]{50}-[a-z\d]{25})(?![\w+/-])/y,
    advice.docker
  ],
  ["doppler", "Doppler token", /dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z\d]{40,44}\b/y],
  ["dropbox", "Dropbox token", /sl\.(?:u\.)?[\w=-]{130,1200}/y],
  ["duffel", "Duffel token", /duffel_(?:test|live)_[\w=-]{43}(?![\w=-])/y],
  ["dynatrace", "Dynatrace token", /dt0[a-z]\d\d\.[A-Z\d]{24}\.[A-Z\d]{64}\b/iy],
  ["e2b", "E2B API key", /e2b_[a-f\d]{40}\b/y, advice.modelApi],
  ["easypost", "EasyPost API key", /EZ[AT]K[A-Za-z\d]{54}\b/y],
  ["elastic-cloud", "Elastic Cloud API key", /essu_[\w+/-]{40,200}={0,2}(?![\w+/=-])/y],
  ["elevenlabs", "ElevenLabs API key", /sk_[a-f\d]{48}\b/y, advice.modelApi],
  ["endor-labs", "Endor Labs API key", /endr\+[A-Za-z\d-]{16}(?![\w-])/y],
  ["exoscale", "Exoscale API key", /EXO[a-f\d]{24}\b/y, { form: "key-id" }],
  ["facebook", "Facebook access token", /EAA[A-Za-z\d]{3}[A-Za-z\d]{90,250}\b/y],
  [
    "facebook-app",
    "Facebook app access token",
    /(?<!\d)\d{13,17}\|[\w-]{27}(?![\w-])/g,
    { keywords: ["0|", "1|", "2|", "3|", "4|", "5|", "6|", "7|", "8|", "9|"] }
  ],
  ["fastly", "Fastly API token", /fastly[\w .,"'=:>-]{0,40}?["'=: ]([\w-]{32})(?![\w-])/iy, { form: "loose-format" }],
  ["figma", "Figma token", /fig[dpu]_[\w-]{40,200}(?![\w-])/y],
  ["firecrawl", "Firecrawl API key", /fc-[a-f\d]{32}\b/y, advice.modelApi],
  ["fireworks", "Fireworks AI API key", /fw_[A-Za-z\d]{22,24}\b/y, { advice: advice.modelApi, form: "loose-format" }],
  ["fleetbase", "Fleetbase API key", /flb_live_[A-Za-z\d]{20,40}\b/y],
  ["flexport", "Flexport API token", /shltm_[\w-]{40}(?![\w-])/y],
  ["flutterwave", "Flutterwave secret key", /FLWSECK(?:_TEST|_LIVE)?-[a-zA-Z\d]{12,32}(?:-X)?\b/y],
  [
    "flyio",
    "Fly.io token",
    /(?:fo1_[\w-]{43}(?![\w-])|fm1[ar]_[A-Za-z\d+/]{100,}={0,3}|fm2_[A-Za-z\d+/]{100,}={0,3})/y
  ],
  ["flyio-macaroon", "Fly.io token", /FlyV1 (?!f[mo]\d)([\w+/=,-]{80,2000})(?![\w+/=,-])/y],
  ["frameio", "Frame.io token", /fio-u-[\w=-]{64}(?![\w=-])/y],
  ["freemius", "Freemius secret key", /sk_[\w$*?!%&@~-]{29}(?=["'])/y, { form: "loose-format" }],
  ["friendli", "Friendli token", /flp_[A-Za-z\d]{46}\b/y],
  ["gc-notify", "GC Notify API key", /gcntfy-[\w-]{1,100}?-[a-f\d-]{36}-[a-f\d-]{36}\b/y],
  ["gemini", "Gemini API key", /AQ\.Ab8RN6[\w-]{44}(?![\w-])/y, advice.google],
  [
    "github",
    "GitHub token",
    /gh[pousr]_[A-Za-z\d]{36,255}\b|ghs_\d+_eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}|github_pat_[A-Za-z\d]{22}_[A-Za-z\d]{59}\b/y,
    advice.github
  ],
  [
    "github-basic-auth",
    "GitHub token",
    /https?:\/\/([^\s:@/]{20,255}):x-oauth-basic@github\.com/g,
    { advice: advice.github, keywords: ["x-oauth-basic"] }
  ],
  [
    "gitlab",
    "GitLab token",
    /(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|imt|oas|ffct|wt)-[\w.-]{20,300}|GR1348941[\w-]{20,30}(?![\w-]))/y,
    {
      advice: advice.gitlab
    }
  ],
  ["gitlab-session", "GitLab session cookie", /_gitlab_session=([a-z\d]{32})\b/y, advice.gitlab],
  ["gocardless", "GoCardless token", /live_[\w=-]{40}(?![\w=-])/y, { form: "loose-format" }],
  ["google-api-key", "Google API key", /AIza[\w-]{35}(?![\w-])/y, advice.google],
  ["google-oauth-secret", "Google OAuth client secret", /GOCSPX-[\w-]{28}(?![\w-])/y, advice.google],
  ["google-oauth-token", "Google OAuth token", /ya29\.[\w-]{30,1000}/y, advice.google],
  ["google-refresh-token", "Google refresh token", /1\/\/0[\w-]{35,120}/y, advice.google],
  [
    "grafana",
    "Grafana token",
    /(?:glc_[A-Za-z\d+/]{32,400}={0,3}|glsa_[A-Za-z\d]{32}_[a-fA-F0-9]{8}\b|eyJrIjoi[A-Za-z\d+/]{60,400}={0,3})/y
  ],
  ["groq", "Groq API key", /gsk_[A-Za-z\d]{52}\b/y, advice.modelApi],
  ["harness", "Harness token", /[ps]at\.[\w-]{22}\.[A-Za-z\d]{24}\.[A-Za-z\d]{20}\b/iy],
  [
    "healthchecks",
    "Healthchecks ping URL",
    /https:\/\/hc-ping\.com\/[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/g,
    { keywords: ["hc-ping.com/"] }
  ],
  ["heroku", "Heroku API key", /HRKU-[\w-]{36,80}/y],
  ["honeycomb", "Honeycomb key", /hca[im]k_[a-z\d]{58,64}\b/y],
  ["honeycomb-team", "Honeycomb API key", /x-honeycomb-team["']?[ \t]*[=:,][ \t]*["']?([A-Za-z\d]{20,64})\b/iy],
  ["hubspot", "HubSpot token", /pat-(?:na|eu|ap)\d-[a-f\d-]{36}\b/y],
  ["huggingface", "Hugging Face token", /hf_[A-Za-z\d]{34}\b/y],
  ["huggingface-organization", "Hugging Face organization token", /api_org_[a-zA-Z]{34}\b/y],
  ["infisical", "Infisical service token", /st\.[a-f\d]{8,24}(?:-[a-f\d-]{27})?\.[a-f\d]{32}\.[a-f\d]{32}\b/y],
  ["infracost", "Infracost API key", /ico-[A-Za-z\d]{32}\b/y],
  [
    "infura",
    "Infura API key",
    /\b[\w-]{3,40}\.infura\.io\/(?:ws\/)?v3\/([a-f\d]{32})\b/g,
    { keywords: [".infura.io/"] }
  ],
  ["inngest", "Inngest signing key", /signkey-(?:prod|test|branch)-[a-f\d]{64}\b/y],
  ["instagram", "Instagram access token", /IG(?:Q[VW]|AA)[\w-]{100,300}/y],
  ["intercom", "Intercom token", /dG9rO[A-Za-z\d+/=]{50,60}(?![A-Za-z\d+/=])/y],
  ["intra42", "Intra 42 client secret", /s-s4t2(?:ud|af)-[a-f\d]{64}\b/y],
  ["ionic", "Ionic token", /ion_[A-Za-z\d]{42}\b/y],
  ["jenkins-setup", "Jenkins setup password", /password to proceed to installation:\s+([a-f\d]{32})\b/iy],
  ["jina", "Jina AI API key", /jina_[a-f\d]{32}[\w-]{28}(?![\w-])/y, advice.modelApi],
  ["klaviyo", "Klaviyo private key", /pk_(?:[A-Za-z\d]{6}_)?[a-f\d]{34}\b/y],
  ["kolide", "Kolide API key", /k2sk_v\d_[A-Za-z\d]{24}\b/y],
  ["langchain", "LangSmith API key", /(?:lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}|ls__[a-f\d]{32})\b/y],
  ["langfuse", "Langfuse secret key", /sk-lf-[a-f\d-]{36}\b/y],
  [
    "lark-webhook",
    "Lark or Feishu webhook",
    /https:\/\/open\.(?:larksuite\.com|feishu\.cn)\/open-apis\/bot\/(?:v2\/)?hook\/[a-f\d-]{36}\b/g,
    { keywords: ["/open-apis/bot/"] }
  ],
  ["launchdarkly", "LaunchDarkly key", /(?:api|sdk|mob)-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[a-f\d]{4}-[a-f\d]{12}\b/y],
  ["lichess", "Lichess token", /lip_[A-Za-z\d]{16,60}\b/y],
  ["linear", "Linear API key", /lin_api_\w{32,128}(?!\w)/y],
  ["liveblocks", "Liveblocks secret key", /sk_(?:prod|dev)_[\w-]{24,70}(?![\w-])/y],
  ["llamaindex", "LlamaIndex API key", /llx-[\w-]{48}(?![\w-])/y],
  ["lob", "Lob API key", /live_[a-f\d]{35}\b/y],
  ["mailchimp", "Mailchimp API key", /(?<![a-f\d])[a-f\d]{32}-us\d{1,2}\b/g, { keywords: ["-us"] }],
  ["mailersend", "MailerSend token", /mlsn\.[A-Za-z\d]{30,100}\b/y],
  ["mailgun", "Mailgun API key", /key-[a-f\d]{32}\b/y],
  ["mapbox", "Mapbox secret token", /sk\.eyJ[\w-]{60,120}\.[\w-]{20,30}/y],
  ["maxmind", "MaxMind license key", /[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk\b/g, { keywords: ["_mmk"] }],
  ["mercadopago", "Mercado Pago access token", /APP_USR-\d{12,16}-\d{6}-[a-f\d]{32}-\d{6,12}\b/y],
  ["mercury", "Mercury API token", /mercury_production_[\w+/=-]{20,100}_yrucrem\b/y],
  ["mergify", "Mergify application key", /mergify_application_key_[\w-]{40,100}(?![\w-])/y],
  [
    "mattermost-webhook",
    "Mattermost or Rocket.Chat webhook",
    /https?:\/\/[\w.:-]+\/hooks\/(?:[a-z\d]{26}|[A-Za-z\d]{17,24}\/[A-Za-z\d]{40,64})(?![\w/.-])/g,
    { keywords: ["/hooks/"] }
  ],
  [
    "microsoft-teams-webhook",
    "Microsoft Teams webhook",
    /https:\/\/(?:[\w-]+\.webhook|outlook)\.office\.com\/webhook(?:b2)?\/[\w@-]{73,80}\/IncomingWebhook\/[a-z\d]{32}\/[a-z\d-]{36}(?![a-z\d-])/g,
    { keywords: [".office.com/webhook"] }
  ],
  ["minimax", "MiniMax API key", /sk-api-[\w-]{119}(?![\w-])/y, advice.modelApi],
  ["mongodb-atlas-service-account", "MongoDB Atlas service account secret", /mdb_sa_sk_[\w-]{40}(?![\w-])/y],
  [
    "nats-seed",
    "NATS seed",
    /S[AOU]A[A-P][A-Z2-7]{54}\b/y,
    {
      advice: "In NATS, create a new nkey, start using it, then revoke the one of this seed.",
      form: "private-key"
    }
  ],
  ["neon", "Neon API key", /napi_[A-Za-z\d]{64}\b/y],
  ["netbird", "NetBird token", /nbp_[A-Za-z\d]{36}\b/y],
  ["netlify", "Netlify token", /nfp_[A-Za-z\d]{36}\b/y],
  [
    "newrelic",
    "New Relic key",
    /NR(?:AK-[A-Z\d]{27}|I[IQ]-[\w-]{25,32}|JS-[a-f\d]{19}|AA-[a-f\d]{27}|RA-[a-f\d]{42})\b/iy
  ],
  [
    "newrelic-license",
    "New Relic license key",
    /(?:[a-f\d]{6}|eu\d\dxx|gov\d\dx)(?:[a-f\d]{30}|[a-f\d]{26}FFFF)NRAL\b/g,
    { keywords: ["nral"] }
  ],
  ["ngrok", "ngrok token", /ngrok[\w .,"'=:>-]{0,40}?["'=: ](\d[A-Za-z\d]{26,27}_[A-Za-z\d]{17,24})\b/iy],
  ["notion", "Notion token", /(?:secret_[A-Za-z\d]{43}|(?:ntn|nrt)_[A-Za-z\d]{40,50})\b/y],
  ["npm", "npm token", /npm_[A-Za-z\d_]{36}(?!\w)/y, advice.npm],
  ["nuget", "NuGet API key", /oy2[a-z\d]{43}\b/y],
  ["nvidia", "NVIDIA API key", /nvapi-[\w-]{60,70}(?![\w-])/y, advice.modelApi],
  ["octopus", "Octopus Deploy API key", /API-[A-Z\d]{25,36}\b/y],
  ["okta", "Okta API token", /okta[\w .,"'=:>-]{0,40}?["'=: ](00[\w=-]{40})(?![\w=-])/iy],
  ["onesignal", "OneSignal API key", /os_v2_(?:app|org)_[a-z2-7]{103}\b/y],
  ["onfido", "Onfido API token", /api_(?:live|sandbox)(?:_(?:us|ca))?\.[\w-]{11}\.[\w-]{32}(?![\w-])/y],
  [
    "openai",
    "OpenAI API key",
    /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,120}|sk-[A-Za-z\d]{48}(?![\w-])/y,
    advice.modelApi
  ],
  ["openrouter", "OpenRouter API key", /sk-or-v1-[a-f\d]{64}\b/y, advice.modelApi],
  ["openshift", "OpenShift token", /sha256~[\w-]{43}(?![\w-])/y],
  [
    "openweathermap",
    "OpenWeatherMap API key",
    /\bopenweathermap\.org\/[^\s"'`]{1,200}?[?&]appid=([a-f\d]{32})\b/gi,
    { keywords: ["openweathermap.org/"] }
  ],
  ["ory", "Ory token", /ory_(?:pat|apikey|wak)_[A-Za-z\d]{32}\b/y],
  ["packagist", "Packagist token", /packagist_(?:ack|acs|ora|org|ort|out|uut)_[a-f\d]{68,80}\b/iy],
  ["pagarme", "Pagar.me API key", /ak_live_[A-Za-z\d]{30}\b/y],
  ["paddle", "Paddle API key", /pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[a-zA-Z\d]{22}_[a-zA-Z\d]{3}\b/y],
  ["pangea", "Pangea token", /pts_[a-z\d]{32}\b/y, { form: "loose-format" }],
  ["paystack", "Paystack secret key", /sk_(?:live|test)_[a-f\d]{40}\b/y],
  ["perplexity", "Perplexity API key", /pplx-[A-Za-z\d]{48}\b/y, advice.modelApi],
  ["persona", "Persona API key", /persona_production_[a-z\d_-]{20,80}(?![\w-])/y],
  ["pganalyze", "pganalyze API key", /pgar_[A-Za-z\d]{27}\b/y],
  ["pinecone", "Pinecone API key", /pcsk_[A-Za-z\d]{4,6}_[A-Za-z\d]{50,70}\b/y],
  ["pinterest", "Pinterest access token", /pina_[\w-]{20,160}(?![\w-])/y],
  ["pixie", "Pixie key", /px-(?:api|dep)-[a-f\d-]{36}\b/y],
  ["plaid", "Plaid access token", /access-(?:sandbox|development|production)-[a-f\d-]{36}\b/y],
  ["planetscale", "PlanetScale secret", /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/y],
  ["polar", "Polar token", /polar_(?:oat|pat|at)_[\w-]{20,100}(?![\w-])/y],
  ["porkbun", "Porkbun API key", /[sp]k1_[a-f\d]{64}\b/y],
  ["portainer", "Portainer access token", /ptr_[\w+/=-]{44}(?![\w+/=-])/y],
  ["posthog", "PostHog key", /ph[xsra]_[\w-]{43,50}(?![\w-])/y],
  ["postman", "Postman API key", /PMAK-[a-f\d]{24}-[a-f\d]{34}\b/iy],
  ["postman-collection", "Postman collection access key", /PMAT-[A-Z\d]{26}\b/y],
  // Requires a digit: names in code may have the same prefix.
  ["proof", "Proof API key", /prf_(?=[\w-]{24,80}(?![\w-]))[A-Za-z_-]*\d[\w-]*/y],
  ["prefect", "Prefect API key", /pn[ub]_[A-Za-z\d]{36}\b/y],
  ["pubnub", "PubNub secret key", /sec-c-[A-Za-z\d]{48}\b/y],
  ["pulumi", "Pulumi token", /pul-[a-f\d]{40}\b/y],
  ["pypi", "PyPI token", /pypi-AgE[\w-]{84,1000}/y, advice.pypi],
  ["ramp", "Ramp client secret", /ramp_sec_[A-Za-z\d]{40,64}\b/y],
  ["rapidapi", "RapidAPI key", /\b([a-f\d]{10}msh[a-f\d]{15}p1[a-f\d]{6}jsn[a-f\d]{12})\b/g, { keywords: ["msh"] }],
  ["razorpay", "Razorpay key ID", /rzp_live_[A-Za-z\d]{14}\b/y, { form: "key-id" }],
  ["redirect-pizza", "redirect.pizza API token", /rpa_[A-Za-z\d]{30}\b/y],
  ["readme", "ReadMe API key", /rdme_[a-z\d]{70}\b/y],
  ["render", "Render API key", /rnd_[A-Za-z\d]{28,40}\b/y],
  ["replicate", "Replicate token", /r8_[\w-]{37}\b/y, advice.modelApi],
  ["resend", "Resend API key", /re_[A-Za-z\d]{8}_[A-Za-z\d]{24}\b/y],
  ["retell", "Retell API key", /key_[a-f\d]{28}\b/y, { form: "loose-format" }],
  ["riot", "Riot Games API key", /RGAPI-[a-f\d-]{36}\b/y],
  ["rootly", "Rootly API key", /rootly_[a-f\d]{64}\b/y],
  ["rubygems", "RubyGems API key", /rubygems_[a-f\d]{48}\b/y],
  ["runpod", "RunPod API key", /rpa_[A-Za-z\d]{46}\b/y],
  ["runway", "Runway API key", /key_[a-f\d]{128}\b/y, advice.modelApi],
  ["salad", "SaladCloud API key", /salad_cloud_[A-Za-z\d]{1,7}_[A-Za-z\d]{20,235}\b/y],
  [
    "salesforce",
    "Salesforce token",
    /(?<!\w)00(?:D[A-Za-z\d]{12,15}![A-Za-z\d._]{80,260}|[A-Za-z\d]{13,16}!A[QR][A-Za-z\d._]{78,258})(?![\w.])/g,
    { keywords: ["00d", "!aq", "!ar"] }
  ],
  ["salesforce-refresh", "Salesforce refresh token", /5Aep861[\w.=]{80,120}(?![\w.=])/y],
  ["samsara", "Samsara API token", /samsara_api_[A-Za-z\d]{26,32}\b/y],
  ["scale", "Scale API key", /scale[\w .,"'=:>-]{0,40}?["'=: ](live_[a-z\d]{32})\b/iy],
  ["scalingo", "Scalingo token", /tk-us-[\w-]{48}(?![\w-])/y],
  ["segment", "Segment public API token", /sgp_[A-Za-z\d]{64}\b/y],
  ["sendgrid", "SendGrid API key", /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y, advice.sendgrid],
  ["sendinblue", "Brevo API key", /x(?:key|smtp)sib-[a-f\d]{64}-[A-Za-z\d]{16}\b/y],
  ["sentry", "Sentry token", /sntry[su]_[\w+/=-]{60,400}/y],
  ["settlemint", "SettleMint token", /sm_[pas]at_[A-Za-z\d]{16}\b/y],
  ["shippo", "Shippo token", /shippo_(?:live|test)_[a-f\d]{40}\b/y],
  ["shopify", "Shopify token", /shp(?:[pc]a|at|ss)_[A-Za-z\d]{32,64}\b/y, advice.shopify],
  [
    "sidekiq",
    "Sidekiq license credential",
    /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM\w*["']?\s*[:=.?>]{1,4}\s*["'`]?([a-f\d]{8}:[a-f\d]{8})\b/iy
  ],
  [
    "slack",
    "Slack token",
    /(?:xoxe\.xox[bp]-\d-[A-Za-z\d]{120,200}|xoxe-\d-[A-Za-z\d]{100,180}|xoxd-[A-Za-z\d%+/-]{40,250}={0,2}|xox[bpasrce]-(?:\d-)?\d{6,14}-[A-Za-z\d-]{10,250})/iy,
    advice.slack
  ],
  ["slack-app", "Slack app token", /xapp-\d-[A-Z\d]+-\d+-[a-f\d]+\b/iy, advice.slack],
  [
    "slack-webhook",
    "Slack webhook",
    /https?:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z\d+/]{36,70}(?![A-Za-z\d+/])/g,
    { advice: advice.slack, keywords: ["hooks.slack.com"] }
  ],
  ["snyk", "Snyk token", /snyk[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12})\b/iy],
  ["snyk-service", "Snyk service account token", /snyk_(?:uat|sat)\.[a-z\d]{8}\.eyJ[\w-]+\.[\w-]+\.[\w-]+/y],
  ["sonar-login", "SonarQube token", /sonar[\w.]{0,20}(?:login|token)["']?[ \t]*[=:,][ \t]*["']?([a-f\d]{40})\b/iy],
  ["sonarqube", "SonarQube token", /sq(?:[upa]_[a-f\d]{40}|co_[A-Za-z\d]{59})\b/y],
  ["sourcegraph", "Sourcegraph token", /(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f\d]{64})\b/y],
  ["spectral", "Spectral key", /spu-[a-f\d]{32}\b/y],
  ["square", "Square access token", /(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/y],
  ["stackhawk", "StackHawk API key", /hawk\.[\w-]{20}\.[\w-]{20}(?![\w-])/y],
  [
    "stripe",
    "Stripe key",
    /(?:[sr]k_(?:live|test|prod)_[A-Za-z\d]{10,120}|whsec_[A-Za-z\d+/]{32,64}=?)/y,
    {
      advice: advice.stripe
    }
  ],
  ["supabase", "Supabase key", /(?:sbp_(?:oauth_|v0_)?[\w-]{40}|sb_secret_[\w-]{31,45})(?![\w-])/y],
  [
    "tableau",
    "Tableau personal access token",
    /(?<![\w+/])[A-Za-z\d+/]{22}==:[A-Za-z\d]{32}\b/g,
    { keywords: ["==:"] }
  ],
  ["tailscale", "Tailscale key", /tskey-[a-z]+-[A-Za-z\d]+-[A-Za-z\d]+\b/y],
  ["tavily", "Tavily API key", /tvly-(?:(?:dev|prod)-)?[A-Za-z\d]{32}\b/y, advice.modelApi],
  ["teamcity", "TeamCity access token", /eyJ0eXAiOiAiVENWMiJ9\.[\w-]{16,120}\.[\w+/=-]{30,90}(?![\w+/=-])/y],
  ["teamwork", "Teamwork API token", /tkn\.v1_[\w+/=-]{60,100}(?![\w+/=-])/y],
  ["telegram", "Telegram bot token", /(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])/g, { keywords: [":aa"] }],
  [
    "terraform-cloud",
    "Terraform Cloud token",
    /\b[A-Za-z\d]{14}\.atlasv1\.[\w=-]{60,70}/g,
    { keywords: [".atlasv1."] }
  ],
  [
    "thingsboard",
    "ThingsBoard access token",
    /\/api\/v1\/([A-Za-z\d]{20})\/(?:telemetry|attributes)\b/g,
    { keywords: ["/telemetry", "/attributes"] }
  ],
  ["thunderstore", "Thunderstore token", /tss_[\w-]{20,80}(?![\w-])/y],
  [
    "tines-webhook",
    "Tines webhook",
    /https:\/\/[\w-]+\.tines\.com\/webhook\/[a-f\d]{32}\/[a-f\d]{32}\b/g,
    { keywords: [".tines.com/webhook/"] }
  ],
  ["tinybird", "Tinybird token", /p\.eyJ[\w-]{60,}\.[\w-]{20,}/y],
  ["together", "Together AI API key", /tgp_v1_[\w-]{43}(?![\w-])/y, advice.modelApi],
  [
    "truenas",
    "TrueNAS API key",
    /(?:truenas|auth\.login_with_api_key)[\w\s.,"'=:>[-]{0,40}?["'=:\s[](\d{1,3}-[A-Za-z\d]{64})\b/iy
  ],
  ["twilio", "Twilio API key", /SK[a-f\d]{32}\b/y, advice.twilio],
  ["twitch-stream", "Twitch stream key", /live_\d{6,12}_[A-Za-z\d]{30}\b/y],
  [
    "twitter-bearer",
    "Twitter bearer token",
    /A{21,22}(?!A)[A-Za-z\d%]{60,100}(?![\w%+/=])/y,
    { keywords: ["aaaaaaaaaaaaaaaaaaaaa"] }
  ],
  ["typeform", "Typeform token", /tfp_[\w.=-]{40,59}(?![\w.=-])/y],
  ["ubidots", "Ubidots token", /BBFF-[A-Za-z\d]{30}\b/y],
  ["unkey", "Unkey root key", /unkey_[A-Za-z\d]{20,40}\b/y],
  ["upcloud", "UpCloud API token", /ucat_[A-Za-z\d]{24,32}\b/y],
  ["valtown", "Val Town token", /vtwn_[\w-]{20,80}(?![\w-])/y],
  ["vault", "HashiCorp Vault token", /hv[sbr]\.[\w-]{24,300}/y],
  [
    "vault-unseal",
    "HashiCorp Vault unseal key",
    /unseal(?:[ \t]+key(?:[ \t]+\d)?[ \t]*:)?[ \t]+([A-Za-z\d+/]{44})(?![\w+/])/iy
  ],
  ["vercel", "Vercel token", /vc[piark]_[\w-]{24,80}(?![\w-])/y],
  ["vercel-blob", "Vercel Blob token", /vercel_blob_rw_[A-Za-z\d]{16}_[A-Za-z\d]{30,32}\b/y],
  ["voiceflow", "Voiceflow API key", /VF\.(?:[A-Z]{2}\.)?[a-f\d]{24}\.[A-Za-z\d]{16}\b/y],
  [
    "voyage",
    "Voyage AI API key",
    /pa-(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])/y,
    { advice: advice.modelApi, form: "loose-format" }
  ],
  ["wakatime", "WakaTime API key", /waka_[a-z\d-]{36,64}\b/y],
  ["webex-bot", "Webex bot token", /webex[^\n]{0,200}?(?<![A-Za-z\d])([A-Za-z\d]{64}_[A-Z\d]{4}_[a-f\d-]{36})\b/iy],
  ["weights-and-biases", "Weights & Biases API key", /wandb[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{40})\b/iy],
  ["weights-and-biases-v1", "Weights & Biases API key", /wandb_v1_\w{77}(?!\w)/y],
  ["workato", "Workato API token", /wrka(?:[a-z]{2})?-eyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{64,}(?![\w-])/y],
  ["xai", "xAI API key", /xai-[\w-]{60,120}(?![\w-])/y, advice.modelApi],
  [
    "yandex",
    "Yandex Cloud key",
    /(?:AQVN[\w-]{35,38}|YC(?:AJE|M)[\w-]{22,40}|t1\.[A-Z\da-z_-]+[=]{0,2}\.[A-Z\da-z_-]{86}[=]{0,2})(?![\w-])/y
  ],
  [
    "zapier-webhook",
    "Zapier webhook",
    /https:\/\/hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/\w{5,32}/g,
    { keywords: ["hooks.zapier.com"] }
  ],
  [
    "zhipu",
    "Zhipu API key",
    /(?:zhipu|bigmodel|glm_|zai_)[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{32}\.[A-Za-z\d]{16})\b/iy,
    advice.modelApi
  ],
  ["zoho", "Zoho OAuth token", /1000\.[a-f\d]{32}\.[a-f\d]{32}\b/y],
  ["zuplo", "Zuplo API key", /zpka_[a-z\d]{32}_[a-f\d]{8}\b/y]
]

export const providerFormats: ReadonlyArray<ProviderFormat> = rows.map(([id, name, pattern, more]) =>
  Object.assign({ id, name, pattern }, typeof more === "string" ? { advice: more } : more)
)

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

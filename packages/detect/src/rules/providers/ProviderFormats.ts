/**
 * The table of all token formats of providers: how each is found, and what reports call it.
 *
 * To add a format, add a row here, and its literal form in test/rules/providers/forms.ts.
 */
import type { CandidateKind } from "../../Candidate.ts"

export interface ProviderFormat {
  /** The rule id is `provider/ID`. Ids are stable, because reports contain them. */
  readonly id: string
  /** The name in reports, for example "GitHub token". */
  readonly name: string
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

/** The id is only given if it is not `idOf` the provider. */
type Row = readonly [provider: string, pattern: RegExp, more?: Partial<Omit<ProviderFormat, "name" | "pattern">>]

/** Rows by the words that follow the name of the provider in reports. */
const rows: Readonly<Record<string, ReadonlyArray<Row>>> = {
  "API key": [
    ["Alchemy", /alcht_[A-Za-z\d]{30}\b/y],
    ["Alchemy", /\balchemy\.com\/v2\/([\w-]{32})(?![\w-])/g, { id: "alchemy-url", keywords: ["alchemy.com/v2/"] }],
    ["Anthropic", /sk-ant-(?:admin|oat|sid|api)\d\d-[\w-]{80,120}/y],
    ["AWS AppSync", /da2-[a-z\d]{26}\b/y, { id: "appsync" }],
    ["Asaas", /\$aact_prod_[\w:$=+/-]{20,300}/y],
    ["AWS Bedrock", /ABSK[A-Za-z\d+/]{109,269}={0,2}/y],
    ["Bannerbear", /bb_(?:pr|ma)_[a-f\d]{30}\b/y],
    ["Beamer", /b_[A-Za-z\d=_-]{44}(?![\w=-])/y, { form: "loose-format" }],
    ["AWS Bedrock", /bedrock-api-key-[\w+/=]{32,1000}/y, { id: "bedrock" }],
    ["Brave Search", /BSA[\w-]{24,40}(?![\w-])/y, { form: "loose-format" }],
    ["Cal.com", /cal_live_[a-f\d]{32}\b/y],
    ["Cerebras", /csk-[a-z\d]{48}\b/y],
    ["Close", /api_[A-Za-z\d]{22}\.[A-Za-z\d]{22}\b/y],
    ["Cloudsmith", /csa_[A-Za-z\d]{36}\b/y],
    ["CockroachDB Cloud", /CCDB1_[A-Za-z\d]{22}_[A-Za-z\d]{40}\b/y, { id: "cockroach" }],
    ["CodeRabbit", /cr-[a-f\d]{58}\b/y],
    ["Cursor", /key_[a-f\d]{64}\b/y],
    ["Databento", /db-[A-Za-z\d]{29}\b/y, { form: "loose-format" }],
    ["DeepSeek", /sk-[a-f\d]{32}\b/y],
    ["Defined Networking", /dnkey-[A-Z\d=_-]{26}-[A-Z\d=_-]{52}(?![\w=-])/iy],
    ["Dependency-Track", /odt_[A-Za-z\d]{32,64}\b/y],
    ["Devin", /(?:cog_[a-z2-7]{52}|apk_(?:user_)?[\w+/=-]{60,200})(?![\w+/=-])/y],
    ["E2B", /e2b_[a-f\d]{40}\b/y],
    ["EasyPost", /EZ[AT]K[A-Za-z\d]{54}\b/y],
    ["Elastic Cloud", /essu_[\w+/-]{40,200}={0,2}(?![\w+/=-])/y],
    ["ElevenLabs", /sk_[a-f\d]{48}\b/y],
    ["Endor Labs", /endr\+[A-Za-z\d-]{16}(?![\w-])/y],
    ["Exoscale", /EXO[a-f\d]{24}\b/y, { form: "key-id" }],
    ["Firecrawl", /fc-[a-f\d]{32}\b/y],
    ["Fireworks AI", /fw_[A-Za-z\d]{22,24}\b/y, { id: "fireworks", form: "loose-format" }],
    ["Fleetbase", /flb_live_[A-Za-z\d]{20,40}\b/y],
    ["GC Notify", /gcntfy-[\w-]{1,100}?-[a-f\d-]{36}-[a-f\d-]{36}\b/y],
    ["Gemini", /AQ\.Ab8RN6[\w-]{44}(?![\w-])/y],
    ["Google", /AIza[\w-]{35}(?![\w-])/y, { id: "google-api-key" }],
    ["Groq", /gsk_[A-Za-z\d]{52}\b/y],
    ["Heroku", /HRKU-[\w-]{36,80}/y],
    ["Honeycomb", /x-honeycomb-team["']?[ \t]*[=:,][ \t]*["']?([A-Za-z\d]{20,64})\b/iy, { id: "honeycomb-team" }],
    ["Infracost", /ico-[A-Za-z\d]{32}\b/y],
    ["Infura", /\b[\w-]{3,40}\.infura\.io\/(?:ws\/)?v3\/([a-f\d]{32})\b/g, { keywords: [".infura.io/"] }],
    ["Jina AI", /jina_[a-f\d]{32}[\w-]{28}(?![\w-])/y, { id: "jina" }],
    ["Kolide", /k2sk_v\d_[A-Za-z\d]{24}\b/y],
    ["LangSmith", /(?:lsv2_(?:pt|sk)_[a-f\d]{32}_[a-f\d]{10}|ls__[a-f\d]{32})\b/y, { id: "langchain" }],
    ["Linear", /lin_api_\w{32,128}(?!\w)/y],
    ["LlamaIndex", /llx-[\w-]{48}(?![\w-])/y],
    ["Lob", /live_[a-f\d]{35}\b/y],
    ["Mailchimp", /(?<![a-f\d])[a-f\d]{32}-us\d{1,2}\b/g, { keywords: ["-us"] }],
    ["Mailgun", /key-[a-f\d]{32}\b/y],
    ["MiniMax", /sk-api-[\w-]{119}(?![\w-])/y],
    ["Neon", /napi_[A-Za-z\d]{64}\b/y],
    ["NuGet", /oy2[a-z\d]{43}\b/y],
    ["NVIDIA", /nvapi-[\w-]{60,70}(?![\w-])/y],
    ["Octopus Deploy", /API-[A-Z\d]{25,36}\b/y, { id: "octopus" }],
    ["OneSignal", /os_v2_(?:app|org)_[a-z2-7]{103}\b/y],
    ["OpenAI", /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,120}|sk-[A-Za-z\d]{48}(?![\w-])/y],
    ["OpenRouter", /sk-or-v1-[a-f\d]{64}\b/y],
    [
      "OpenWeatherMap",
      /\bopenweathermap\.org\/[^\s"'`]{1,200}?[?&]appid=([a-f\d]{32})\b/gi,
      { keywords: ["openweathermap.org/"] }
    ],
    ["Paddle", /pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[a-zA-Z\d]{22}_[a-zA-Z\d]{3}\b/y],
    ["Pagar.me", /ak_live_[A-Za-z\d]{30}\b/y],
    ["Perplexity", /pplx-[A-Za-z\d]{48}\b/y],
    ["Persona", /persona_production_[a-z\d_-]{20,80}(?![\w-])/y],
    ["pganalyze", /pgar_[A-Za-z\d]{27}\b/y],
    ["Pinecone", /pcsk_[A-Za-z\d]{4,6}_[A-Za-z\d]{50,70}\b/y],
    ["Porkbun", /[sp]k1_[a-f\d]{64}\b/y],
    ["Postman", /PMAK-[a-f\d]{24}-[a-f\d]{34}\b/iy],
    ["Prefect", /pn[ub]_[A-Za-z\d]{36}\b/y],
    // Requires a digit: names in code may have the same prefix.
    ["Proof", /prf_(?=[\w-]{24,80}(?![\w-]))[A-Za-z_-]*\d[\w-]*/y],
    ["ReadMe", /rdme_[a-z\d]{70}\b/y],
    ["Render", /rnd_[A-Za-z\d]{28,40}\b/y],
    ["Resend", /re_[A-Za-z\d]{8}_[A-Za-z\d]{24}\b/y],
    ["Retell", /key_[a-f\d]{28}\b/y, { form: "loose-format" }],
    ["Riot Games", /RGAPI-[a-f\d-]{36}\b/y, { id: "riot" }],
    ["Rootly", /rootly_[a-f\d]{64}\b/y],
    ["RubyGems", /rubygems_[a-f\d]{48}\b/y],
    ["RunPod", /rpa_[A-Za-z\d]{46}\b/y],
    ["Runway", /key_[a-f\d]{128}\b/y],
    ["SaladCloud", /salad_cloud_[A-Za-z\d]{1,7}_[A-Za-z\d]{20,235}\b/y, { id: "salad" }],
    ["Scale", /scale[\w .,"'=:>-]{0,40}?["'=: ](live_[a-z\d]{32})\b/iy],
    ["SendGrid", /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y],
    ["Brevo", /x(?:key|smtp)sib-[a-f\d]{64}-[A-Za-z\d]{16}\b/y, { id: "sendinblue" }],
    ["StackHawk", /hawk\.[\w-]{20}\.[\w-]{20}(?![\w-])/y],
    ["Tavily", /tvly-(?:(?:dev|prod)-)?[A-Za-z\d]{32}\b/y],
    ["Together AI", /tgp_v1_[\w-]{43}(?![\w-])/y, { id: "together" }],
    ["TrueNAS", /(?:truenas|auth\.login_with_api_key)[\w\s.,"'=:>[-]{0,40}?["'=:\s[](\d{1,3}-[A-Za-z\d]{64})\b/iy],
    ["Twilio", /SK[a-f\d]{32}\b/y],
    ["Voiceflow", /VF\.(?:[A-Z]{2}\.)?[a-f\d]{24}\.[A-Za-z\d]{16}\b/y],
    [
      "Voyage AI",
      /pa-(?=[\w-]{0,42}[A-Z])(?=[\w-]{0,42}\d)[\w-]{43}(?![\w-])/y,
      { id: "voyage", form: "loose-format" }
    ],
    ["WakaTime", /waka_[a-z\d-]{36,64}\b/y],
    ["Weights & Biases", /wandb[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{40})\b/iy],
    ["Weights & Biases", /wandb_v1_\w{77}(?!\w)/y, { id: "weights-and-biases-v1" }],
    ["xAI", /xai-[\w-]{60,120}(?![\w-])/y],
    ["Zhipu", /(?:zhipu|bigmodel|glm_|zai_)[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{32}\.[A-Za-z\d]{16})\b/iy],
    ["Zuplo", /zpka_[a-z\d]{32}_[a-f\d]{8}\b/y]
  ],
  "API token": [
    ["Apify", /apify_api_[A-Za-z\d]{34,38}\b/y],
    ["Atlassian", /(?:ATATT3|ATCTT3)[\w=-]{100,260}/y],
    ["Cloudflare", /cf(?:k|ut|at)_[A-Za-z\d]{48}(?![\w-])/y],
    ["Fastly", /fastly[\w .,"'=:>-]{0,40}?["'=: ]([\w-]{32})(?![\w-])/iy, { form: "loose-format" }],
    ["Flexport", /shltm_[\w-]{40}(?![\w-])/y],
    ["Mercury", /mercury_production_[\w+/=-]{20,100}_yrucrem\b/y],
    ["Okta", /okta[\w .,"'=:>-]{0,40}?["'=: ](00[\w=-]{40})(?![\w=-])/iy],
    ["Onfido", /api_(?:live|sandbox)(?:_(?:us|ca))?\.[\w-]{11}\.[\w-]{32}(?![\w-])/y],
    ["redirect.pizza", /rpa_[A-Za-z\d]{30}\b/y, { id: "redirect-pizza" }],
    ["Samsara", /samsara_api_[A-Za-z\d]{26,32}\b/y],
    ["Segment public", /sgp_[A-Za-z\d]{64}\b/y, { id: "segment" }],
    ["Teamwork", /tkn\.v1_[\w+/=-]{60,100}(?![\w+/=-])/y],
    ["UpCloud", /ucat_[A-Za-z\d]{24,32}\b/y],
    ["Workato", /wrka(?:[a-z]{2})?-eyJ[\w-]{8,}\.[\w-]{16,}\.[\w-]{64,}(?![\w-])/y]
  ],
  "access token": [
    ["Braintree", /access_token\$(?:production|sandbox)\$[a-z\d]{16}\$[a-f\d]{32}\b/y],
    ["Docker organization", /dckr_oat_[\w-]{32}(?![\w-])/y],
    ["Facebook", /EAA[A-Za-z\d]{3}[A-Za-z\d]{90,250}\b/y],
    [
      "Facebook app",
      /(?<!\d)\d{13,17}\|[\w-]{27}(?![\w-])/g,
      { keywords: ["0|", "1|", "2|", "3|", "4|", "5|", "6|", "7|", "8|", "9|"] }
    ],
    ["Instagram", /IG(?:Q[VW]|AA)[\w-]{100,300}/y],
    ["Mercado Pago", /APP_USR-\d{12,16}-\d{6}-[a-f\d]{32}-\d{6,12}\b/y, { id: "mercadopago" }],
    ["Pinterest", /pina_[\w-]{20,160}(?![\w-])/y],
    ["Plaid", /access-(?:sandbox|development|production)-[a-f\d-]{36}\b/y],
    ["Portainer", /ptr_[\w+/=-]{44}(?![\w+/=-])/y],
    ["Square", /(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/y],
    ["Tableau personal", /(?<![\w+/])[A-Za-z\d+/]{22}==:[A-Za-z\d]{32}\b/g, { id: "tableau", keywords: ["==:"] }],
    ["TeamCity", /eyJ0eXAiOiAiVENWMiJ9\.[\w-]{16,120}\.[\w+/=-]{30,90}(?![\w+/=-])/y],
    [
      "ThingsBoard",
      /\/api\/v1\/([A-Za-z\d]{20})\/(?:telemetry|attributes)\b/g,
      { keywords: ["/telemetry", "/attributes"] }
    ]
  ],
  token: [
    ["1Password service account", /ops_eyJ[\w+/-]{200,}={0,3}/y],
    ["Aikido", /AIK_(?:SECRET_[\w-]{40,100}|CI_[\w-]{20,100})(?![\w-])/y],
    ["Airtable", /pat[A-Za-z\d]{14}\.[a-f\d]{64}\b/y],
    ["Akamai", /akab-[a-z\d]{16}-[a-z\d]{16}(?![\w-])/y],
    ["Amazon Marketplace", /amzn\.mws\.[a-f\d-]{36}\b/y],
    ["Artifactory", /(?:AKC[A-Za-z\d]{64,73}|cmVmdGtuO[A-Za-z\d]{50,70})(?![\w+/=])/y],
    ["Artifactory reference", /cmVmd[A-Za-z\d]{59}\b/y],
    ["Asana", /asana[\w .,"'=:>-]{0,40}?["'=: ]([01]\/\d{13,20}:[a-f\d]{32}|\d\/\d{13,20}\/\d{13,20}:[a-f\d]{32})\b/iy],
    ["DataStax Astra", /AstraCS:[A-Za-z\d]{24}:[a-f\d]{64}\b/y, { id: "astra" }],
    ["Atlassian Data Center", /BBDC-[A-Za-z\d+/@_-]{40,50}(?![\w+/@-])/y, { id: "atlassian-datacenter" }],
    // Base64 of the id, which has twelve digits, a colon and the random part.
    [
      "Atlassian Data Center",
      /(?<![\w+/])((?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4}O[g-v][A-Za-z\d+/]{26})(?![\w+/=])/g,
      { id: "atlassian-datacenter-id", keywords: ["jira", "confluence", "bitbucket", "atlassian"] }
    ],
    ["Axiom", /xa[ap]t-[a-f\d-]{36}\b/y],
    ["Azure DevOps", /[A-Za-z\d]{76}AZDO[A-Za-z\d]{4}\b/g, { keywords: ["azdo"] }],
    ["Blockfrost project", /(?:mainnet|preprod)[A-Za-z\d]{32}\b/y, { id: "blockfrost" }],
    ["Buildkite", /bk(?:ua_[a-z\d]{40,53}\b|(?:aa|aj|ar|ct|pt|pat|ps)_[\w-]{40,340}(?![\w-]))/y],
    ["CircleCI", /CCIP(?:AT|RJ)_[A-Za-z\d]{22}_[a-z\d]{40}\b/iy],
    ["ClickUp", /pk_\d{6,9}_[A-Z\d]{32}\b/y],
    ["Clojars", /CLOJARS_[a-z\d]{60}\b/iy],
    ["Contentful", /CFPAT-[\w-]{43}\b/y],
    ["crates.io", /cio[A-Za-z\d]{32}\b/y],
    ["Databricks", /dapi[a-f\d]{32}(?:-\d)?\b/iy],
    ["dbt Cloud", /dbt[cu]_[\w-]{43}(?![\w-])/y, { id: "dbt" }],
    ["Deno Deploy", /dd[pw]_[A-Za-z\d]{36}\b/y],
    ["Deno organization", /ddo_[A-Za-z\d]{36}\b/y],
    ["DigitalOcean", /do[opra]_v1_[a-f\d]{64}\b/y],
    [
      "Discord bot",
      /(?<![\w.-])([MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40})(?![\w.-])/g,
      { keywords: ["discord", "bot"] }
    ],
    ["Docker Hub", /dckr_pat_[\w-]{27}(?![\w-])/y, { id: "docker" }],
    ["Doppler", /dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z\d]{40,44}\b/y],
    ["Dropbox", /sl\.(?:u\.)?[\w=-]{130,1200}/y],
    ["Duffel", /duffel_(?:test|live)_[\w=-]{43}(?![\w=-])/y],
    ["Dynatrace", /dt0[a-z]\d\d\.[A-Z\d]{24}\.[A-Z\d]{64}\b/iy],
    ["Figma", /fig[dpu]_[\w-]{40,200}(?![\w-])/y],
    ["Fly.io", /(?:fo1_[\w-]{43}(?![\w-])|fm1[ar]_[A-Za-z\d+/]{100,}={0,3}|fm2_[A-Za-z\d+/]{100,}={0,3})/y],
    ["Fly.io", /FlyV1 (?!f[mo]\d)([\w+/=,-]{80,2000})(?![\w+/=,-])/y, { id: "flyio-macaroon" }],
    ["Frame.io", /fio-u-[\w=-]{64}(?![\w=-])/y],
    ["Friendli", /flp_[A-Za-z\d]{46}\b/y],
    [
      "GitHub",
      /gh[pousr]_[A-Za-z\d]{36,255}\b|ghs_\d+_eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}|github_pat_[A-Za-z\d]{22}_[A-Za-z\d]{59}\b/y
    ],
    [
      "GitHub",
      /https?:\/\/([^\s:@/]{20,255}):x-oauth-basic@github\.com/g,
      { id: "github-basic-auth", keywords: ["x-oauth-basic"] }
    ],
    [
      "GitLab",
      /(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|imt|oas|ffct|wt)-[\w.-]{20,300}|GR1348941[\w-]{20,30}(?![\w-]))/y
    ],
    ["GoCardless", /live_[\w=-]{40}(?![\w=-])/y, { form: "loose-format" }],
    ["Google OAuth", /ya29\.[\w-]{30,1000}/y, { id: "google-oauth-token" }],
    ["Google refresh", /1\/\/0[\w-]{35,120}/y, { id: "google-refresh-token" }],
    [
      "Grafana",
      /(?:glc_[A-Za-z\d+/]{32,400}={0,3}|glsa_[A-Za-z\d]{32}_[a-fA-F0-9]{8}\b|eyJrIjoi[A-Za-z\d+/]{60,400}={0,3})/y
    ],
    ["Harness", /[ps]at\.[\w-]{22}\.[A-Za-z\d]{24}\.[A-Za-z\d]{20}\b/iy],
    ["HubSpot", /pat-(?:na|eu|ap)\d-[a-f\d-]{36}\b/y],
    ["Hugging Face", /hf_[A-Za-z\d]{34}\b/y, { id: "huggingface" }],
    ["Hugging Face organization", /api_org_[a-zA-Z]{34}\b/y, { id: "huggingface-organization" }],
    ["Infisical service", /st\.[a-f\d]{8,24}(?:-[a-f\d-]{27})?\.[a-f\d]{32}\.[a-f\d]{32}\b/y, { id: "infisical" }],
    ["Intercom", /dG9rO[A-Za-z\d+/=]{50,60}(?![A-Za-z\d+/=])/y],
    ["Ionic", /ion_[A-Za-z\d]{42}\b/y],
    ["Lichess", /lip_[A-Za-z\d]{16,60}\b/y],
    ["MailerSend", /mlsn\.[A-Za-z\d]{30,100}\b/y],
    ["Mapbox secret", /sk\.eyJ[\w-]{60,120}\.[\w-]{20,30}/y, { id: "mapbox" }],
    ["NetBird", /nbp_[A-Za-z\d]{36}\b/y],
    ["Netlify", /nfp_[A-Za-z\d]{36}\b/y],
    ["ngrok", /ngrok[\w .,"'=:>-]{0,40}?["'=: ](\d[A-Za-z\d]{26,27}_[A-Za-z\d]{17,24})\b/iy],
    ["Notion", /(?:secret_[A-Za-z\d]{43}|(?:ntn|nrt)_[A-Za-z\d]{40,50})\b/y],
    ["npm", /npm_[A-Za-z\d_]{36}(?!\w)/y],
    ["OpenShift", /sha256~[\w-]{43}(?![\w-])/y],
    ["Ory", /ory_(?:pat|apikey|wak)_[A-Za-z\d]{32}\b/y],
    ["Packagist", /packagist_(?:ack|acs|ora|org|ort|out|uut)_[a-f\d]{68,80}\b/iy],
    ["Pangea", /pts_[a-z\d]{32}\b/y, { form: "loose-format" }],
    ["Polar", /polar_(?:oat|pat|at)_[\w-]{20,100}(?![\w-])/y],
    ["Pulumi", /pul-[a-f\d]{40}\b/y],
    ["PyPI", /pypi-AgE[\w-]{84,1000}/y],
    ["Replicate", /r8_[\w-]{37}\b/y],
    [
      "Salesforce",
      /(?<!\w)00(?:D[A-Za-z\d]{12,15}![A-Za-z\d._]{80,260}|[A-Za-z\d]{13,16}!A[QR][A-Za-z\d._]{78,258})(?![\w.])/g,
      { keywords: ["00d", "!aq", "!ar"] }
    ],
    ["Salesforce refresh", /5Aep861[\w.=]{80,120}(?![\w.=])/y],
    ["Scalingo", /tk-us-[\w-]{48}(?![\w-])/y],
    ["Sentry", /sntry[su]_[\w+/=-]{60,400}/y],
    ["SettleMint", /sm_[pas]at_[A-Za-z\d]{16}\b/y],
    ["Shippo", /shippo_(?:live|test)_[a-f\d]{40}\b/y],
    ["Shopify", /shp(?:[pc]a|at|ss)_[A-Za-z\d]{32,64}\b/y],
    [
      "Slack",
      /(?:xoxe\.xox[bp]-\d-[A-Za-z\d]{120,200}|xoxe-\d-[A-Za-z\d]{100,180}|xoxd-[A-Za-z\d%+/-]{40,250}={0,2}|xox[bpasrce]-(?:\d-)?\d{6,14}-[A-Za-z\d-]{10,250})/iy
    ],
    ["Slack app", /xapp-\d-[A-Z\d]+-\d+-[a-f\d]+\b/iy],
    ["Snyk", /snyk[\w .,"'=:>-]{0,40}?["'=: ]([a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12})\b/iy],
    ["Snyk service account", /snyk_(?:uat|sat)\.[a-z\d]{8}\.eyJ[\w-]+\.[\w-]+\.[\w-]+/y, { id: "snyk-service" }],
    ["SonarQube", /sonar[\w.]{0,20}(?:login|token)["']?[ \t]*[=:,][ \t]*["']?([a-f\d]{40})\b/iy, { id: "sonar-login" }],
    ["SonarQube", /sq(?:[upa]_[a-f\d]{40}|co_[A-Za-z\d]{59})\b/y],
    ["Sourcegraph", /(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f\d]{64})\b/y],
    ["Telegram bot", /(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])/g, { id: "telegram", keywords: [":aa"] }],
    ["Terraform Cloud", /\b[A-Za-z\d]{14}\.atlasv1\.[\w=-]{60,70}/g, { keywords: [".atlasv1."] }],
    ["Thunderstore", /tss_[\w-]{20,80}(?![\w-])/y],
    ["Tinybird", /p\.eyJ[\w-]{60,}\.[\w-]{20,}/y],
    ["Twitter bearer", /A{21,22}(?!A)[A-Za-z\d%]{60,100}(?![\w%+/=])/y, { keywords: ["aaaaaaaaaaaaaaaaaaaaa"] }],
    ["Typeform", /tfp_[\w.=-]{40,59}(?![\w.=-])/y],
    ["Ubidots", /BBFF-[A-Za-z\d]{30}\b/y],
    ["Val Town", /vtwn_[\w-]{20,80}(?![\w-])/y, { id: "valtown" }],
    ["HashiCorp Vault", /hv[sbr]\.[\w-]{24,300}/y, { id: "vault" }],
    ["Vercel", /vc[piark]_[\w-]{24,80}(?![\w-])/y],
    ["Vercel Blob", /vercel_blob_rw_[A-Za-z\d]{16}_[A-Za-z\d]{30,32}\b/y],
    ["Webex bot", /webex[^\n]{0,200}?(?<![A-Za-z\d])([A-Za-z\d]{64}_[A-Z\d]{4}_[a-f\d-]{36})\b/iy],
    ["Zoho OAuth", /1000\.[a-f\d]{32}\.[a-f\d]{32}\b/y, { id: "zoho" }]
  ],
  key: [
    ["Adafruit IO", /aio_[A-Za-z\d]{28}\b/y, { id: "adafruit" }],
    [
      "Authress access",
      /(?:sc|ext|scauth|authress)_[A-Za-z\d]{5,30}\.[A-Za-z\d]{4,6}\.acc[_-][A-Za-z\d-]{10,32}\.[\w+/=-]{30,120}(?![\w+/=-])/y,
      { id: "authress" }
    ],
    [
      "AWS secret access",
      /(?:secret_?access_?key["']?[ \t]*(?:=>?|:|,)|\bA(?:KIA|SIA)[A-Z2-7]{16}["']?[ \t]*[:,;/|])[ \t]*["']?([A-Za-z\d/+]{40})(?![A-Za-z\d/+=])/gi,
      {
        id: "aws-secret-access-key",
        keywords: ["secret_access_key", "secretaccesskey", "secret_accesskey", "secretaccess_key", "akia", "asia"]
      }
    ],
    ["Azure Functions", /code=([\w-]{52,54}(?:==|%3D%3D))/y, { id: "azure-function" }],
    ["Azure AI Search", /\b([A-Za-z\d]{42}AzSe[A-D][A-Za-z\d]{5})\b/g, { id: "azure-search", keywords: ["azse"] }],
    [
      "Azure storage",
      /(?:(?:AccountKey|SharedAccessKey)\s*=|fs\.azure\.account\.key\.\w+\.\w+\.core\.\w+\.\w+(?:["']\s*,|=|<\/name>\s*<value>))\s*["']?([A-Za-z\d+/]{42,86}={1,2})/iy
    ],
    ["Branch", /key_live_[A-Za-z\d]{32}\b/y, { form: "loose-format" }],
    ["Cloudflare origin CA", /v1\.0-[a-f\d]{24}-[a-f\d]{146}\b/y],
    ["ConfigCat SDK", /configcat-sdk-1\/[\w-]{22}\/[\w-]{22}(?![\w-])/y, { id: "configcat" }],
    ["DevCycle server", /dvc_server_\w{20,60}(?!\w)/y, { id: "devcycle" }],
    ["Docker Swarm", /SWM(?:KEY-1-[\w+/]{43}|TKN-1-[a-z\d]{50}-[a-z\d]{25})(?![\w+/-])/y],
    ["Honeycomb", /hca[im]k_[a-z\d]{58,64}\b/y],
    ["Inngest signing", /signkey-(?:prod|test|branch)-[a-f\d]{64}\b/y, { id: "inngest" }],
    ["Klaviyo private", /pk_(?:[A-Za-z\d]{6}_)?[a-f\d]{34}\b/y, { id: "klaviyo" }],
    ["LaunchDarkly", /(?:api|sdk|mob)-[a-f\d]{8}-[a-f\d]{4}-4[a-f\d]{3}-[a-f\d]{4}-[a-f\d]{12}\b/y],
    ["MaxMind license", /[A-Za-z\d]{6}_[A-Za-z\d]{29}_mmk\b/g, { id: "maxmind", keywords: ["_mmk"] }],
    ["Mergify application", /mergify_application_key_[\w-]{40,100}(?![\w-])/y, { id: "mergify" }],
    [
      "New Relic",
      /NR(?:AK-[A-Z\d]{27}|I[IQ]-[\w-]{25,32}|JS-[a-f\d]{19}|AA-[a-f\d]{27}|RA-[a-f\d]{42})\b/iy,
      { id: "newrelic" }
    ],
    [
      "New Relic license",
      /(?:[a-f\d]{6}|eu\d\dxx|gov\d\dx)(?:[a-f\d]{30}|[a-f\d]{26}FFFF)NRAL\b/g,
      { id: "newrelic-license", keywords: ["nral"] }
    ],
    ["Pixie", /px-(?:api|dep)-[a-f\d-]{36}\b/y],
    ["PostHog", /ph[xsra]_[\w-]{43,50}(?![\w-])/y],
    ["Postman collection access", /PMAT-[A-Z\d]{26}\b/y, { id: "postman-collection" }],
    ["RapidAPI", /\b([a-f\d]{10}msh[a-f\d]{15}p1[a-f\d]{6}jsn[a-f\d]{12})\b/g, { keywords: ["msh"] }],
    ["Spectral", /spu-[a-f\d]{32}\b/y],
    ["Stripe", /(?:[sr]k_(?:live|test|prod)_[A-Za-z\d]{10,120}|whsec_[A-Za-z\d+/]{32,64}=?)/y],
    ["Supabase", /(?:sbp_(?:oauth_|v0_)?[\w-]{40}|sb_secret_[\w-]{31,45})(?![\w-])/y],
    ["Tailscale", /tskey-[a-z]+-[A-Za-z\d]+-[A-Za-z\d]+\b/y],
    ["Twitch stream", /live_\d{6,12}_[A-Za-z\d]{30}\b/y],
    ["Unkey root", /unkey_[A-Za-z\d]{20,40}\b/y, { id: "unkey" }],
    [
      "HashiCorp Vault unseal",
      /unseal(?:[ \t]+key(?:[ \t]+\d)?[ \t]*:)?[ \t]+([A-Za-z\d+/]{44})(?![\w+/])/iy,
      { id: "vault-unseal" }
    ],
    [
      "Yandex Cloud",
      /(?:AQVN[\w-]{35,38}|YC(?:AJE|M)[\w-]{22,40}|t1\.[A-Z\da-z_-]+[=]{0,2}\.[A-Z\da-z_-]{86}[=]{0,2})(?![\w-])/y,
      { id: "yandex" }
    ]
  ],
  "secret key": [
    [
      "1Password",
      /A3-[A-Z\d]{6}-(?:[A-Z\d]{11}|[A-Z\d]{6}-[A-Z\d]{5})(?:-[A-Z\d]{5}){3}\b/y,
      { id: "1password-secret-key" }
    ],
    ["age", /AGE-SECRET-KEY-1[0-9A-Z]{58}\b/y, { form: "private-key" }],
    ["Flutterwave", /FLWSECK(?:_TEST|_LIVE)?-[a-zA-Z\d]{12,32}(?:-X)?\b/y],
    ["Freemius", /sk_[\w$*?!%&@~-]{29}(?=["'])/y, { form: "loose-format" }],
    ["Langfuse", /sk-lf-[a-f\d-]{36}\b/y],
    ["Liveblocks", /sk_(?:prod|dev)_[\w-]{24,70}(?![\w-])/y],
    ["Paystack", /sk_(?:live|test)_[a-f\d]{40}\b/y],
    ["PubNub", /sec-c-[A-Za-z\d]{48}\b/y]
  ],
  "client secret": [
    ["Adobe", /p8[eE][-_][A-Za-z\d]{32}\b/y],
    [
      "Azure",
      /(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g,
      { id: "azure-client-secret", keywords: ["q~"] }
    ],
    ["Canva", /cnvca[\w-]{51}(?![\w-])/y],
    ["Google OAuth", /GOCSPX-[\w-]{28}(?![\w-])/y, { id: "google-oauth-secret" }],
    ["Intra 42", /s-s4t2(?:ud|af)-[a-f\d]{64}\b/y, { id: "intra42" }],
    ["Ramp", /ramp_sec_[A-Za-z\d]{40,64}\b/y]
  ],
  webhook: [
    [
      "Discord",
      /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,72}/g,
      { id: "discord-webhook", keywords: ["/api/webhooks/"] }
    ],
    [
      "Lark or Feishu",
      /https:\/\/open\.(?:larksuite\.com|feishu\.cn)\/open-apis\/bot\/(?:v2\/)?hook\/[a-f\d-]{36}\b/g,
      { id: "lark-webhook", keywords: ["/open-apis/bot/"] }
    ],
    [
      "Mattermost or Rocket.Chat",
      /https?:\/\/[\w.:-]+\/hooks\/(?:[a-z\d]{26}|[A-Za-z\d]{17,24}\/[A-Za-z\d]{40,64})(?![\w/.-])/g,
      { id: "mattermost-webhook", keywords: ["/hooks/"] }
    ],
    [
      "Microsoft Teams",
      /https:\/\/(?:[\w-]+\.webhook|outlook)\.office\.com\/webhook(?:b2)?\/[\w@-]{73,80}\/IncomingWebhook\/[a-z\d]{32}\/[a-z\d-]{36}(?![a-z\d-])/g,
      { id: "microsoft-teams-webhook", keywords: [".office.com/webhook"] }
    ],
    [
      "Slack",
      /https?:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z\d+/]{36,70}(?![A-Za-z\d+/])/g,
      { id: "slack-webhook", keywords: ["hooks.slack.com"] }
    ],
    [
      "Tines",
      /https:\/\/[\w-]+\.tines\.com\/webhook\/[a-f\d]{32}\/[a-f\d]{32}\b/g,
      { id: "tines-webhook", keywords: [".tines.com/webhook/"] }
    ],
    [
      "Zapier",
      /https:\/\/hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/\w{5,32}/g,
      { id: "zapier-webhook", keywords: ["hooks.zapier.com"] }
    ]
  ],
  "": [
    ["Alibaba Cloud access key ID", /LTAI[A-Za-z\d]{17,21}\b/y, { id: "alibaba-access-key-id", form: "key-id" }],
    // Requires a digit: names of operations have the same form.
    [
      "Alibaba Cloud STS access key ID",
      /STS\.(?=[A-Za-z]*\d)[A-Za-z\d]{20,40}\b/y,
      { id: "alibaba-sts", form: "key-id" }
    ],
    ["AWS access key ID", /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z\d])[A-Z2-7]{16}\b/y, { form: "key-id" }],
    [
      "Azure Container Registry password",
      /(?<![\w+/])([A-Za-z\d+/]{42}\+ACR[A-D][A-Za-z\d+/]{5})(?![\w+/])/g,
      { id: "azure-container-registry", keywords: ["+acr"] }
    ],
    [
      "Azure Logic Apps trigger",
      /sp=(?:%2F|\/)triggers[^\s"'<>]{0,120}?[&;]sig=([\w-]{43})(?![\w-])/iy,
      { id: "azure-logic-app", keywords: ["sp=%2ftriggers", "sp=/triggers"] }
    ],
    ["Azure shared access signature", /sig=([A-Za-z\d%+/]{43,63}(?:%3D|=))/y, { id: "azure-sas" }],
    ["Bitbucket app password", /ATBB[A-Za-z\d]{20,40}\b/y],
    ["ClickHouse Cloud API secret", /4b1d[A-Za-z\d]{38}\b/y, { id: "clickhouse", form: "loose-format" }],
    ["Cloudinary API secret", /cloudinary:\/\/\d{10,20}:([\w-]{20,40})@/y, { id: "cloudinary" }],
    [
      "Code Climate reporter ID",
      /cc_test_reporter_id["']?[ \t]*[:=][ \t]*["']?([a-f\d]{64})\b/iy,
      { id: "codeclimate" }
    ],
    ["Confluent Cloud API secret", /cflt[A-Za-z\d+/]{60}(?![\w+/])/y, { id: "confluent" }],
    ["GitLab session cookie", /_gitlab_session=([a-z\d]{32})\b/y, { id: "gitlab-session" }],
    [
      "Healthchecks ping URL",
      /https:\/\/hc-ping\.com\/[a-f\d]{8}(?:-[a-f\d]{4}){3}-[a-f\d]{12}\b/g,
      { id: "healthchecks", keywords: ["hc-ping.com/"] }
    ],
    ["Jenkins setup password", /password to proceed to installation:\s+([a-f\d]{32})\b/iy, { id: "jenkins-setup" }],
    ["MongoDB Atlas service account secret", /mdb_sa_sk_[\w-]{40}(?![\w-])/y, { id: "mongodb-atlas-service-account" }],
    ["NATS seed", /S[AOU]A[A-P][A-Z2-7]{54}\b/y, { form: "private-key" }],
    ["PlanetScale secret", /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/y, { id: "planetscale" }],
    ["Razorpay key ID", /rzp_live_[A-Za-z\d]{14}\b/y, { id: "razorpay", form: "key-id" }],
    [
      "Sidekiq license credential",
      /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM\w*["']?\s*[:=.?>]{1,4}\s*["'`]?([a-f\d]{8}:[a-f\d]{8})\b/iy,
      { id: "sidekiq" }
    ]
  ]
}

/** `weights-and-biases` for "Weights & Biases". */
const idOf = (provider: string): string =>
  provider.toLowerCase().replace(".", "").replace("&", "and").replaceAll(" ", "-")

/** In the order of their ids. */
export const providerFormats: ReadonlyArray<ProviderFormat> = Object.entries(rows)
  .flatMap(([noun, ofNoun]) =>
    ofNoun.map(([provider, pattern, more]) => ({
      id: idOf(provider),
      name: `${provider} ${noun}`.trim(),
      pattern,
      ...more
    }))
  )
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))

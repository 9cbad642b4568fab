/**
 * Tokens that carry their provider's mark, beyond those of secretlint's preset.
 *
 * Each pattern is the format that the provider documents or that its tokens are seen to have. It is tried where one of its
 * literals stands: at the literal itself, or, where the mark is inside the token or before it, on the line around it.
 */
import type { CandidateKind } from "../../Candidate.ts"
import { isCountedInPart, isPlaceholder, isPublic } from "../../scoring/Placeholder.ts"
import { rarity } from "../../scoring/Rarity.ts"
import type { Detector, Source } from "../../text/Source.ts"

interface Provider {
  readonly name: string
  readonly literals: ReadonlyArray<string>
  /** The token is the first group, or the whole match where there is none. */
  readonly pattern: RegExp
  readonly confidence?: number
  readonly kind?: CandidateKind
  /** The match may begin before the literal. */
  readonly around?: true
}

/** Made-up tokens have their provider's form too: what is not drawn at random counts less, and so does a test's. */
export const tokenConfidence = (source: Source, value: string, confidence: number): number => {
  const parts = [value, ...value.split(/[-_.:]/), value.slice(Math.max(0, value.search(/\d/)))].filter(
    (part) => part.length >= 6
  )
  if (
    isPublic(value) ||
    isPlaceholder(value) ||
    isCountedInPart(value) ||
    parts.some((part) => part.length > value.length / 2 && isPlaceholder(part))
  )
    return 0.1
  const drawn = parts.some((part) => rarity(part) >= 0.2) || confidence === assigned ? 0 : 0.45
  return Math.max(0, confidence - drawn - (source.kind.madeUp ? 0.25 : 0) - (source.kind.format === "prose" ? 0.1 : 0))
}

const own = (
  name: string,
  literals: string,
  pattern: RegExp,
  more?: Pick<Provider, "around" | "confidence" | "kind">
): Provider => ({ name, literals: literals.split(" "), pattern, ...more })

const around = { around: true } as const
/** The confidence of ids that a provider assigns: letters and digits that surprise little. */
const assigned = 0.65

const table: ReadonlyArray<Provider> = [
  own("1password-secret-key", "a3-", /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b/y),
  own("1password-service-account", "ops_ey", /ops_eyJ[\w+/-]{200,}={0,3}/y),
  own("adafruit", "aio_", /aio_[A-Za-z0-9]{28}\b/y),
  own("adobe", "p8e- p8e_", /p8[eE][-_][A-Za-z0-9]{32}\b/y),
  own("age", "age-secret-key-1", /AGE-SECRET-KEY-1[0-9A-Z]{58}\b/y),
  own("airtable", "pat", /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b/y),
  own("akamai", "akab-", /akab-[a-z0-9]{16}-[a-z0-9]{16}(?![\w-])/y),
  own("alchemy", "alcht_", /alcht_[A-Za-z0-9]{30}\b/y),
  own("alibaba-access-key-id", "ltai", /LTAI[A-Za-z0-9]{17,21}\b/y, { confidence: assigned }),
  own("amazon-marketplace", "amzn.mws.", /amzn\.mws\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y),
  own("anthropic-admin", "sk-ant-", /sk-ant-(?:admin|oat|sid|api)\d\d-[\w-]{80,120}/y),
  own("apify", "apify_api_", /apify_api_[A-Za-z0-9]{36}\b/y),
  own("appsync", "da2-", /da2-[a-z0-9]{26}\b/y),
  own("artifactory", "akc cmvmdgtuo", /(?:AKC[A-Za-z0-9]{64,73}|cmVmdGtuO[A-Za-z0-9]{50,70})(?![\w+/=])/y),
  own(
    "asana",
    "asana",
    /asana[\w .,"'=:>-]{0,40}?["'=: ]([01]\/\d{13,20}:[a-f0-9]{32}|\d\/\d{13,20}\/\d{13,20}:[a-f0-9]{32})\b/iy
  ),
  own(
    "atlassian",
    "atatt3 atctt3 atbb atbb",
    /(?:ATATT3|ATCTT3)[\w=-]{100,260}|ATBB[A-Za-z0-9]{32}\b|ATBB[A-Za-z0-9]{24}[A-F0-9]{8}\b/y
  ),
  own("atlassian-datacenter", "bbdc-", /BBDC-[A-Za-z0-9+/@_-]{40,50}(?![\w+/@-])/y),
  own("aws-access-key-id", "akia asia abia acca a3t", /(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}\b/y, {
    confidence: 0.65
  }),
  own("aws-bedrock", "absk", /ABSK[A-Za-z0-9+/]{109,269}={0,2}/y),
  own("axiom", "xaat- xapt-", /xa[ap]t-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y),
  own("azure-client-secret", "q~", /(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g, around),
  own("azure-devops", "azdo", /[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/g, around),
  own("azure-function", "code=", /code=([\w-]{52,54}(?:==|%3D%3D))/y),
  own("azure-sas", "sig=", /sig=([A-Za-z0-9%+/]{43,63}(?:%3D|=))/y, { confidence: 0.8 }),
  own(
    "azure-storage",
    "accountkey sharedaccesskey",
    /(?:AccountKey|SharedAccessKey)\s*=\s*([A-Za-z0-9+/]{42,86}={1,2})/iy
  ),
  own("beamer", "b_", /b_[A-Za-z0-9=_-]{44}(?![\w=-])/y, { confidence: 0.5 }),
  own("bedrock", "bedrock-api-key-", /bedrock-api-key-[\w+/=]{32,1000}/y),
  own("bitbucket-app-password", "atbb", /ATBB[A-Za-z0-9]{20,40}\b/y),
  own("braintree", "access_token$", /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b/y),
  own("buildkite", "bkua_ bkaj_", /bk(?:ua|aj)_[a-z0-9]{40}\b/y),
  own("cerebras", "csk-", /csk-[a-z0-9]{48}\b/y),
  own("circleci", "ccipat_ ccippr_", /CCIP(?:AT|PR)_[A-Za-z0-9]{22}_[a-f0-9]{40}\b/iy),
  own("clojars", "clojars_", /CLOJARS_[a-z0-9]{60}\b/iy),
  own("cloudflare", "cfk_ cfut_ cfat_", /cf(?:k|ut|at)_[A-Za-z0-9]{48}(?![\w-])/y),
  own("cloudflare-origin-ca", "v1.0-", /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b/y),
  own("cloudinary", "cloudinary://", /cloudinary:\/\/\d{10,20}:([\w-]{20,40})@/y),
  own("cockroach", "ccdb1_", /CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}\b/y),
  own("contentful", "cfpat-", /CFPAT-[\w-]{43}\b/y),
  own("cratesio", "cio", /cio[A-Za-z0-9]{32}\b/y),
  own("cursor", "key_", /key_[a-f0-9]{64}\b/y, { confidence: 0.7 }),
  own("databento", "db-", /db-[A-Za-z0-9]{29}\b/y, { confidence: 0.5 }),
  own("deepseek", "sk-", /sk-[a-f0-9]{32}\b/y, { confidence: 0.75 }),
  own("defined-networking", "dnkey-", /dnkey-[A-Z0-9=_-]{26}-[A-Z0-9=_-]{52}(?![\w=-])/iy),
  own("dependency-track", "odt_", /odt_[A-Za-z0-9]{32,64}\b/y),
  own("digitalocean", "dop_v1_ doo_v1_ dor_v1_ doa_v1_", /do[opra]_v1_[a-f0-9]{64}\b/y),
  own(
    "discord-bot",
    "discord bot",
    /(?<![\w.-])([MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40})(?![\w.-])/g,
    around
  ),
  own(
    "discord-webhook",
    "/api/webhooks/",
    /https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,72}/g,
    around
  ),
  own("docker-organization", "dckr_oat_", /dckr_oat_[\w-]{32}(?![\w-])/y),
  own("docker-swarm", "swmkey-1- swmtkn-1-", /SWM(?:KEY-1-[\w+/]{43}|TKN-1-[a-z0-9]{50}-[a-z0-9]{25})(?![\w+/-])/y),
  own(
    "doppler",
    "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.",
    /dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}\b/y
  ),
  own("dropbox", "sl.", /sl\.(?:u\.)?[\w=-]{130,1200}/y),
  own("duffel", "duffel_", /duffel_(?:test|live)_[\w=-]{43}/y),
  own("dynatrace", "dt0", /dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/iy),
  own("easypost", "ezak ezt", /EZ[AT]K[A-Za-z0-9]{54}\b/y),
  own("elevenlabs", "sk_", /sk_[a-f0-9]{48}\b/y),
  own("facebook", "eaa", /EAA[A-Za-z0-9]{3}[A-Za-z0-9]{90,250}\b/y, { confidence: 0.75 }),
  own("facebook-app", "|", /(?<!\d)\d{13,17}\|[\w-]{27}(?![\w-])/g, around),
  own("fastly", "fastly", /fastly[\w .,"'=:>-]{0,40}?["'=: ]([\w-]{32})(?![\w-])/iy, { confidence: 0.6 }),
  own("firecrawl", "fc-", /fc-[a-f0-9]{32}\b/y),
  own("flutterwave", "flwseck", /FLWSECK(?:_TEST|_LIVE)?-[a-zA-Z0-9]{12,32}(?:-X)?\b/y),
  own("flyio-macaroon", "flyv1", /FlyV1 (?!f[mo]\d)([\w+/=,-]{80,2000})(?![\w+/=,-])/y),
  own(
    "flyio",
    "fo1_ fm1a_ fm1r_ fm2_",
    /(?:fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})/y
  ),
  own("frameio", "fio-u-", /fio-u-[\w=-]{64}/y),
  own("freemius", "sk_", /sk_[\w$*?!%&@~-]{29}(?=["'])/y, { confidence: 0.5 }),
  own(
    "github-more",
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    /gh[pousr]_[A-Za-z0-9]{36,255}\b|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}\b/y
  ),
  own(
    "gitlab",
    "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glagent- glimt- gloas- glffct- glwt- gr1348941",
    /(?:gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|agent|imt|oas|ffct|wt)-[\w.-]{20,300}|GR1348941[\w-]{20,30}(?![\w-]))/y
  ),
  own("gocardless", "live_", /live_[\w=-]{40}(?![\w=-])/y, { confidence: 0.6 }),
  own("google-api-key", "aiza", /AIza[\w-]{35}(?![\w-])/y, { confidence: 0.8 }),
  own("google-oauth-secret", "gocspx-", /GOCSPX-[\w-]{28}(?![\w-])/y),
  own("google-oauth-token", "ya29.", /ya29\.[\w-]{30,1000}/y),
  own("google-refresh-token", "1//0", /1\/\/0[\w-]{35,120}/y),
  own(
    "grafana",
    "glc_ glsa_ eyjrijo",
    /(?:glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3})/y
  ),
  own("harness", "pat. sat.", /[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}\b/iy),
  own("heroku", "hrku-", /HRKU-[\w-]{36,80}/y),
  own("honeycomb", "hcaik_ hcamk_", /hca[im]k_[a-z0-9]{58,64}\b/y),
  own("hubspot", "pat-", /pat-(?:na|eu|ap)\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y),
  own("huggingface-organization", "api_org_", /api_org_[a-zA-Z]{34}\b/y),
  own("infisical", "st.", /st\.[a-f0-9]{8,24}(?:-[a-f0-9-]{27})?\.[a-f0-9]{32}\.[a-f0-9]{32}\b/y),
  own("infracost", "ico-", /ico-[A-Za-z0-9]{32}\b/y),
  own("instagram", "igqv igqw", /IGQ[VW][\w-]{100,300}/y),
  own("intercom", "dg9r", /dG9rO[A-Za-z0-9+/=]{50,60}/y),
  own("intra42", "s-s4t2", /s-s4t2(?:ud|af)-[a-f0-9]{64}\b/y),
  own("jina", "jina_", /jina_[a-f0-9]{32}[\w-]{28}(?![\w-])/y),
  own("kolide", "k2sk_v", /k2sk_v\d_[A-Za-z0-9]{24}\b/y),
  own("langchain", "lsv2_ ls__", /(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b/y),
  own("langfuse", "sk-lf-", /sk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y),
  own(
    "launchdarkly",
    "api- sdk- mob-",
    /(?:api|sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}\b/y,
    { confidence: 0.75 }
  ),
  own("llamaindex", "llx-", /llx-[\w-]{48}(?![\w-])/y),
  own("lob", "live_", /live_[a-f0-9]{35}\b/y),
  own("mailchimp", "-us", /(?<![a-f0-9])[a-f0-9]{32}-us\d{1,2}\b/g, around),
  own("mailgun", "key-", /key-[a-f0-9]{32}\b/y),
  own("mapbox", "sk.ey", /sk\.eyJ[\w-]{60,120}\.[\w-]{20,30}/y),
  own("maxmind", "_mmk", /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b/g, around),
  own(
    "microsoft-teams-webhook",
    ".office.com/webhook",
    /https:\/\/(?:[\w-]+\.webhook|outlook)\.office\.com\/webhook(?:b2)?\/[\w@-]{73,80}\/IncomingWebhook\/[a-z0-9]{32}\/[a-z0-9-]{36}/g,
    around
  ),
  own("mongodb-atlas-service-account", "mdb_sa_sk_", /mdb_sa_sk_[\w-]{40}/y),
  own("neon", "napi_", /napi_[a-z0-9]{64}\b/y),
  own("netlify", "nfp_", /nfp_[A-Za-z0-9]{36}\b/y),
  own(
    "newrelic",
    "nrak- nrii- nriq- nrjs- nraa- nrra-",
    /NR(?:AK-[A-Z0-9]{27}|I[IQ]-[\w-]{32}|JS-[a-f0-9]{19}|AA-[a-f0-9]{27}|RA-[a-f0-9]{42})\b/iy
  ),
  own("newrelic-license", "nral", /[a-f0-9]{36}NRAL\b/g, around),
  own("ngrok", "ngrok", /ngrok[\w .,"'=:>-]{0,40}?["'=: ](\d[A-Za-z0-9]{26,27}_[A-Za-z0-9]{17,24})\b/iy),
  own("notion", "secret_ ntn_", /(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})\b/y),
  own("nuget", "oy2", /oy2[a-z0-9]{43}\b/y),
  own("nvidia", "nvapi-", /nvapi-[\w-]{60,70}/y),
  own("octopus", "api-", /API-[A-Z0-9]{25,36}\b/y, { confidence: 0.7 }),
  own("okta", "okta", /okta[\w .,"'=:>-]{0,40}?["'=: ](00[\w=-]{40})(?![\w=-])/iy),
  own("onfido", "api_live api_sandbox", /api_(?:live|sandbox)(?:_(?:us|ca))?\.[\w-]{11}\.[\w-]{32}(?![\w-])/y),
  own(
    "openai",
    "sk-",
    /sk-(?:(?:proj|svcacct|admin|None)-)?[\w-]{20,120}T3BlbkFJ[\w-]{20,120}|sk-[A-Za-z0-9]{48}(?![\w-])/y
  ),
  own("openrouter", "sk-or-", /sk-or-v1-[a-f0-9]{64}\b/y),
  own("openshift", "sha256~", /sha256~[\w-]{43}(?![\w-])/y),
  own("packagist", "packagist_", /packagist_(?:ack|acs|ora|org|out|uut)_[a-f0-9]{68,80}\b/iy),
  own("paddle", "pdl_", /pdl_(?:live|sdbx)_apikey_[a-z\d]{26}_[a-zA-Z\d]{22}_[a-zA-Z\d]{3}\b/y),
  own("paystack", "sk_live_ sk_test_", /sk_(?:live|test)_[a-f0-9]{40}\b/y),
  own("perplexity", "pplx-", /pplx-[A-Za-z0-9]{48}\b/y),
  own("pinecone", "pcsk_", /pcsk_[A-Za-z0-9]{4,6}_[A-Za-z0-9]{50,70}\b/y),
  own("plaid", "access-", /access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\b/y),
  own("planetscale", "pscale_", /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/y),
  own("portainer", "ptr_", /ptr_[\w+/=-]{44}(?![\w+/=-])/y),
  own("posthog", "phx_ phs_ phr_ pha_", /ph[xsra]_[\w-]{43,50}(?![\w-])/y),
  own("postman", "pmak-", /PMAK-[a-f0-9]{24}-[a-f0-9]{34}\b/iy),
  own("postman-collection", "pmat-", /PMAT-[A-Z0-9]{26}\b/y),
  own("prefect", "pnu_ pnb_", /pn[ub]_[A-Za-z0-9]{36}\b/y),
  own("pubnub", "sec-c-", /sec-c-[A-Za-z0-9]{48}\b/y),
  own("pulumi", "pul-", /pul-[a-f0-9]{40}\b/y),
  own("pypi", "pypi-age", /pypi-AgE[\w-]{84,1000}/y),
  own("readme", "rdme_", /rdme_[a-z0-9]{70}\b/y),
  own("render", "rnd_", /rnd_[A-Za-z0-9]{28,40}\b/y),
  own("replicate", "r8_", /r8_[\w-]{37}\b/y),
  own("resend", "re_", /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b/y),
  own("rubygems", "rubygems_", /rubygems_[a-f0-9]{48}\b/y),
  own("salesforce", "00d", /00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,260}/y),
  own("scalingo", "tk-us-", /tk-us-[\w-]{48}/y),
  own("sendgrid", "sg.", /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/y),
  own("sendinblue", "xkeysib- xsmtpsib-", /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b/y),
  own("sentry", "sntrys_ sntryu_", /sntry[su]_[\w+/=-]{60,400}/y),
  own("settlemint", "sm_pat_ sm_aat_ sm_sat_", /sm_[pas]at_[A-Za-z0-9]{16}\b/y),
  own("shippo", "shippo_", /shippo_(?:live|test)_[a-f0-9]{40}\b/y),
  own(
    "sidekiq",
    "bundle_enterprise__contribsys__com bundle_gems__contribsys__com",
    /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM\w*["']?\s*[:=.?>]{1,4}\s*["'`]?([a-f0-9]{8}:[a-f0-9]{8})\b/iy
  ),
  own(
    "slack",
    "xoxe xoxs- xoxd- xoxc- xoxb- xoxp- xapp- xoxa- xoxr- xoxo-",
    /(?:xoxe\.xox[bp]-\d-[A-Za-z0-9]{120,200}|xoxe-\d-[A-Za-z0-9]{100,180}|xox[bpasrodce]-[A-Za-z0-9%-]{10,250}|xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+)/iy
  ),
  own("slack-app", "xapp-", /xapp-\d-[A-Z0-9]+-\d+-[a-f0-9]+\b/iy),
  own(
    "slack-webhook",
    "hooks.slack.com",
    /https?:\/\/hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{36,70}/g,
    around
  ),
  own("snyk", "snyk", /snyk[\w .,"'=:>-]{0,40}?["'=: ]([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})\b/iy, {
    confidence: 0.7
  }),
  own("snyk-service", "snyk_", /snyk_(?:uat|sat)\.[a-z0-9]{8}\.eyJ[\w-]+\.[\w-]+\.[\w-]+/y),
  own("sonar-login", "sonar", /sonar[\w.]{0,20}(?:login|token)["']?[ \t]*[=:,][ \t]*["']?([a-f0-9]{40})\b/iy),
  own("sonarqube", "squ_ sqp_ sqa_", /sq[upa]_[a-f0-9]{40}\b/y),
  own("sourcegraph", "sgp_ slk_", /(?:sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}|slk_[a-f0-9]{64})\b/y),
  own("square", "sq0 eaaa", /(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])/y),
  own(
    "stripe",
    "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ whsec_",
    /(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,120}|whsec_[A-Za-z0-9+/]{32,64}=?)/y
  ),
  own("supabase", "sbp_ sb_secret_", /(?:sbp_(?:oauth_|v0_)?[a-f0-9]{40}|sb_secret_[\w-]{31,45})\b/y),
  own("tailscale", "tskey-", /tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]+\b/y),
  own("tavily", "tvly-", /tvly-(?:(?:dev|prod)-)?[A-Za-z0-9]{32}\b/y),
  own("telegram", ":aa", /(?<![\w-])\d{8,10}:AA[\w-]{32,34}(?![\w-])/g, around),
  own("terraform-cloud", ".atlasv1.", /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g, around),
  own(
    "tines-webhook",
    ".tines.com/webhook/",
    /https:\/\/[\w-]+\.tines\.com\/webhook\/[a-f0-9]{32}\/[a-f0-9]{32}/g,
    around
  ),
  own("tinybird", "p.ey", /p\.eyJ[\w-]{60,}\.[\w-]{20,}/y),
  own("together", "tgp_v1_", /tgp_v1_[\w-]{43}(?![\w-])/y),
  own("twilio", "sk", /SK[a-f0-9]{32}\b/y),
  own("twitter-bearer", "aaaaaaaaaaaaaaaaaaaaa", /A{21,}[A-Za-z0-9%]{60,100}/y),
  own("typeform", "tfp_", /tfp_[\w.=-]{59}/y),
  own("ubidots", "bbff-", /BBFF-[A-Za-z0-9]{30}\b/y),
  own("vault", "hvs. hvb. hvr.", /hv[sbr]\.[\w-]{24,300}/y),
  own("vault-unseal", "unseal", /unseal(?:[ \t]+key(?:[ \t]+\d)?[ \t]*:)?[ \t]+([A-Za-z0-9+/]{44})(?![\w+/])/iy),
  own("vercel-blob", "vercel_blob_rw_", /vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,32}\b/y),
  own("weights-and-biases", "wandb", /wandb[\w .,"'=:>-]{0,40}?["'=: ]([a-f0-9]{40})\b/iy),
  own("xai", "xai-", /xai-[A-Za-z0-9]{80}\b/y),
  own(
    "yandex",
    "aqvn ycaj ycm t1.",
    /(?:AQVN[\w-]{35,38}|YC(?:AJE|M)[\w-]{22,40}|t1\.[A-Z0-9a-z_-]+[=]{0,2}\.[A-Z0-9a-z_-]{86}[=]{0,2})(?![\w-])/y
  ),
  own("zapier-webhook", "hooks.zapier.com", /https:\/\/hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/\w{5,32}/g, around)
]

const longestLine = 4096

const detector = ({
  around,
  confidence = 0.9,
  kind = "provider-token",
  literals,
  name,
  pattern
}: Provider): Detector => ({
  literals,
  at: (source, start, end, report) => {
    const { text } = source
    const take = (match: RegExpExecArray) => {
      const value = match[1] ?? match[0]
      const at = match.index + match[0].lastIndexOf(value)
      report({
        value,
        kind,
        rule: `provider/${name}`,
        confidence: tokenConfidence(source, value, confidence),
        start: at,
        end: at + value.length
      })
      return match.index + match[0].length
    }
    if (around === undefined) {
      if (
        start > 0 &&
        wordCharacter.test(text.charAt(start - 1)) &&
        !escapedBefore.test(text.slice(Math.max(0, start - 20), start))
      ) {
        return end
      }
      pattern.lastIndex = start
      const match = pattern.exec(text)
      return match === null ? end : take(match)
    }
    const from = Math.max(source.lineStart(start), start - longestLine)
    const to = Math.min(source.lineEnd(end), end + longestLine)
    const line = text.slice(from, to)
    for (const match of line.matchAll(pattern)) {
      match.index += from
      take(match)
    }
    return to
  }
})

const wordCharacter = /[\w.]/
/** The letter of `\n` and its like, written in a string, ends no word; nor does that of a colour of a terminal. */
const escapedBefore = /\\[nrt]$|\[\d{1,3}(?:;\d{1,3}){0,4}m$/

export const providerTokens: ReadonlyArray<Detector> = table.map(detector)

/** What a provider's token is called and where it is replaced, by the rule that found it. */
import type { ValueSubject } from "../Report.ts"

export interface Provider {
  /** "AWS access key ID". */
  readonly name: string
  /** Where a new one is made and this one is withdrawn, in a sentence; undefined where no more is known than for any secret. */
  readonly rotate: string | undefined
}

/** Told by the first of its rules that names one, such as `secretlint/aws` or `provider/gitlab`. */
export const providerOf = ({ locations }: ValueSubject): Provider | undefined => {
  for (const { rule } of locations) {
    const provider = providerBy(rule)
    if (provider !== undefined) return provider
  }
  return undefined
}

const providerBy = (rule: string): Provider | undefined => {
  const exact = providers.get(rule)
  if (exact !== undefined) return exact
  const words = rule.slice(rule.indexOf("/") + 1).split("-")
  for (let length = words.length; length > 0; length--) {
    const provider = providers.get(words.slice(0, length).join("-"))
    if (provider !== undefined) return provider
  }
  return undefined
}

const aws = "In AWS IAM, make a new access key for the user, put it to use, then deactivate and delete this one."
const azure = "In the Azure portal, add a new secret or regenerate the key, put it to use, then remove this one."
const google =
  "In Google Cloud, under APIs and Services or the service account, make a new key, put it to use, then delete this one."
const model = "In the provider's console, under API keys, make a new key, then delete this one; check the usage."
const slack = "In the settings of the Slack app, rotate the token or regenerate the webhook, then reinstall the app."
const sendgrid = "In SendGrid, under Settings, API Keys, make a new key, then delete this one."

/** The beginning of a rule's id, after its slash, at the end of a word; the longest there is decides. Or a whole rule. */
const table: ReadonlyArray<readonly [rule: string, name: string, rotate?: string]> = [
  ["1password", "1Password token"],
  ["1password-secret-key", "1Password secret key"],
  ["1password-service-account", "1Password service account token"],
  ["adobe", "Adobe client secret"],
  ["age", "age secret key"],
  ["airtable", "Airtable token"],
  ["alibaba", "Alibaba Cloud access key"],
  ["anthropic", "Anthropic API key", model],
  ["artifactory", "Artifactory token"],
  ["asana", "Asana token"],
  ["atlassian", "Atlassian API token"],
  ["aws", "AWS access key", aws],
  ["aws-access-key-id", "AWS access key ID", aws],
  ["secretlint/aws", "AWS secret access key", aws],
  ["aws-bedrock", "AWS Bedrock API key", aws],
  ["azure", "Azure secret", azure],
  ["azure-client-secret", "Azure client secret", azure],
  ["azure-devops", "Azure DevOps token", azure],
  ["azure-function", "Azure Functions key", azure],
  ["azure-sas", "Azure shared access signature", azure],
  ["azure-storage", "Azure storage key", azure],
  ["beamer", "Beamer API key"],
  ["bitbucket", "Bitbucket app password"],
  ["braintree", "Braintree access token"],
  ["buildkite", "Buildkite token"],
  ["circleci", "CircleCI token"],
  ["clojars", "Clojars token"],
  ["cloudflare", "Cloudflare API token"],
  ["cloudflare-origin-ca", "Cloudflare origin CA key"],
  ["cloudinary", "Cloudinary API secret"],
  ["contentful", "Contentful token"],
  ["cratesio", "crates.io token"],
  ["cursor", "Cursor API key", model],
  ["databento", "Databento API key"],
  ["databricks", "Databricks token"],
  ["deepseek", "DeepSeek API key", model],
  ["digitalocean", "DigitalOcean token"],
  ["discord", "Discord token"],
  ["discord-bot", "Discord bot token"],
  ["discord-webhook", "Discord webhook"],
  [
    "docker",
    "Docker Hub token",
    "On Docker Hub, under Personal access tokens, make a new token, then delete this one."
  ],
  ["doppler", "Doppler token"],
  ["dropbox", "Dropbox token"],
  ["duffel", "Duffel token"],
  ["dynatrace", "Dynatrace token"],
  ["easypost", "EasyPost API key"],
  ["facebook", "Facebook access token"],
  ["fastly", "Fastly API token"],
  ["figma", "Figma token"],
  ["flutterwave", "Flutterwave secret key"],
  ["flyio", "Fly.io token"],
  ["frameio", "Frame.io token"],
  ["freemius", "Freemius secret key"],
  ["gcp", "Google Cloud key", google],
  [
    "github",
    "GitHub token",
    "On GitHub, under Settings, Developer settings, make a new token with no more rights than it needs, then delete this one."
  ],
  ["gitlab", "GitLab token", "On GitLab, under Access tokens, rotate the token."],
  ["gocardless", "GoCardless token"],
  ["google", "Google credential", google],
  ["google-api-key", "Google API key", google],
  ["google-oauth-secret", "Google OAuth client secret", google],
  ["google-oauth-token", "Google OAuth token", google],
  ["google-refresh-token", "Google refresh token", google],
  ["grafana", "Grafana token"],
  ["groq", "Groq API key", model],
  ["harness", "Harness token"],
  ["hashicorp-vault", "HashiCorp Vault token"],
  ["heroku", "Heroku API key"],
  ["hubspot", "HubSpot token"],
  ["huggingface", "Hugging Face token"],
  ["infracost", "Infracost API key"],
  ["intercom", "Intercom token"],
  ["langchain", "LangSmith API key"],
  ["launchdarkly", "LaunchDarkly key"],
  ["linear", "Linear API key"],
  ["lob", "Lob API key"],
  ["mailchimp", "Mailchimp API key"],
  ["mailgun", "Mailgun API key"],
  ["mapbox", "Mapbox secret token"],
  ["maxmind", "MaxMind license key"],
  ["microsoft-teams-webhook", "Microsoft Teams webhook"],
  ["mongodb-atlas", "MongoDB Atlas secret"],
  ["netlify", "Netlify token"],
  ["newrelic", "New Relic key"],
  ["newrelic-license", "New Relic license key"],
  ["ngrok", "ngrok token"],
  ["notion", "Notion token"],
  [
    "npm",
    "npm token",
    "On npm, under Access Tokens, make a new granular token, then delete this one; check what was published with it."
  ],
  ["nuget", "NuGet API key"],
  ["nvidia", "NVIDIA API key", model],
  ["octopus", "Octopus Deploy API key"],
  ["okta", "Okta API token"],
  ["openai", "OpenAI API key", model],
  ["openrouter", "OpenRouter API key", model],
  ["openshift", "OpenShift token"],
  ["paystack", "Paystack secret key"],
  ["perplexity", "Perplexity API key", model],
  ["pinecone", "Pinecone API key"],
  ["plaid", "Plaid access token"],
  ["planetscale", "PlanetScale secret"],
  ["posthog", "PostHog key"],
  ["postman", "Postman API key"],
  ["prefect", "Prefect API key"],
  ["pulumi", "Pulumi token"],
  [
    "pypi",
    "PyPI token",
    "On PyPI, under API tokens, make a new token, then remove this one; check what was published with it."
  ],
  ["readme", "ReadMe API key"],
  ["render", "Render API key"],
  ["replicate", "Replicate token", model],
  ["resend", "Resend API key"],
  ["rubygems", "RubyGems API key"],
  ["salesforce", "Salesforce token"],
  ["scalingo", "Scalingo token"],
  ["sendgrid", "SendGrid API key", sendgrid],
  ["sendinblue", "Brevo API key"],
  ["sentry", "Sentry token"],
  ["settlemint", "SettleMint token"],
  ["shippo", "Shippo token"],
  [
    "shopify",
    "Shopify token",
    "In the Shopify admin, uninstall and reinstall the custom app, or rotate its credentials."
  ],
  ["sidekiq", "Sidekiq license credential"],
  ["slack", "Slack token", slack],
  ["slack-webhook", "Slack webhook", slack],
  ["snyk", "Snyk token"],
  ["sonarqube", "SonarQube token"],
  ["sourcegraph", "Sourcegraph token"],
  ["square", "Square access token"],
  ["stripe", "Stripe key", "In the Stripe dashboard, under Developers, API keys, roll the key."],
  ["supabase", "Supabase key"],
  ["tailscale", "Tailscale key"],
  ["telegram", "Telegram bot token"],
  ["terraform-cloud", "Terraform Cloud token"],
  ["tinybird", "Tinybird token"],
  ["twilio", "Twilio API key", "In the Twilio console, make a new API key or promote the secondary auth token."],
  ["twitter", "Twitter bearer token"],
  ["typeform", "Typeform token"],
  ["ubidots", "Ubidots token"],
  ["vault", "HashiCorp Vault token"],
  ["vercel", "Vercel token"],
  ["vercel-blob", "Vercel Blob token"],
  ["weights-and-biases", "Weights & Biases API key"],
  ["xai", "xAI API key", model],
  ["yandex", "Yandex Cloud key"]
]

const providers: ReadonlyMap<string, Provider> = new Map(table.map(([rule, name, rotate]) => [rule, { name, rotate }]))

/** Every sentence of `rotate`, once. */
export const rotations = (): ReadonlyArray<string> => [...new Set(table.flatMap(([, , rotate]) => rotate ?? []))]

/**
 * Tokens that other scanners recognize by format alone are found here too, or listed with the reason why not.
 *
 * The newest rules come from the Go module proxy; without it, the tests are skipped. Rules that need a provider's name
 * near a value without a format are left out, because here the name of the value decides.
 */
import { assert, describe, it } from "@effect/vitest"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { matchesOf } from "../../config/matchesOf.ts"
import { entriesOf, rulesOf, sources } from "../../config/ruleFiles.ts"

const textsPerRule = 12

/** The beginning of rules that match a provider's name before a value. */
const needsName = /^(?:\(\?i\))?(?:\[\\w\.-\]\{0,50\}\?)?\((?:\?:|\?i:).*\[ ?\\?t? ?\\?\\?[tw]/

/** Rules of which less than half of the generated texts are found, by reason. */
const notCovered: Readonly<Record<string, ReadonlyArray<string>>> = {
  "a public key or an id": [
    "devcycle-client-sdk-key",
    "devcycle-mobile-sdk-key",
    "exoscale-api-key",
    "flutterwave-public-key",
    "posthog-project-api-key"
  ],
  "the rule takes the name of a provider, in another notation": [
    "aiven-auth-token",
    "amplitude-secret-key",
    "azure-storage-account-key",
    "bitly-access-token",
    "cloudinary-api-secret",
    "couchbase-capella-api-key",
    "influxdb-api-token"
  ],
  "the rule ends within the token": [
    "aws-amazon-bedrock-api-key-short-lived",
    "datastax-astra-application-token",
    "pypi-upload-token"
  ],
  "the structure of the value is checked, which a generated one does not have": [
    "gcp-application-default-credentials",
    "gcp-service-account",
    "jwt",
    "jwt-base64",
    "mongodb-connection-string",
    "private-key",
    "temporal-cloud-api-key.1"
  ],
  "generated values are too short or not random": [
    "curl-auth-header",
    "curl-auth-user",
    "grafana-api-key",
    "slack-app-token",
    "slack-legacy-token",
    "slack-legacy-workspace-token"
  ],
  "tokens are issued in small letters, or with another length, alphabet or structure": [
    "devcycle-server-sdk-key",
    "docker-swarm-join-token",
    "docker-swarm-unlock-key",
    "facebook-access-token",
    "github-fine-grained-pat",
    "langchain-langsmith-personal-access-token",
    "langchain-langsmith-service-key",
    "onfido-live-api-token-ca",
    "onfido-live-api-token-eu",
    "onfido-live-api-token-us",
    "salesforce-access-token.1",
    "sendgrid-api-token",
    "sendinblue-api-token",
    "shippo-api-token",
    "slack-config-access-token",
    "slack-session-cookie",
    "slack-webhook-url",
    "tailscale-api-key.1",
    "twilio-api-key"
  ]
}

const newest = sources.filter(({ program }, index) => sources.findLastIndex((one) => one.program === program) === index)
const listed = new Set(Object.values(notCovered).flat())
const lost = new Set<string>()

describe("what other scanners find by the form of a token", () => {
  for (const source of newest) {
    const toml = rulesOf(source)
    it.skipIf(toml === undefined)(`is found or listed: ${source.program} ${source.version}`, () => {
      for (const { id, regex, skipReport } of entriesOf(toml ?? "")) {
        if (regex === undefined || skipReport === true || needsName.test(regex)) continue
        const texts = matchesOf(regex, textsPerRule)
        const found = texts.filter((text) => candidatesIn(text, { path: "app.conf" }, { minConfidence: 0 }).length > 0)
        if (found.length * 2 < textsPerRule) lost.add(id)
      }
      assert.deepStrictEqual(
        [...lost].filter((id) => !listed.has(id)),
        []
      )
    })
  }

  it("is not listed once it is found", (context) => {
    if (lost.size === 0) return context.skip()
    assert.deepStrictEqual(
      [...listed].filter((id) => !lost.has(id)),
      []
    )
  })
})

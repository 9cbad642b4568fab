/** Provider tokens by the rules of secretlint's recommended preset, each run on the lines that hold one of its literals. */
import { rules } from "@secretlint/secretlint-rule-preset-recommend"
import { Predicate } from "effect"
import { tokenConfidence } from "./ProviderTokens.ts"
import type { Detector, Finding, Source } from "../../text/Source.ts"

/** The literal without which a rule cannot match. A rule that is not here has a detector of our own that finds more. */
const literalsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  aws: ["secret_access_key", "secretaccesskey", "secret_accesskey", "secretaccess_key"],
  npm: ["npm_", "x-oauth-basic"],
  slack: ["xoxb-", "xoxp-", "xapp-", "xoxa-", "xoxo-", "xoxr-", "hooks.slack.com"],
  openai: ["t3blbkfj"],
  anthropic: ["sk-ant-"],
  groq: ["gsk_"],
  huggingface: ["hf_"],
  linear: ["lin_api_"],
  notion: ["ntn_"],
  sendgrid: ["sg."],
  shopify: ["shppa_", "shpca_", "shpat_", "shpss_"],
  stripe: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
  github: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
  gitlab: ["glpat-"],
  grafana: ["glc_", "glsa_"],
  "1password": ["ops_ey"],
  "hashicorp-vault": ["hvs.", "hvb.", "hvr."],
  vercel: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
  databricks: ["dapi"],
  docker: ["dckr_pat_"],
  figma: ["figd_"],
  cloudflare: ["cfk_", "cfut_", "cfat_"],
  tailscale: ["tskey-"]
}

const longestLine = 4096

const packagePrefix = "@secretlint/secretlint-rule-"

export const secretlint: ReadonlyArray<Detector> = rules.flatMap((rule): ReadonlyArray<Detector> => {
  const name = rule.meta.id.slice(packagePrefix.length)
  const literals = literalsOf[name]
  if (literals === undefined || rule.meta.type !== "scanner") return []

  let at:
    | {
        readonly source: Source
        readonly content: string
        readonly offset: number
        readonly report: (finding: Finding) => void
      }
    | undefined
  const handler = rule.create(
    {
      sharedOptions: {},
      createTranslator: () => (messageId, data) => ({ message: "", messageId: String(messageId), data }),
      report: ({ message, range: [from] }) => {
        if (at === undefined) return
        // Some ranges begin at the name before the value; the message's own data is the value itself.
        const value = Object.values(message.data ?? {}).find(
          (datum): datum is string => Predicate.isString(datum) && at?.content.includes(datum, from) === true
        )
        if (value === undefined) return
        const start = at.offset + at.content.indexOf(value, from)
        at.report({
          value,
          kind: "provider-token",
          rule: `secretlint/${name}`,
          confidence: tokenConfidence(at.source, value, 0.9),
          start,
          end: start + value.length
        })
      },
      ignore: () => undefined
    },
    {}
  )

  return [
    {
      literals,
      at: (source, start, end, report) => {
        const from = Math.max(source.lineStart(start), start - longestLine)
        const to = Math.min(source.lineEnd(end), end + longestLine)
        const content = source.text.slice(from, to)
        at = { source, content, offset: from, report }
        // Every rule that is run here reports before it returns.
        void handler.file?.({
          content,
          contentType: "text",
          ext: "",
          filePath: source.path,
          physicalFilePath: undefined,
          hasBOM: false,
          getFilePath: () => source.path,
          getPhysicalFilePath: () => undefined,
          // No rule that is run here asks where it is.
          indexToPosition: (column) => ({ line: 1, column }),
          positionToIndex: ({ column }) => column,
          locationToRange: ({ start, end }) => [start.column, end.column],
          rangeToLocation: ([start, end]) => ({ start: { line: 1, column: start }, end: { line: 1, column: end } })
        })
        at = undefined
        return to
      }
    }
  ]
})

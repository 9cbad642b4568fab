/**
 * Chat channels that receive a digest of each round: Slack through an incoming webhook, Microsoft Teams through a
 * workflow with the trigger "When a Teams webhook request is received".
 */
import { counted } from "@threat-exposure/leak-check/Counted"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { type Digest, type DigestRow, digestOf } from "./Digest.ts"
import type { Tlp } from "./Found.ts"
import { deliveredAll, type Sink } from "./Sink.ts"
import { busy, makePost } from "./SinkRequests.ts"

interface ChatOptions {
  readonly url: string
  readonly tlp: Tlp | undefined
}

const chatSink = (messageOf: (digest: Digest) => unknown) =>
  Effect.fnUntraced(function* (name: string, { tlp, url }: ChatOptions) {
    const post = yield* makePost
    const sink: Sink = {
      name,
      takesRounds: true,
      send: Effect.fn("ChatSink.send")(function* ({ items }) {
        const digest = digestOf(items, tlp)
        if (digest === undefined) return deliveredAll
        const body = JSON.stringify(messageOf(digest))
        const response = yield* post(
          HttpClientRequest.post(url).pipe(HttpClientRequest.bodyText(body, "application/json"))
        )
        // A digest is within all limits, so a refusal never concerns its items.
        return response.status < 300 ? deliveredAll : yield* busy(response)
      })
    }
    return sink
  })

/** Blocks of Slack, https://docs.slack.dev/reference/block-kit/blocks: at most 50, of at most 3,000 characters each. */
export const slackMessage = ({ more, rows, severities, title }: Digest) => ({
  text: `Threat Exposure: ${title}`,
  unfurl_links: false,
  unfurl_media: false,
  blocks: [
    { type: "header", text: { type: "plain_text", text: `Threat Exposure: ${title}`, emoji: false } },
    slackSection(severities),
    ...rows.map(slackRow),
    ...(more === 0 ? [] : [slackSection(`and ${counted(more, "more item")}`)])
  ]
})

/** Omits the link if the row would become too long: escaping a character takes up to five characters. */
const slackRow = ({ details, link, severity, title }: DigestRow) => {
  const textWith = (title: string) => `*${slackText(severity.toUpperCase())}* ${title}\n${slackText(details)}`
  const linked = textWith(
    link === undefined ? slackText(title) : `<${link.replaceAll("&", "&amp;")}|${slackText(title)}>`
  )
  return slackSection(linked.length <= maxSlackText ? linked : textWith(slackText(title)))
}

const maxSlackText = 3_000

/** With `verbatim`, Slack does not turn addresses and mentions in the text into links. */
const slackSection = (text: string) => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } })

/** Escapes characters that begin a link or a mention, and replaces those that format text. */
const slackText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[*_~`]/gu, (sign) => slackLookalikes[sign] ?? "")

const slackLookalikes: Readonly<Record<string, string>> = { "*": "∗", _: "ˍ", "~": "∼", "`": "ˋ" }

/** An Adaptive Card in the message that a workflow of Teams expects. Text runs are plain text, not Markdown. */
export const teamsMessage = (digest: Digest) => {
  // The size limit of a message is 28 kB.
  for (let count = digest.rows.length; ; count -= 1) {
    const message = teamsCard(digest, count)
    if (count === 0 || Buffer.byteLength(JSON.stringify(message)) <= maxTeamsBytes) return message
  }
}

const maxTeamsBytes = 24_000

const teamsCard = ({ more, rows, severities, title }: Digest, count: number) => {
  const left = more + rows.length - count
  return {
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          msteams: { width: "Full" },
          body: [
            richText(textRun(`Threat Exposure: ${title}`, { weight: "Bolder", size: "Medium" })),
            richText(textRun(severities)),
            ...rows.slice(0, count).map(teamsRow),
            ...(left === 0 ? [] : [richText(textRun(`and ${counted(left, "more item")}`))])
          ]
        }
      }
    ]
  }
}

interface TextRun {
  readonly type: "TextRun"
  readonly text: string
  readonly weight?: "Bolder"
  readonly size?: "Medium"
  readonly color?: string
  readonly isSubtle?: true
  readonly selectAction?: { readonly type: "Action.OpenUrl"; readonly url: string }
}

const richText = (...inlines: ReadonlyArray<TextRun>) => ({ type: "RichTextBlock", inlines })

const textRun = (text: string, options: Omit<TextRun, "text" | "type"> = {}): TextRun => ({
  type: "TextRun",
  text,
  ...options
})

const teamsRow = ({ details, link, severity, title }: DigestRow) =>
  richText(
    textRun(`${severity.toUpperCase()} `, { weight: "Bolder", color: teamsColors[severity] ?? "Default" }),
    textRun(title, link === undefined ? {} : { selectAction: { type: "Action.OpenUrl", url: link } }),
    textRun(` (${details})`, { isSubtle: true })
  )

const teamsColors: Readonly<Record<string, string>> = { critical: "Attention", high: "Attention", medium: "Warning" }

export const slackSink = chatSink(slackMessage)
export const teamsSink = chatSink(teamsMessage)

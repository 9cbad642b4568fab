import { assert, describe, it } from "@effect/vitest"
import { slackSink, teamsSink } from "@threat-exposure/cli/feed/ChatSinks"
import type { FeedItem } from "@threat-exposure/cli/feed/FeedState"
import { Effect } from "effect"
import { nodeHttp } from "@threat-exposure/cli/connection/NodeHttp"
import { summaryWith } from "./FeedDoubles.ts"
import { type Answer, receiver } from "./HttpReceiver.ts"

const time = Date.parse("2026-11-20T08:00:00.250Z")

const itemOf = (uid: string, summary: Partial<ReturnType<typeof summaryWith>> = {}): FeedItem => ({
  uid,
  line: "{}",
  time,
  summary: { ...summaryWith("high"), ...summary }
})

const sinks = { slack: slackSink, teams: teamsSink }

/** Returns the messages that the sink sends for the items. */
const sent = Effect.fnUntraced(function* (
  kind: keyof typeof sinks,
  items: ReadonlyArray<FeedItem>,
  answer: Answer = { status: 200 },
  tlp?: "amber"
) {
  const { received, url } = yield* receiver(() => answer)
  const sink = yield* sinks[kind](kind, { url: `${url}/services/T0`, tlp })
  const result = yield* Effect.result(sink.send({ id: "b", isRepeat: false, items }))
  return { result, received, bodies: received.map(({ body }) => body) }
})

const given = Effect.provide(nodeHttp)

interface SlackBlock {
  readonly type: string
  readonly text: { readonly text: string; readonly type: string; readonly verbatim?: boolean; readonly emoji?: boolean }
}

const hostile = itemOf("a", {
  title: "<!channel> <https://evil.example.com|click> *bold* _x_ [y](https://evil.example.com)\u202e\n# z",
  link: "https://exposure.example.com/events/1|x>?a=1&b=2"
})

const many = Array.from({ length: 300 }, (_, index) =>
  itemOf(`paste/x/${index}`, {
    severity: ["info", "low", "critical"][index % 3] ?? "",
    title: "🔑".repeat(5_000),
    link: `https://exposure.example.com/events/${"x".repeat(400)}${index}`
  })
)

describe("a digest for Slack", () => {
  it.effect("counts the items, and lists the most severe ones first, in blocks within the limits", () =>
    Effect.gen(function* () {
      const { bodies, received } = yield* sent("slack", many, { status: 200 }, "amber")
      assert.lengthOf(bodies, 1)
      assert.strictEqual(received[0]?.headers["content-type"], "application/json")
      const { blocks, text }: { readonly blocks: ReadonlyArray<SlackBlock>; readonly text: string } = JSON.parse(
        bodies[0] ?? ""
      )
      assert.strictEqual(text, "Threat Exposure: 300 new items (TLP:AMBER)")
      assert.deepStrictEqual(blocks[0], { type: "header", text: { type: "plain_text", text, emoji: false } })
      assert.strictEqual(blocks[1]?.text.text, "100 critical, 100 low, 100 info")
      assert.strictEqual(blocks.at(-1)?.text.text, "and 280 more items")
      assert.isAtMost(blocks.length, 50)
      for (const block of blocks.slice(1)) {
        assert.deepInclude(block, { type: "section" })
        assert.isAtMost(block.text.text.length, 3_000)
      }
      assert.isTrue(blocks.slice(2, -1).every((block) => block.text.text.startsWith("*CRITICAL* <https://")))
    }).pipe(given, Effect.scoped)
  )

  it.effect("keeps a row within the limit whose characters are all escaped, without its link", () =>
    Effect.gen(function* () {
      const title = "&".repeat(300)
      const link = `https://exposure.example.com/?${"&".repeat(450)}`
      const { bodies } = yield* sent("slack", [itemOf("a", { title, link }), itemOf("b", { link })])
      const { blocks }: { readonly blocks: ReadonlyArray<SlackBlock> } = JSON.parse(bodies[0] ?? "")
      const rows = blocks.slice(2).map((block) => block.text.text)
      assert.isTrue(rows.every((row) => row.length <= 3_000))
      assert.deepStrictEqual(
        rows.map((row) => row.includes("<https://")),
        [false, true]
      )
    }).pipe(given, Effect.scoped)
  )

  it.effect("has no link, mention or format that comes from a leak", () =>
    Effect.gen(function* () {
      const { bodies } = yield* sent("slack", [hostile])
      const { blocks }: { readonly blocks: ReadonlyArray<SlackBlock> } = JSON.parse(bodies[0] ?? "")
      const row = blocks[2]?.text
      assert.isTrue(row?.verbatim)
      assert.deepStrictEqual(row?.text.match(/<[^>]*/gu), [
        "<https://exposure.example.com/events/1%7Cx%3E?a=1&amp;b=2|&lt;!channel&gt; &lt;https://evil.example.com|click&gt; ∗bold∗ ˍxˍ [y](https://evil.example.com) # z"
      ])
    }).pipe(given, Effect.scoped)
  )
})

describe("a digest for Teams", () => {
  it.effect("is a card of plain text with the same rows, within 28 kB", () =>
    Effect.gen(function* () {
      const { bodies } = yield* sent("teams", many)
      assert.isAtMost(Buffer.byteLength(bodies[0] ?? ""), 28_000)
      const { attachments, type } = JSON.parse(bodies[0] ?? "")
      assert.strictEqual(type, "message")
      const [{ content, contentType, contentUrl }] = attachments
      assert.deepStrictEqual([contentType, contentUrl], ["application/vnd.microsoft.card.adaptive", null])
      assert.deepInclude(content, { type: "AdaptiveCard", version: "1.4" })
      const rows: ReadonlyArray<{ readonly type: string; readonly inlines: ReadonlyArray<{ readonly text: string }> }> =
        content.body
      assert.isTrue(
        rows.every((row) => row.type === "RichTextBlock"),
        "other text is read as Markdown"
      )
      assert.strictEqual(rows[0]?.inlines[0]?.text, "Threat Exposure: 300 new items")
      const listed = rows.length - 3
      assert.isAtLeast(listed, 10)
      assert.strictEqual(rows.at(-1)?.inlines[0]?.text, `and ${300 - listed} more items`)
    }).pipe(given, Effect.scoped)
  )

  it.effect("links to the event, and shows text of a leak as it is", () =>
    Effect.gen(function* () {
      const { bodies } = yield* sent("teams", [hostile, itemOf("b", { link: "javascript:alert(1)" })])
      const [{ content }] = JSON.parse(bodies[0] ?? "").attachments
      assert.deepStrictEqual(content.body[2].inlines[1], {
        type: "TextRun",
        text: "<!channel> <https://evil.example.com|click> *bold* _x_ [y](https://evil.example.com) # z",
        selectAction: { type: "Action.OpenUrl", url: "https://exposure.example.com/events/1%7Cx%3E?a=1&b=2" }
      })
      assert.notProperty(content.body[3].inlines[1], "selectAction")
    }).pipe(given, Effect.scoped)
  )
})

describe("a digest", () => {
  it.effect.each(["slack", "teams"] as const)("for %s tells changes, and not that an event got its content", (kind) =>
    Effect.gen(function* () {
      const completed = { ...itemOf("c"), version: "2026-11-21T08:00:00.000Z" }
      assert.deepStrictEqual((yield* sent(kind, [completed])).bodies, [])
      const changed = { ...itemOf("d", { changed: ["status"], status: "remediated" }), version: completed.version }
      const { bodies } = yield* sent(kind, [completed, changed, itemOf("e")])
      assert.include(bodies[0], "1 new item, 1 changed item")
      assert.include(bodies[0], "paste, 2026-11-20, remediated, changed: status")
    }).pipe(given, Effect.scoped)
  )

  it.effect.each([
    ["slack", 400, "answered 400: check its address"],
    ["slack", 410, "answered 410: check its address"],
    ["teams", 429, "answered 429"],
    ["teams", 502, "answered 502"]
  ] as const)("for %s waits after %i, and is never taken apart", ([kind, status, message]) =>
    Effect.gen(function* () {
      const { result } = yield* sent(kind, [itemOf("a"), itemOf("b")], { status })
      assert.strictEqual(result._tag, "Failure")
      if (result._tag === "Failure") {
        assert.strictEqual(result.failure._tag, "SinkBusy")
        assert.include(result.failure.message, message)
      }
    }).pipe(given, Effect.scoped)
  )
})

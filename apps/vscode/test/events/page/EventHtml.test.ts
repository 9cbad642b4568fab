import { assert, describe, it } from "@effect/vitest"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Predicate, Schema } from "effect"
import { eventRow } from "../../../src/events/list/EventRow.ts"
import { detector } from "../../../src/detection/Detector.ts"
import type { AnyEvent } from "../../../src/events/AnyEvent.ts"
import { type EventDocument, eventDocument, secretsOf } from "../../../src/events/page/EventDocument.ts"
import { eventHtml } from "../../../src/events/page/EventHtml.ts"
import { eventJson } from "../../../src/events/page/EventJson.ts"
import { eventMarkdown } from "../../../src/events/page/EventMarkdown.ts"
import { type EventNeighbours, neighboursOf } from "../../../src/events/page/EventNeighbours.ts"
import { assertAccessible } from "../../Accessibility.ts"

const decoded = Schema.decodeUnknownSync(TypedEvent)
const password = ["tidal", "Wren", "7225", "harbour!"].join("-")
const metadata = {
  uid: "open/somewhere/1",
  severity: "high",
  estimated_created_at: "2026-11-20T08:00:00Z",
  matched_at: null,
  svc_url: "https://exposure.example.com/events/1"
}
const paste = {
  title: "Orchard",
  content: `# checkout\nDATABASE_PASSWORD=${password}\nowner: Orchard Ltd\n`,
  actor: { name: "parcelmoth" },
  accounts: [{ username: "jane", password: "kestrel-and-kite" }],
  description: null
}

const typed = (data: unknown, svc_url = metadata.svc_url) =>
  decoded({ event_type: "keyring", metadata: { ...metadata, svc_url }, data })

const documentOf = (data: unknown, masked = false, svc_url = metadata.svc_url) =>
  eventDocument(typed(data, svc_url), undefined, { masked, secretsIn: detector.secretsIn })

const htmlOf = (
  event: EventDocument,
  {
    masked = false,
    neighbours = neighboursOf(undefined, []),
    reveals = () => false,
    terms = []
  }: {
    readonly neighbours?: EventNeighbours
    readonly masked?: boolean
    readonly reveals?: (secret: number) => boolean
    readonly terms?: ReadonlyArray<string>
  } = {}
) =>
  eventHtml(event, {
    now: Date.parse("2026-11-22T08:00:00Z"),
    masked,
    reveals,
    terms,
    advice: [],
    neighbours
  }).markup

const messagesIn = (html: string, tag: string): ReadonlyArray<unknown> =>
  [...html.matchAll(/data-message="([^"]*)"/gu)]
    .map(([, text = ""]): unknown =>
      JSON.parse(text.replaceAll(/&#(\d+);/gu, (_, code) => String.fromCodePoint(Number(code))))
    )
    .filter((message) => Predicate.isTagged(message, tag))

describe("an event as a page", () => {
  it("gives each control a name and a unique id, by which it keeps the focus when the page is drawn again", () => {
    assertAccessible(htmlOf(documentOf(paste)))
  })

  it("has the type and the title of its row, then the precise type of its data", () => {
    const seen = (type: string): AnyEvent => ({
      metadata: {
        uid: "credential/mothlamp_logs/1",
        type,
        severity: "high",
        estimated_created_at: null,
        matched_at: null
      },
      tenant_metadata: { severity: null, tags: [], notes: null },
      highlights: {},
      identifiers: []
    })
    for (const masked of [false, true]) {
      const pageOf = (event: AnyEvent) => eventDocument(typed({}), event, { masked, secretsIn: detector.secretsIn })
      const row = eventRow(seen("leak"), { id: "row", now: 0, masked, isNew: false })
      assert.strictEqual(row.label, masked ? "leak · m••••••_l•••" : "leak · mothlamp_logs")
      assert.strictEqual(pageOf(seen("leak")).title, row.label)
      assert.include(htmlOf(pageOf(seen("leak"))), "<span>leak · keyring</span>")
      assert.include(htmlOf(pageOf(seen("keyring"))), "<span>keyring</span>")
      assert.include(eventMarkdown(pageOf(seen("leak"))).text, "leak · keyring")
    }
  })

  it("takes the metadata that the event lacks from the search", () => {
    const seen: AnyEvent = {
      metadata: { ...metadata, type: "paste", matched_at: "2026-11-21T08:00:00Z" },
      tenant_metadata: { severity: null, tags: [], notes: null },
      highlights: {},
      identifiers: []
    }
    const event = decoded({ data: { title: "Orchard" } })
    const page = eventDocument(event, seen, { masked: false, secretsIn: detector.secretsIn })
    const { link, matchedAt, seenAt, severity, source, uid } = page
    assert.deepStrictEqual(
      [uid, source, severity, seenAt, matchedAt, link],
      [metadata.uid, "somewhere", "high", metadata.estimated_created_at, "2026-11-21T08:00:00Z", metadata.svc_url]
    )
    assert.include(htmlOf(page), "<span>paste</span>")
  })

  it("is named after the file that leaked, not after its first lines", () => {
    const code = { repository: "example-corp/checkout", path: "deploy/release.sh", content: "#!/bin/sh\nset -e\n" }
    const seen: AnyEvent = {
      metadata: {
        uid: metadata.uid,
        type: "source_code",
        severity: "high",
        estimated_created_at: null,
        matched_at: null
      },
      tenant_metadata: { severity: null, tags: [], notes: null },
      highlights: { content: ["#!/bin/sh <mark>set</mark> -e"] }
    }
    const { title } = eventDocument(typed(code), seen, { masked: false, secretsIn: detector.secretsIn })
    assert.strictEqual(title, "deploy/release.sh")
  })

  it("names identifiers with their IDs, and one without a name by its ID alone", () => {
    const seen = {
      metadata: { ...metadata, type: "keyring" },
      tenant_metadata: { severity: null, tags: [], notes: null },
      highlights: {},
      identifiers: [
        { id: 1, name: "example.com" },
        { id: 11, name: "<redacted>" }
      ]
    }
    const html = htmlOf(eventDocument(typed(paste), seen, { masked: false, secretsIn: detector.secretsIn }))
    assert.include(html, "example.com (ID 1)")
    assert.include(html, "Secret 11")
    assert.notInclude(html, "(ID 11)")
    assert.deepStrictEqual(messagesIn(html, "OpenIdentifier"), [
      { _tag: "OpenIdentifier", id: 1 },
      { _tag: "OpenIdentifier", id: 11 }
    ])
  })

  it("leads from the account to a search for it, and from the source to its other events", () => {
    const account = { identity_name: "jane@example.com", password }
    assert.lengthOf(messagesIn(htmlOf(documentOf(account)), "SearchAccount"), 1)
    assert.isEmpty(messagesIn(htmlOf(documentOf({ identity_name: "jane" })), "SearchAccount"))
    // A secret has a reveal button instead.
    assert.isEmpty(
      messagesIn(htmlOf(documentOf({ identity_name: "", email: "", password: account.identity_name })), "SearchAccount")
    )

    const eventOf = (uid: string): AnyEvent => ({
      metadata: { uid, type: "keyring", severity: "high", estimated_created_at: null, matched_at: null },
      tenant_metadata: { severity: null, tags: [], notes: null },
      highlights: {}
    })
    const [event, other, elsewhere] = ["open/somewhere/1", "open/somewhere/2", "open/elsewhere/3"].map(eventOf)
    const sourceIn = (...loaded: ReadonlyArray<AnyEvent | undefined>) =>
      messagesIn(
        htmlOf(documentOf(paste), {
          neighbours: neighboursOf(
            event,
            loaded.filter((each) => each !== undefined)
          )
        }),
        "ShowSource"
      )
    assert.lengthOf(sourceIn(event, other), 1)
    assert.isEmpty(sourceIn(event, elsewhere))
  })

  it("has one primary action, and says nothing of its heading again", () => {
    const html = htmlOf(documentOf({ title: "Keys of the orchard", content: "a note" }))
    assert.lengthOf([...html.matchAll(/class="action primary"/gu)], 1)
    assert.lengthOf([...html.matchAll(/Keys of the orchard/gu)], 1)
    assert.lengthOf([...html.matchAll(/>\s*high\s*</gu)], 1)
    const event = documentOf({ title: "Keys of the orchard" })
    assert.include(htmlOf({ ...event, severity: "low" }), "set by your tenant; originally high")
    // A title with a secret is complete where the secret can be revealed.
    const leaked = documentOf({ title: `DATABASE_PASSWORD=${password}` })
    assert.include(htmlOf(leaked, { reveals: () => true }), password)
  })

  it("has no button in a heading, where screen readers would read it as part of the heading", () => {
    const headings = [...htmlOf(documentOf(paste)).matchAll(/<h([1-6])[^>]*>(.*?)<\/h\1>/gsu)].map(([, , text]) => text)
    assert.include(headings, "Content")
    for (const heading of headings) assert.notInclude(heading ?? "", "<")
  })

  it("numbers its secrets like the Markdown, and reveals each separately in both", () => {
    const event = documentOf({ ...paste, session: { token: "amber-lynx-token", cookies: ["first-cookie"] } })
    const secrets = secretsOf(event).map(({ text, secrets: [first] }) => text.slice(first?.start, first?.end))
    assert.isAtLeast(secrets.length, 3)
    for (const [number, secret] of secrets.entries()) {
      const reveals = (each: number) => each === number
      for (const text of [htmlOf(event, { reveals }), eventMarkdown(event, reveals).text]) {
        for (const each of secrets) (each === secret ? assert.include : assert.notInclude)(text, each)
      }
    }
    assert.strictEqual([...htmlOf(event).matchAll(/id="secret-\d+"/gu)].length, secrets.length)
    assert.strictEqual(eventMarkdown(event).secretLines.length, secrets.length)
  })

  it("reveals each secret inside a text separately, and all at once in a text with very many", () => {
    const others = ["amber-Lynx-9023-quarry?", "slate-Heron-5510-meadow!"]
    const event = documentOf({
      content: `DATABASE_PASSWORD=${password}\n${others.map((each, index) => `KEY_${index}_PASSWORD=${each}`).join("\n")}\n`
    })
    const named = [...htmlOf(event).matchAll(/aria-label="(Reveal [^"]*)"/gu)].map(([, name]) => name)
    assert.deepStrictEqual(named, ["Reveal Content 1", "Reveal Content 2", "Reveal Content 3"])
    for (const [number, secret] of [password, ...others].entries()) {
      const text = htmlOf(event, { reveals: (each) => each === number })
      for (const each of [password, ...others]) (each === secret ? assert.include : assert.notInclude)(text, each)
    }

    const lines = Array.from({ length: 150 }, (_, index) => `DATABASE_PASSWORD=tidal-Wren-${1000 + index}-harbour!`)
    const many = htmlOf(documentOf({ content: lines.join("\n") }))
    assert.lengthOf([...many.matchAll(/id="secret-\d+"/gu)], 1)
    assert.notInclude(many, "harbour!")
  })

  it("shows the age in words, and the exact time", () => {
    const text = htmlOf(documentOf(paste))
    assert.match(
      text,
      /<time datetime="2026-11-20T08:00:00Z" title="[^"]*2026-11-20T08:00:00Z[^"]*">2 days ago<\/time>/u
    )
  })

  it("marks matches, but never inside a hidden secret", () => {
    const text = htmlOf(documentOf(paste), { terms: ["orchard", "harbour"] })
    assert.include(text, "<mark>Orchard</mark> Ltd")
    assert.notMatch(text, /harbour/u)
  })

  it("shows untrusted content as text", () => {
    const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>`
    const data = { title: hostile, [hostile]: hostile, list: [hostile], content: `${hostile}\n`, [`${hostile}_`]: null }
    const text = htmlOf(documentOf(data, false, "javascript:alert(1)"), { terms: [hostile] })
    assert.notMatch(text, /<(?:img|script)/u)
    assert.notInclude(text, "OpenInBrowser")
    assert.include(htmlOf(documentOf({ name: "a\u202eb" })), String.raw`a\u202eb`)
  })

  it("keeps long lists and texts short", () => {
    const text = htmlOf(
      documentOf({ list: Array.from({ length: 200_000 }, (_, index) => index), content: "x\n".repeat(1_000_000) })
    )
    assert.include(text, "200,000 entries")
    assert.isBelow(text.length, 700_000)
  })

  it("shows no name and no secret while a screen is shared", () => {
    const text = htmlOf(documentOf(paste, true), { masked: true })
    for (const name of ["Orchard", "jane", "parcelmoth", password, "kestrel", "somewhere"]) {
      assert.notInclude(text.replaceAll(/data-message="[^"]*"/gu, ""), name)
    }
    assert.notInclude(text, "secret-0")
  })

  it("can be shown as JSON, without a secret", () => {
    const options = { masked: false, secretsIn: detector.secretsIn }
    const text = eventJson(typed(paste), options)
    for (const secret of [password, "kestrel-and-kite"]) assert.notInclude(text, secret)
    assert.strictEqual(JSON.parse(text).data.actor.name, "parcelmoth")
    assert.notInclude(eventJson(typed(paste), { ...options, masked: true }), "parcelmoth")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Schema } from "effect"
import { eventDocument, labelOf } from "../../../src/events/page/EventDocument.ts"
import { eventMarkdown } from "../../../src/events/page/EventMarkdown.ts"
import { detector } from "../../../src/detection/Detector.ts"

const decoded = Schema.decodeUnknownSync(TypedEvent)
const metadata = {
  uid: "open/somewhere/1",
  severity: "high",
  estimated_created_at: "2026-11-20T08:00:00Z",
  matched_at: null,
  svc_url: "https://exposure.example.com/events/1"
}

const written = (
  event_type: string,
  data: unknown,
  options: { readonly masked?: boolean; readonly reveals?: (secret: number) => boolean; readonly svc_url?: string } = {}
) => {
  const { masked = false, reveals = () => false, svc_url = metadata.svc_url } = options
  const event = decoded({ event_type, metadata: { ...metadata, svc_url }, data })
  return eventMarkdown(eventDocument(event, undefined, { masked, secretsIn: detector.secretsIn }), reveals)
}

describe("the page of an event", () => {
  it("has readable names of fields", () => {
    assert.deepStrictEqual(
      ["is_money_xfer", "is_ident_fraud", "anti_viruses", "has_mother_maiden_name", "parent_uid", "issuer"].map(
        labelOf
      ),
      ["Money transfer", "Identity fraud", "Antivirus software", "Has mother's maiden name", "Parent UID", "Issuer"]
    )
  })

  const password = ["tidal", "Wren", "7225", "harbour!"].join("-")
  const content = `# checkout\nDATABASE_PASSWORD=${password}\nuser: jane@example.com:Summer2024!\nDATABASE_HOST=db.example.com\n`

  it("hides only the secrets inside a text until they are revealed", () => {
    const { secretLines, text } = written("paste", { content })
    assert.notInclude(text, password)
    assert.notInclude(text, "Summer2024!")
    assert.include(text, "DATABASE_PASSWORD=••••••••\nuser: jane@example.com:••••••••\nDATABASE_HOST=db.example.com")
    const linesOf = ({ secretLines, text }: ReturnType<typeof written>) =>
      secretLines.map((line) => text.split("\n")[line])
    assert.deepStrictEqual(linesOf({ secretLines, text }), [
      "DATABASE_PASSWORD=••••••••",
      "user: jane@example.com:••••••••"
    ])
    const first = written("paste", { content }, { reveals: (secret) => secret === 0 })
    assert.deepStrictEqual(linesOf(first), [`DATABASE_PASSWORD=${password}`, "user: jane@example.com:••••••••"])
  })

  it("knows the line of a secret that follows a key of several lines, hidden or not", () => {
    const key = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkq".repeat(8), "-----END PRIVATE KEY-----"].join("\n")
    for (const isRevealed of [false, true]) {
      const { secretLines, text } = written("paste", { content: `${key}\n${content}` }, { reveals: () => isRevealed })
      const shown = secretLines.map((line) => text.split("\n")[line] ?? "")
      assert.lengthOf(shown, 3)
      assert.match(shown[0] ?? "", isRevealed ? /^-----BEGIN/u : /•/u)
      assert.match(shown[1] ?? "", /^DATABASE_PASSWORD=/u)
      assert.match(shown[2] ?? "", /^user: /u)
    }
  })

  it("hides fields of an unknown type that are named like a secret, at any depth, and reveals one of them", () => {
    const data = {
      password: "amber",
      pin: 1234,
      "session cookies": ["one-cookie", "another-cookie"],
      accounts: [{ username: "jane", Password: "kestrel", note: "none" }],
      login: { apiKey: "quarry", has_password: true }
    }
    const { secretLines, text } = written("keyring", data)
    for (const secret of ["amber", "1234", "one-cookie", "another-cookie", "kestrel", "quarry"]) {
      assert.notInclude(text, secret)
    }
    assert.include(text, "`Username: jane, Password: ••••••••, Note: none`")
    assert.include(text, "**Has password:** `yes`")
    assert.strictEqual(secretLines.length, 6)
    const one = written("keyring", data, { reveals: (secret) => secret === 1 }).text
    assert.include(one, "**PIN:** `1234`")
    assert.notInclude(one, "amber")
  })

  it("never interprets untrusted content: in a value, a name of a field, a link or a title", () => {
    const hostile = "[x](command:evil) <img src=x> **b**"
    const { text } = written(
      "odd",
      { title: hostile, [hostile]: "value", [`${hostile} too`]: null, list: [hostile], [`${hostile}s`]: { a: 1 } },
      { svc_url: "command:workbench.action.terminal.new" }
    )
    const outside = text.replaceAll(/(`+).*?\1/gu, "")
    assert.notMatch(outside, /(?<!\\)[[\]<>]/u)
    assert.notInclude(outside, "command:workbench")
  })

  it("keeps the parts of a record below it, and writes no heading without content", () => {
    const { text } = written("listing", {
      classification: { classes: { is_hacking: true }, types: { is_data: true } },
      context: { category_name: "Fraud" }
    })
    assert.deepStrictEqual(
      [...text.matchAll(/^### (.*)$/gmu)].map(([, heading]) => heading),
      ["Classification › Classes", "Classification › Types", "Context"]
    )
  })

  it("accepts data of any shape", () => {
    const deep = Array.from({ length: 3000 }).reduce<unknown>((inside) => ({ inside: [inside] }), "end")
    const { text } = written("odd", {
      list: Array.from({ length: 200_000 }, (_, index) => index),
      text: "`".repeat(1_000_000),
      half: "\ud800",
      tag: "\u{e0041}",
      deep
    })
    assert.include(text, "  - `199999`")
    assert.include(text, String.raw`\ud800`)
    assert.include(text, String.raw`\udb40\udc41`)
    assert.include(written("odd", "text alone").text, "text alone")
    assert.notInclude(written("odd", null).text, "null")
  })

  it("shows no name and no secret while a screen is shared", () => {
    const { secretLines, text } = written(
      "paste",
      { title: "Orchard", url: "https://orchard.example.com/jane", content, actor: { name: "parcelmoth" } },
      { masked: true }
    )
    for (const name of ["Orchard", "orchard", "jane", "parcelmoth", password, "harbour"]) assert.notInclude(text, name)
    assert.deepStrictEqual(secretLines, [])
  })
})

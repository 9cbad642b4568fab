import { assert, describe, it } from "@effect/vitest"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Redacted } from "effect"
import { formatOfCredentials } from "../../src/exports/CredentialFormats.ts"
import { csv, rowsOf } from "../../src/exports/Csv.ts"
import { eventFormats, formatOfEvents } from "../../src/exports/EventFormats.ts"

it("writes CSV in which no cell is a formula", () => {
  assert.strictEqual(
    csv([["a,b", 'say "hi"', "=HYPERLINK(1)", "line\nbreak"]]),
    '"a,b","say ""hi""",\'=HYPERLINK(1),"line\nbreak"\r\n'
  )
})

it("writes CSV in which no cell is a formula with another separator either", () => {
  assert.strictEqual(csv([["a;=cmd", "b\t+1", "c\n@d", "\uff1d1"]]), '"a;\'=cmd","b\t\'+1","c\n\'@d",\'\uff1d1\r\n')
  for (const invisible of ["\n", "\r\n", "\u00a0", "\u200b", "\ufeff", " \u2060\t"]) {
    assert.match(csv([[`${invisible}=cmd`]]), /^"?'/)
  }
  assert.strictEqual(csv([["a-b", "1=1", "a; b"]]), 'a-b,1=1,"a; b"\r\n')
})

it("reads the CSV it wrote", () => {
  const rows = [
    ["uid", "a,b", 'say "hi"', ""],
    ["1", "line\nbreak", " \r\n", "end"]
  ]
  assert.deepStrictEqual(rowsOf(csv(rows)), rows)
  assert.deepStrictEqual(rowsOf(""), [])
})

const credential: Credential = {
  id: 1,
  identity_name: "someone@example.com",
  domain: "example.com",
  source_id: "s",
  imported_at: "2026-11-01T00:00:00Z",
  hash: Redacted.make("hunter2"),
  hash_type: null,
  source: null,
  known_password_id: null,
  credential_hash: null,
  event_uid: null
}

describe("credentials", () => {
  it("contain a secret only if the user chose so", () => {
    for (const format of ["csv", "ndjson"] as const) {
      assert.notInclude(formatOfCredentials(format, false).items([credential], true), "hunter2")
      assert.include(formatOfCredentials(format, true).items([credential], true), "hunter2")
    }
  })
})

describe("events", () => {
  const event = {
    metadata: {
      uid: "leak/s/1",
      type: "leak",
      severity: "critical",
      estimated_created_at: "2026-11-01T00:00:00Z",
      matched_at: null,
      title: "A leak"
    },
    tenant_metadata: { severity: { original: "critical", override: "low" }, tags: ["vip"], notes: null },
    highlights: {}
  } as const

  it("are one line each as NDJSON, as received", () => {
    assert.deepStrictEqual(JSON.parse(formatOfEvents("ndjson").items([event], true)), event)
  })

  it("contain no matched password, in any format", () => {
    const { title: _, ...metadata } = event.metadata
    const matched = { ...event, metadata, highlights: { password: ["<mark>hunter2</mark>"] } }
    for (const format of eventFormats)
      assert.notInclude(formatOfEvents(format).items([matched], true), "hunter2", format)
  })

  it("are valid without any item", () => {
    const { head, tail } = formatOfEvents("sarif")
    assert.deepStrictEqual(JSON.parse(head + tail()).runs[0].results, [])
  })

  it("are resumed in a file at its state before the closing lines", () => {
    const another = { ...event, metadata: { ...event.metadata, uid: "bot/s/2", type: "bot" } }
    for (const name of eventFormats) {
      const before = formatOfEvents(name)
      const text = before.head + before.items([event], true) + before.items([another], false)
      const after = formatOfEvents(name)
      assert.deepStrictEqual(after.takeUp(text), ["leak/s/1", "bot/s/2"], name)
      assert.strictEqual(after.tail(), before.tail(), name)
      assert.deepStrictEqual(formatOfEvents(name).takeUp(before.head), [], name)
    }
    assert.throws(() => formatOfEvents("sarif").takeUp("something else"))
    assert.throws(() => formatOfEvents("ndjson").takeUp("something else\n"))
  })

  it("have the tenant's own severity in CSV and SARIF", () => {
    assert.include(formatOfEvents("csv").items([event], true), "leak/s/1,leak,low,")
    const { head, items, tail } = formatOfEvents("sarif")
    const sarif = JSON.parse(head + items([event], true) + items([event, event], false) + tail())
    assert.strictEqual(sarif.runs[0].results.length, 3)
    assert.deepStrictEqual(
      sarif.runs[0].tool.driver.rules.map(({ id }: { readonly id: string }) => id),
      ["leak"]
    )
    assert.strictEqual(sarif.version, "2.1.0")
    assert.strictEqual(sarif.runs[0].results[0].level, "note")
    const odd = {
      ...event,
      metadata: { ...event.metadata, svc_url: "command:evil" },
      tenant_metadata: { ...event.tenant_metadata, tags: ["vip", "vip"] }
    }
    const [result] = JSON.parse(`[${formatOfEvents("sarif").items([odd], true)}]`)
    assert.deepStrictEqual(result.properties.tags, ["vip"])
    assert.notProperty(result, "hostedViewerUri")
    assert.strictEqual(sarif.runs[0].results[0].partialFingerprints["threatExposure/event"], "leak/s/1")
  })
})

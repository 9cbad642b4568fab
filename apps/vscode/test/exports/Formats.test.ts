import { assert, describe, it } from "@effect/vitest"
import type { Credential } from "@threat-exposure/core/domain/Credential"
import { Redacted } from "effect"
import { formatCredentials } from "../../src/exports/CredentialFormats.ts"
import { csv } from "../../src/exports/Csv.ts"
import { formatEvents } from "../../src/exports/EventFormats.ts"

it("writes CSV in which no cell is a formula", () => {
  assert.strictEqual(
    csv([["a,b", 'say "hi"', "=HYPERLINK(1)", "line\nbreak"]]),
    '"a,b","say ""hi""",\'=HYPERLINK(1),"line\nbreak"\r\n'
  )
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
  it("hold a secret only where the person said so", () => {
    for (const format of ["csv", "ndjson"] as const) {
      assert.notInclude(formatCredentials([credential], format, false), "hunter2")
      assert.include(formatCredentials([credential], format, true), "hunter2")
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

  it("are one line each as NDJSON, as they came", () => {
    assert.deepStrictEqual(JSON.parse(formatEvents([event], "ndjson")), event)
  })

  it("have the tenant's own severity in CSV and SARIF", () => {
    assert.include(formatEvents([event], "csv"), "leak/s/1,leak,low,")
    const sarif = JSON.parse(formatEvents([event], "sarif"))
    assert.strictEqual(sarif.version, "2.1.0")
    assert.strictEqual(sarif.runs[0].results[0].level, "note")
    assert.strictEqual(sarif.runs[0].results[0].partialFingerprints["threatExposure/event"], "leak/s/1")
  })
})

import { assert, describe, it } from "@effect/vitest"
import { TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import { Schema } from "effect"
import { detector } from "../../../src/detection/Detector.ts"
import type { AnyEvent } from "../../../src/events/AnyEvent.ts"
import { adviceOf } from "../../../src/events/page/EventAdvice.ts"
import { eventDocument } from "../../../src/events/page/EventDocument.ts"

const decoded = Schema.decodeUnknownSync(TypedEvent)

const seen: AnyEvent = {
  metadata: { uid: "a/b/1", type: "leak", severity: "high", estimated_created_at: null, matched_at: null },
  tenant_metadata: { severity: null, tags: [], notes: null },
  highlights: {}
}

const advice = (event_type: string, data: unknown, of: AnyEvent = seen) => {
  const event = decoded({ event_type, metadata: { uid: "a/b/1", severity: "high" }, data })
  return adviceOf(event, eventDocument(event, of, { masked: false, secretsIn: detector.secretsIn }), detector)
}
const said = (steps: ReturnType<typeof advice>) => steps.map(({ text }) => text).join("\n")
const links = (steps: ReturnType<typeof advice>) => steps.flatMap(({ link }) => link?.label ?? [])

describe("what to do about an event", () => {
  it("is to clean the device before anything else for a stealer log, and to reset the account of a leaked credential", () => {
    const [first, second] = advice("stealer_log", { victim_information: {}, malware_information: {} })
    assert.match(first?.text ?? "", /clean the device/u)
    assert.match(second?.text ?? "", /^Reset the passwords/u)
    const credential = advice("leaked_credential", { identity_name: "ada@example.com", password: "kestrel-and-kite" })
    assert.notMatch(said(credential), /clean the device/u)
    assert.deepStrictEqual(links(credential), ["Search This Account", "Find These Values in My Code"])
    assert.deepStrictEqual(links(advice("leaked_credential", { identity_name: "ada" })), [])
  })

  it("names the steps of the provider of a token, and leads to the commit", () => {
    const token = ["ghp", "x7Kq2VnZr9TbLw4YcMd8HsJf3PgAe60R1uQi"].join("_")
    const steps = advice("source_code_secrets", {
      content: `deploy:\n  token: ${token} # gitleaks:allow\n`,
      url: "https://git.example.com/orchard/shop/commit/4f1e2d"
    })
    assert.match(said(steps), /^GitHub.*: .*(?:revoke|delete|settings)/imu)
    assert.deepStrictEqual(links(steps), ["Find These Values in My Code", "Open the Commit"])
    assert.notInclude(said(steps), token)
    const script = advice("source_code", { content: "nothing", url: "javascript:alert(1)" })
    assert.deepStrictEqual(links(script), ["Find These Values in My Code"])
  })

  it("exists for every type, also an unknown one, and ends with the triage", () => {
    for (const type of ["bucket", "cc", "lookalike", "service", "ransomleak", "keyring"]) {
      const steps = advice(type, {})
      assert.isAtLeast(steps.length, 2, type)
      assert.match(steps.at(-1)?.text ?? "", /mark the event as remediated/u)
    }
    const closed: AnyEvent = {
      ...seen,
      tenant_metadata: { ...seen.tenant_metadata, ignored_at: "2026-11-22T00:00:00Z" }
    }
    assert.match(advice("keyring", {}, closed).at(-1)?.text ?? "", /^Nothing is left to do/u)
  })
})

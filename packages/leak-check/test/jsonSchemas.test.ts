import { readFile } from "node:fs/promises"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { default as addFormats } from "ajv-formats"
import { Effect } from "effect"
import { jsonSchemas } from "@threat-exposure/leak-check/jsonSchemas"
import { json } from "@threat-exposure/leak-check/report/Json"
import { reports } from "./reports.ts"

const committed = (name: string) =>
  Effect.promise(() => readFile(new URL(`../schemas/${name}`, import.meta.url), "utf8"))

const validatorOf = (schema: object) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, strictTypes: false })
  addFormats.default(ajv)
  return ajv.compile(schema)
}

describe("schemas", () => {
  for (const [name, schema] of Object.entries(jsonSchemas)) {
    it.effect(`${name} is that of the code; node test/writeSchemas.ts writes it again`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(JSON.parse(yield* committed(name)), structuredClone(schema))
      })
    )
  }

  it.effect("every report conforms to its schema", () =>
    Effect.gen(function* () {
      const validate = validatorOf(jsonSchemas["report.schema.json"])
      for (const report of yield* reports) {
        assert.isTrue(validate(JSON.parse(json(report))), JSON.stringify(validate.errors))
      }
      assert.isFalse(validate({ verdict: "leaked" }))
    })
  )

  it("an ignore file conforms to its schema", () => {
    const validate = validatorOf(jsonSchemas["ignore.schema.json"])
    const entry = { fingerprint: "0123456789abcdef", reason: "rotated", expires: "2027-02-01" }
    assert.isTrue(validate({ ignore: [entry, { ...entry, by: "security@example.com" }] }))
    assert.isTrue(validate({ ignore: null }))
    assert.isFalse(validate({ ignore: [{ ...entry, reason: undefined }] }))
    assert.isFalse(validate({ ignore: [{ ...entry, until: "2027-02-01" }] }))
    assert.isFalse(validate({ ignore: [{ ...entry, fingerprint: "0123" }] }))
    assert.isFalse(validate({ ignored: [] }))
  })
})

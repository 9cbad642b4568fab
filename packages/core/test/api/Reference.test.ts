/** `docs/api.md` documents every operation, schema, field and value of `openapi.json` with the contract's texts. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { fieldTexts, operationTexts } from "../../document/Texts.ts"
import {
  fieldsOf,
  generateReference,
  isQuery,
  type JsonSchema,
  operations,
  quoted,
  schemas,
  typeOf,
  variantsOf,
  withoutAlignment
} from "../../document/Reference.ts"

const page = readFileSync(new URL("../../../../docs/api.md", import.meta.url), "utf8")

const kindOf = (schema: JsonSchema) => {
  if (schema.properties?.["event_type"]?.enum !== undefined) return "typed event"
  if (schema.enum !== undefined) return "enumeration"
  if (isQuery(schema) || schema.properties !== undefined) return "table"
  return "other"
}

const kinds = Map.groupBy(Object.entries(schemas), ([, schema]) => kindOf(schema))
const schemasOf = (kind: ReturnType<typeof kindOf>) => kinds.get(kind) ?? []

/** The schema names in the first header cell of each table. */
const headers = [...page.matchAll(/^\| (.*?) +\|.*\n\| -/gmu)].map(([, first = ""]) => quoted(first))

describe("docs/api.md", () => {
  it("says what the contract says: `pnpm run openapi` writes it again", () => {
    assert.strictEqual(withoutAlignment(page), withoutAlignment(generateReference(page)))
  })

  for (const [name, { properties = {} }] of schemasOf("typed event")) {
    it(`names ${name} above the table of its data`, () => {
      const section = page.split(/^#+ /mu).find((part) => quoted(part).includes(name)) ?? ""
      assert.include(quoted(section.split("\n", 1).join("")), properties["event_type"]?.enum?.[0])
      assert.include(section, `| \`${typeOf(properties["data"] ?? {})}\``)
    })
  }

  for (const [name] of schemasOf("enumeration")) {
    it(`lists the values of ${name}`, () => {
      assert.match(page, new RegExp(`^\\*\\*\`${name}\`\\*\\* is one of \``, "mu"))
    })
  }

  for (const [name] of schemasOf("table")) {
    it(`has one table of ${name}`, () => {
      assert.lengthOf(
        headers.filter((names) => names.includes(name)),
        1
      )
    })
  }

  for (const [name] of schemasOf("other")) {
    it(`mentions ${name}`, () => {
      assert.match(page, new RegExp(`\\b${name}\\b`, "u"))
    })
  }

  for (const { operationId, parameters, request } of operations) {
    it(`has a section and an example of ${operationId}`, () => {
      const sections = page.split(/^### /mu).filter((part) => part.includes(`| Request    | \`${request}\``))
      assert.lengthOf(sections, 1)
      assert.match(sections[0] ?? "", /^```sh\n(?:.*\n)*?.*curl .*\$URL/mu)
    })

    it(`has texts of parameters that ${operationId} has`, () => {
      const texts = Object.keys(operationTexts[operationId]?.parameters ?? {})
      assert.includeMembers(
        parameters.map(({ name }) => name),
        texts
      )
    })
  }

  for (const [name, texts] of Object.entries(fieldTexts)) {
    it(`has texts of fields that ${name} has`, () => {
      const schema = schemas[name] ?? {}
      const names = isQuery(schema)
        ? variantsOf(schema).map(({ type }) => type)
        : fieldsOf(schema).map(([field]) => field)
      assert.includeMembers(names, Object.keys(texts))
    })
  }
})

/** `docs/api.md` documents every operation, schema, field, type and value of `openapi.json`, and nothing that is not there. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { apiDocument } from "@threat-exposure/core/api/Document"

const text = readFileSync(new URL("../../../../docs/api.md", import.meta.url), "utf8")

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: { readonly [name: string]: JsonSchema }
  readonly required?: ReadonlyArray<string>
}

const JsonSchema = Schema.Struct({
  $ref: Schema.optionalKey(Schema.String),
  type: Schema.optionalKey(Schema.String),
  enum: Schema.optionalKey(Schema.Array(Schema.String)),
  anyOf: Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<JsonSchema> => JsonSchema))),
  items: Schema.optionalKey(Schema.suspend((): Schema.Codec<JsonSchema> => JsonSchema)),
  properties: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.suspend((): Schema.Codec<JsonSchema> => JsonSchema)
    )
  ),
  required: Schema.optionalKey(Schema.Array(Schema.String))
})

const Operation = Schema.Struct({
  operationId: Schema.String,
  parameters: Schema.Array(
    Schema.Struct({ name: Schema.String, in: Schema.String, required: Schema.Boolean, schema: JsonSchema })
  ),
  responses: Schema.Record(Schema.String, Schema.Unknown),
  "x-permission": Schema.optionalKey(Schema.String)
})

const { components, paths } = Schema.decodeUnknownSync(
  Schema.Struct({
    paths: Schema.Record(
      Schema.String,
      Schema.Struct({
        servers: Schema.optionalKey(Schema.Array(Schema.Unknown)),
        get: Schema.optionalKey(Operation),
        post: Schema.optionalKey(Operation),
        put: Schema.optionalKey(Operation),
        patch: Schema.optionalKey(Operation),
        delete: Schema.optionalKey(Operation)
      })
    ),
    components: Schema.Struct({ schemas: Schema.Record(Schema.String, JsonSchema) })
  })
)(apiDocument())

/** The cells of every table of a text, by the row's first line: its header. */
const tablesOf = (markdown: string) =>
  [...markdown.matchAll(/^\|.*\|\n\|[ -|]*\|\n(?:\|.*\|\n)*/gmu)].map(([table]) => {
    const [header = [], , ...rows] = table
      .trimEnd()
      .split("\n")
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim())
      )
    return { header, rows }
  })

const quoted = (markdown: string) => [...markdown.matchAll(/`([^`]+)`/gu)].map(([, word = ""]) => word)

/** The rows of the table whose header names the schema, and the schemas that share the table. */
const tableOf = (name: string) => {
  const found = tablesOf(text).filter(({ header: [first = ""] }) => quoted(first).includes(name))
  assert.strictEqual(found.length, 1, `docs/api.md should have one table whose header names ${name}`)
  const [table] = found
  return { rows: table?.rows ?? [], isShared: quoted(table?.header[0] ?? "").length > 1 }
}

/** The type of a field in the words of the tables. */
const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//u, "")
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`
  return schema.type ?? "any"
}

const objectIn = (schema: JsonSchema): JsonSchema | undefined =>
  schema.properties === undefined ? (schema.anyOf ?? []).map(objectIn).find((inner) => inner !== undefined) : schema

/** Each field with its type, nested names joined by dots. */
const fieldsOf = ({ properties = {}, required = [] }: JsonSchema, before = ""): ReadonlyArray<readonly string[]> => {
  const rows: Array<readonly string[]> = []
  for (const [key, field] of Object.entries(properties)) {
    const inList = field.items?.properties === undefined ? undefined : field.items
    const name = `${before}${key}${inList === undefined ? "" : "[]"}`
    rows.push([name, `${typeOf(field)}${required.includes(key) ? "" : ", optional"}`])
    const members = inList ?? objectIn(field)
    if (members !== undefined) rows.push(...fieldsOf(members, `${name}.`))
  }
  return rows
}

const sorted = <A>(rows: ReadonlyArray<A>) => rows.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))

const kindOf = ({ anyOf = [], enum: values, properties }: JsonSchema) => {
  if (properties?.["event_type"]?.enum !== undefined) return "typed event"
  if (values !== undefined) return "enumeration"
  if (anyOf.length > 0 && anyOf.every((member) => member.properties?.["type"] !== undefined)) return "query"
  return properties === undefined ? "other" : "object"
}

const kinds = Map.groupBy(Object.entries(components.schemas), ([, schema]) => kindOf(schema))
const schemasOf = (kind: ReturnType<typeof kindOf>) => kinds.get(kind) ?? []

describe("docs/api.md", () => {
  for (const [name, { properties = {} }] of schemasOf("typed event")) {
    it(`names ${name} above the table of its data`, () => {
      const section = text.split(/^#+ /mu).find((part) => quoted(part).includes(name)) ?? ""
      assert.include(quoted(section.split("\n", 1).join("")), properties["event_type"]?.enum?.[0])
      assert.include(section, `| \`${typeOf(properties["data"] ?? {})}\``)
    })
  }

  for (const [name, schema] of schemasOf("enumeration")) {
    it(`lists the values of ${name}`, () => {
      const values = new RegExp(`^\\*\\*\`${name}\`\\*\\* is one of ((?:\`\\w+\`(?:, )?)+)`, "mu").exec(text)?.[1] ?? ""
      assert.deepStrictEqual(quoted(values), [...(schema.enum ?? [])])
    })
  }

  for (const [name, { anyOf = [] }] of schemasOf("query")) {
    it(`has a row for each variant of ${name}`, () => {
      // The last variant of an open union stands for types that a later version adds.
      const known = anyOf.filter(({ properties }) => properties?.["type"]?.enum !== undefined)
      const variants = known.map((member) => {
        const { type, ...properties } = member.properties ?? {}
        const fields = fieldsOf({ ...member, properties }).map(([field, is]) => `\`${field}\` (${is})`)
        return [`\`${type?.enum?.[0]}\``, fields.join(", ")]
      })
      assert.deepStrictEqual(
        tableOf(name).rows.map((row) => row.slice(0, 2)),
        variants
      )
    })
  }

  for (const [name, schema] of schemasOf("object")) {
    it(`has a row for each field of ${name}, with its type`, () => {
      const { isShared, rows } = tableOf(name)
      const columns = isShared ? 1 : 2
      assert.deepStrictEqual(
        sorted(rows.map((row) => row.slice(0, columns))),
        sorted(fieldsOf(schema).map(([field, type = ""]) => [`\`${field}\``, type].slice(0, columns)))
      )
    })
  }

  for (const [name] of schemasOf("other")) {
    it(`mentions ${name}`, () => {
      assert.match(text, new RegExp(`\\b${name}\\b`, "u"))
    })
  }

  for (const [path, { servers, ...item }] of Object.entries(paths)) {
    // Outside the prefix, an operation has a server of its own.
    const isOutsidePrefix = servers !== undefined
    for (const [method, operation] of Object.entries(item)) {
      const request = `\`${method.toUpperCase()} ${isOutsidePrefix ? "" : "/svc"}${path}\``
      const section = text.split(/^### /mu).find((part) => part.includes(`| Request    | ${request}`)) ?? ""
      const [summary, parameters] = tablesOf(section)
      const cell = (name: string) => summary?.rows.find(([first]) => first === name)?.[1] ?? ""

      it(`describes ${operation.operationId}: request, permission, statuses`, () => {
        assert.strictEqual(cell("Request"), request)
        assert.include(cell("Permission"), operation["x-permission"] ?? "none")
        const statuses = [...`${cell("Answer")} ${cell("Errors")}`.matchAll(/\b[2-5]\d\d\b/gu)].map(
          ([status]) => status
        )
        assert.deepStrictEqual(sorted(statuses), sorted(Object.keys(operation.responses)))
        assert.include(cell("Client"), isOutsidePrefix ? "`" : `client.${operation.operationId}`)
      })

      it(`describes the parameters of ${operation.operationId}`, () => {
        assert.deepStrictEqual(
          parameters?.header[0] === "Parameter" ? sorted(parameters.rows.map((row) => row.slice(0, 3))) : [],
          sorted(
            operation.parameters.map(({ in: place, name, required, schema }) => [
              `\`${name}\``,
              place,
              `${typeOf(schema)}${required ? "" : ", optional"}`
            ])
          )
        )
      })

      it(`has an example of ${operation.operationId}`, () => {
        assert.match(section, /^```sh\n(?:.*\n)*?.*curl .*\$URL/mu)
      })
    }
  }
})

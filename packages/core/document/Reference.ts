/**
 * Generates parts of docs/api.md from the contract: the tables of operations and of permissions; heading, first
 * paragraph, summary and parameters of each operation; fields, types and descriptions of each schema; the values of
 * each enumeration. The rest of the page is written by hand and stays unchanged.
 */
import * as Schema from "effect/Schema"
import { apiDocument } from "./Document.ts"
import { type Endpoint, listOperations, tierOf } from "@threat-exposure/core/api/Endpoints"
import { fieldTexts, operationTexts, parameterTexts } from "./Texts.ts"

export interface JsonSchema {
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

const Answer = Schema.Struct({
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ schema: JsonSchema })))
})

const Operation = Schema.Struct({
  operationId: Schema.String,
  parameters: Schema.Array(
    Schema.Struct({ name: Schema.String, in: Schema.String, required: Schema.Boolean, schema: JsonSchema })
  ),
  responses: Schema.Record(Schema.String, Answer),
  "x-permission": Schema.optionalKey(Schema.String)
})
type Operation = typeof Operation.Type

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

export const schemas = components.schemas

/** All operations with method and path, by their names in the contract. */
const requests = new Map(
  Object.entries(paths).flatMap(([path, { servers, ...item }]) =>
    Object.entries(item).map(([method, operation]) => {
      // An operation outside the prefix has its own server entry.
      const request = `${method.toUpperCase()} ${servers === undefined ? "/svc" : ""}${path}`
      return [operation.operationId, Object.assign(operation, { request })] as const
    })
  )
)

/** All operations in the order of the page. */
export const operations = Object.keys(operationTexts).flatMap((id) => requests.get(id) ?? [])

const endpoints = new Map(listOperations().map(({ endpoint, operation }) => [operation, endpoint]))

/** Updates the generated parts of the page. Tables are not aligned. */
export const generateReference = (page: string): string => {
  const anchors = anchorsOf(page)
  const sections = page.split(/^(?=#{2,4} )/mu).map((section) => {
    const request = /^\| Request +\| `([^`]+)`/mu.exec(section)?.[1]
    const operation = operations.find((operation) => operation.request === request)
    return operation === undefined ? section : describeOperation(section, operation, anchors)
  })
  return sections
    .join("")
    .replaceAll(tables, (markdown) => `${describeTable(markdown.trimEnd())}\n`)
    .replaceAll(/^\*\*`(\w+)`\*\* is one of `\w+`(?:, `\w+`)*/gmu, (line, name) => {
      const values = schemas[name]?.enum
      return values === undefined ? line : `**\`${name}\`** is one of ${values.map(code).join(", ")}`
    })
}

/** Removes the alignment of tables, to compare two pages. */
export const withoutAlignment = (markdown: string): string =>
  markdown.replaceAll(/^\|.*\|$/gmu, (row) => row.replaceAll(/ +(?=\|)|(?<=\|) +/gu, " ").replaceAll(/-+/gu, "-"))

const tables = /^\|.*\|\n\|[ -|]*\|\n(?:\|.*\|\n)*/gmu

/** By schema name, the anchor of the section that contains its table or has its name. */
const anchorsOf = (page: string) =>
  new Map(
    page.split(/^#{2,4} /mu).flatMap((section) => {
      const [heading = ""] = section.split("\n", 1)
      const anchor = heading
        .toLowerCase()
        .replaceAll(/[^\w -]/gu, "")
        .replaceAll(" ", "-")
      const names = [...section.matchAll(tables)].flatMap(([table]) => quoted(firstCell(table)))
      const namesake = Object.keys(schemas).filter((name) => anchor.replace(/s$/u, "") === kebabOf(name))
      return [...names, ...namesake].map((name) => [name, anchor] as const)
    })
  )

const kebabOf = (name: string) => name.replaceAll(/\B[A-Z]/gu, "-$&").toLowerCase()

const describeOperation = (
  section: string,
  operation: (typeof operations)[number],
  anchors: ReadonlyMap<string, string>
) => {
  const { description = "", isSpecified, parameters: texts = {}, summary } = operationTexts[operation.operationId] ?? {}
  const { operationId, parameters, request, responses } = operation
  const endpoint = endpoints.get(operationId)
  const isToken = endpoint === undefined
  const rows = [
    ["Request", code(request)],
    ["Permission", operation["x-permission"] ?? `none: any valid ${operationId === "tokens.test" ? "token" : "key"}`],
    ["Limits", limitsOf(endpoint)],
    ["Answer", answerOf(section, operation, endpoint, anchors)],
    [
      "Errors",
      Object.keys(responses)
        .filter((status) => Number(status) >= 400)
        .join(", ")
    ],
    ["Client", clientOf(operationId, endpoint)]
  ]
  const paragraph = [
    description,
    ...(endpoint?.isBeta === true ? ["Beta."] : []),
    ...(isSpecified === true || isToken ? [] : ["Not part of the common specification."])
  ].join(" ")
  const generated = [
    `### ${summary}`,
    paragraph,
    table(["", ""], rows),
    ...(parameters.length === 0
      ? []
      : [
          table(
            ["Parameter", "In", "Type", "Description"],
            parameters.map(({ in: place, name, required, schema }) => [
              code(name),
              place,
              `${typeOf(schema)}${required ? "" : ", optional"}`,
              texts[name] ?? parameterTexts[name] ?? ""
            ])
          )
        ])
  ].join("\n\n")
  const byHand = /^\| Request [^]*?\n\n(?:\| Parameter (?:.*\n)*?\n)?([^]*)$/mu.exec(section)?.[1] ?? ""
  return `${generated}\n\n${byHand}`
}

const limitsOf = (endpoint: Endpoint | undefined) => {
  if (endpoint === undefined) return "tier `basic`"
  const quota = endpoint.costsQuota === true ? "costs [quota](#limits-and-quota)" : "costs no quota"
  return `tier ${code(tierOf(endpoint))}; ${quota}`
}

const clientOf = (operationId: string, endpoint: Endpoint | undefined) => {
  if (endpoint === undefined) {
    return operationId === "tokens.test" ? "`client.whoAmI()`" : "the option `apiKey` of `createClient`"
  }
  const [group = ""] = operationId.split(".")
  const pages = endpoint.pages === undefined ? [] : [`client.${group}.${endpoint.pages}`]
  const methods = [`client.${operationId}`, ...pages].map(code).join(", ")
  if (endpoint.media !== undefined) return `${methods}, which gives the bytes`
  return "result" in endpoint ? `${methods}, without the wrapper` : methods
}

const answerOf = (
  section: string,
  { responses }: Operation,
  endpoint: Endpoint | undefined,
  anchors: ReadonlyMap<string, string>
) => {
  const content = responses["200"]?.content
  if (content === undefined) return "200, 202 or 204, without a body"
  const schema = content["application/json"]?.schema
  if (schema === undefined) return "200: the file"
  const linked = (type: string) =>
    type.replaceAll(/[A-Z]\w+/gu, (name) => {
      const anchor = anchors.get(name)
      return anchor === undefined || section.includes(`| ${code(name)}`) ? name : `[${name}](#${anchor})`
    })
  const { properties } = named(schema)
  const name = typeOf(schema)
  if (endpoint?.pages !== undefined)
    return `200: a [page](#paging) of ${linked(typeOf(properties?.["items"]?.items ?? {}))}`
  if (endpoint !== undefined && "result" in endpoint && endpoint.result !== undefined && !anchors.has(name)) {
    return `200: ${linked(typeOf(properties?.[endpoint.result] ?? {}))}, wrapped in ${code(endpoint.result)}`
  }
  return `200: ${linked(name)}${schema.type === "array" ? ", not a page" : ""}`
}

const named = (schema: JsonSchema): JsonSchema => schemas[typeOf(schema)] ?? schema

/** Updates a table with the fields of one schema, the common fields of several schemas, or the variants of a union. */
const describeTable = (markdown: string): string => {
  const [header = [], ...rows] = rowsOf(markdown)
  const [name = "", ...others] = quoted(header[0] ?? "")
  if (header[0] === "Operation") return table(header, operations.map(listRow))
  if (header[0] === "Permission" && header[1] === "Operations") {
    return table(
      header,
      rows.map(([permission = ""]) => [permission, operationsWith(permission)])
    )
  }
  const schema = schemas[name]
  if (schema === undefined) return markdown
  const texts = fieldTexts[name] ?? {}
  if (isQuery(schema)) {
    const rows = variantsOf(schema).map(({ fields, type }) => [
      code(type),
      fields.map(([field, is]) => `${code(field)} (${is})`).join(", "),
      texts[type] ?? ""
    ])
    // A union whose types need no explanation has no column of descriptions.
    return table(
      header,
      rows.map((row) => row.slice(0, header.length))
    )
  }
  const fields = others.length === 0 ? fieldsOf(schema) : commonFields([name, ...others])
  return table(
    header,
    fields.map(([field, type]) => {
      const text = texts[field] ?? ""
      return header.includes("Type") ? [code(field), type, text] : [code(field), text]
    })
  )
}

/** The fields of the first schema, each with all types that it has in any of the schemas. */
const commonFields = (names: ReadonlyArray<string>): ReadonlyArray<Field> => {
  const all = names.flatMap((name) => fieldsOf(schemas[name] ?? {}))
  return fieldsOf(schemas[names[0] ?? ""] ?? {}).map(([field]) => {
    const types = [...new Set(all.filter(([name]) => name === field).map(([, type]) => type))]
    const areLists = types.every((type) => type.startsWith("list of "))
    return [field, types.length > 1 && areLists ? "list" : types.join(" or ")]
  })
}

const listRow = ({ operationId, request }: (typeof operations)[number]) => {
  const { summary = "" } = operationTexts[operationId] ?? {}
  return [`[${summary}](#${summary.toLowerCase().replaceAll(" ", "-")})`, code(request)]
}

const operationsWith = (permission: string) =>
  operations
    .filter((operation) => operation["x-permission"] === permission)
    .map(({ operationId }) => operationTexts[operationId]?.summary.replace(/^./u, (letter) => letter.toLowerCase()))
    .join(", ")

type Field = readonly [name: string, type: string]

/** All fields with their types; names of nested fields are joined by dots. */
export const fieldsOf = ({ properties = {}, required = [] }: JsonSchema, before = ""): ReadonlyArray<Field> => {
  const rows: Array<Field> = []
  for (const [key, field] of Object.entries(properties)) {
    const inList = field.items?.properties === undefined ? undefined : field.items
    const name = `${before}${key}${inList === undefined ? "" : "[]"}`
    rows.push([name, `${typeOf(field)}${required.includes(key) ? "" : ", optional"}`])
    const members = inList ?? objectIn(field)
    if (members !== undefined) rows.push(...fieldsOf(members, `${name}.`))
  }
  return rows
}

const objectIn = (schema: JsonSchema): JsonSchema | undefined =>
  schema.properties === undefined ? (schema.anyOf ?? []).map(objectIn).find((inner) => inner !== undefined) : schema

/** The type of a field, as tables write it. */
export const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//u, "")
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`
  return schema.type ?? "any"
}

/** Whether it is a union that is discriminated by `type`. */
export const isQuery = ({ anyOf = [] }: JsonSchema): boolean =>
  anyOf.length > 0 && anyOf.every((member) => member.properties?.["type"] !== undefined)

/** The variants of a union. The last one of an open union, which stands for future types, is left out. */
export const variantsOf = ({ anyOf = [] }: JsonSchema) =>
  anyOf.flatMap((member) => {
    const { type, ...properties } = member.properties ?? {}
    const [value] = type?.enum ?? []
    return value === undefined ? [] : [{ type: value, fields: fieldsOf({ ...member, properties }) }]
  })

const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [header, header.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const rowsOf = (markdown: string) => {
  const cells = markdown
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
  return cells.filter((_, index) => index !== 1)
}

const firstCell = (markdown: string) => rowsOf(markdown)[0]?.[0] ?? ""

/** The words of a text that are formatted as code. */
export const quoted = (markdown: string) => [...markdown.matchAll(/`([^`]+)`/gu)].map(([, word = ""]) => word)

const code = (text: string) => `\`${text}\``

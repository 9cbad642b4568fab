/** The API as an OpenAPI 3.1 document: the content of `openapi.json`, which the service serves with its own address. */
import * as JsonSchema from "effect/JsonSchema"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { statuses, V2Body, V4Body, ValidationBody, versionOf } from "@threat-exposure/core/domain/ErrorBody"
import { defaultPathPrefix } from "@threat-exposure/core/domain/ServiceNames"
import { describedByAnnotation, promiseAnnotation } from "@threat-exposure/core/domain/schema/Tolerant"
import { contract, permissionOf, type TokenEndpoint, tokens } from "@threat-exposure/core/api/Endpoints"
import { taggedSchemas } from "./TaggedSchemas.ts"
import { fieldTexts, groupTexts, operationTexts, parameterTexts } from "./Texts.ts"

interface Json {
  readonly [key: string]: unknown
}

const baseUrl = { default: "http://127.0.0.1:8787", description: "The service's address" }
const prefix = {
  default: defaultPathPrefix,
  description: "The first segment of every path, which each service chooses"
}

const securitySchemes = {
  apiKey: {
    description: "An API key alone, without a scheme",
    type: "apiKey",
    name: "Authorization",
    in: "header"
  },
  bearer: {
    description: "An access token of an API key that has the operation's permission",
    type: "http",
    scheme: "Bearer"
  }
}

export const apiDocument = (): Json => {
  const operations = Object.entries({ tokens, ...contract }).flatMap(([group, endpoints]) =>
    Object.entries<TokenEndpoint>(endpoints).map(([name, endpoint]) => operationOf(group, name, endpoint))
  )
  const { definitions, jsonSchemaOf } = jsonSchemas([
    V2Body,
    V4Body,
    ValidationBody,
    ...taggedSchemas,
    ...operations.flatMap(({ params, payload, query, success }) => [params, query, payload, success].filter(isPresent))
  ])
  const paths = new Map<string, Json>()
  for (const operation of operations) {
    const { endpoint } = operation
    const path = endpoint.path.replace(/:(\w+)/gu, "{$1}")
    paths.set(path, {
      ...(endpoint.isOutsidePrefix === true
        ? { servers: [{ url: "{base_url}", variables: { base_url: baseUrl } }] }
        : undefined),
      ...paths.get(path),
      [endpoint.method.toLowerCase()]: describeAnswer(operation, jsonSchemaOf)
    })
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Threat Exposure Monitoring API",
      version: "4",
      description:
        "Search leaked credentials and events, and manage what is monitored. Bodies are JSON. Answers may gain fields, and enumerations may gain values.",
      license: { name: "MIT" }
    },
    paths: Object.fromEntries(paths),
    components: { schemas: describeSchemas(definitions), securitySchemes },
    security: [],
    tags: Object.entries(groupTexts).map(([name, description]) => ({ name, description })),
    servers: [{ url: "{base_url}/{prefix}", variables: { base_url: baseUrl, prefix } }]
  }
}

/** An endpoint with its schemas. Those of parameters are decoded, because the document describes numbers as numbers. */
const operationOf = (group: string, name: string, endpoint: TokenEndpoint) => {
  const toDecoded = (fields: TokenEndpoint["query"]): Schema.Top | undefined =>
    fields === undefined ? undefined : Schema.toType(Schema.isSchema(fields) ? fields : Schema.Struct(fields))
  const { media, params, payload, query, success } = endpoint
  return {
    group,
    operation: `${group}.${name}`,
    endpoint,
    params: toDecoded(params),
    query: toDecoded(query),
    payload,
    success: SchemaAST.isVoid(success.ast) || media !== undefined ? undefined : success
  }
}

type SchemaToJson = (schema: Schema.Top) => Json

const describeAnswer = (
  { endpoint, group, operation, params, payload, query, success }: ReturnType<typeof operationOf>,
  jsonSchemaOf: SchemaToJson
): Json => {
  const { isBeta, isDeprecated, security = "bearer" } = endpoint
  const permission = permissionOf(endpoint)
  const { description = "", parameters: own, summary = "" } = operationTexts[operation] ?? {}
  const texts = { ...parameterTexts, ...own }
  const stability = isBeta === undefined ? "" : " Beta: may change without notice."
  const restriction = permission === undefined ? "" : ` Permission: ${permission}.`
  return {
    tags: [group],
    operationId: operation,
    parameters: [
      ...(params === undefined ? [] : parameters("path", jsonSchemaOf(params), texts)),
      ...(query === undefined ? [] : parameters("query", jsonSchemaOf(query), texts))
    ],
    security: [{ [security]: [] }],
    responses: { ...successes(success, endpoint, jsonSchemaOf), ...failures(endpoint, jsonSchemaOf) },
    description: `${withoutLinks(description)}${stability}${restriction}`,
    summary,
    ...(isDeprecated === undefined ? undefined : { deprecated: true }),
    ...(payload === undefined
      ? undefined
      : { requestBody: { ...content(jsonSchemaOf(payload)), required: security === "bearer" } }),
    ...(permission === undefined ? undefined : { "x-permission": permission }),
    ...(isBeta === undefined ? undefined : { "x-beta": true })
  }
}

const parameters = (
  place: "path" | "query",
  { properties, required }: Json,
  texts: { readonly [name: string]: string }
): ReadonlyArray<Json> => {
  const always = new Set(Array.isArray(required) ? required : [])
  return Object.entries(objectOf(properties)).map(([name, field]) => {
    const { maximum, minimum, type } = objectOf(field)
    const schema = type === "integer" ? { type, minimum, maximum } : field
    return describe({ name, in: place, schema, required: always.has(name) }, texts[name])
  })
}

const content = (schema: Json): Json => ({ content: { "application/json": { schema } } })

/** The success responses. This service answers 200 if an operation has no result; others answer 202 or 204. */
const successes = (
  success: Schema.Top | undefined,
  { costsQuota, media }: TokenEndpoint,
  jsonSchemaOf: SchemaToJson
): Json => {
  if (media !== undefined) {
    const file = { schema: { type: "string", format: "binary" } }
    return { 200: { description: "The file", content: Object.fromEntries(media.map((type) => [type, file])) } }
  }
  if (success === undefined) {
    return { 200: { description: "Done" }, 202: { description: "Accepted" }, 204: { description: "Done" } }
  }
  const { ast } = success
  const description = SchemaAST.resolveDescription(ast) ?? SchemaAST.resolveIdentifier(ast) ?? "Success"
  const headers = costsQuota === undefined ? undefined : { headers: { ...searchesRemaining, ...batchReached } }
  return { 200: { description, ...content(jsonSchemaOf(success)), ...headers } }
}

const failures = (endpoint: TokenEndpoint, jsonSchemaOf: SchemaToJson): Json => {
  const { costsQuota, payload, security } = endpoint
  const permission = permissionOf(endpoint)
  const isV2 = versionOf(endpoint.path) === "v2"
  const namesResource = ["params", "keys", "batch"].some((name) => name in endpoint)
  const body = content(jsonSchemaOf(isV2 ? V2Body : V4Body))
  const keyed = security === "apiKey"
  return {
    ...(isV2 && payload !== undefined ? { [statuses.V2Failure]: { description: brokenRule, ...body } } : undefined),
    [statuses.Unauthorized]: { description: keyed ? "The API key is missing, expired or revoked" : noToken, ...body },
    ...(permission === undefined && !keyed
      ? undefined
      : { [statuses.Forbidden]: { description: keyed ? otherTenant : "The API key lacks the permission", ...body } }),
    ...(namesResource
      ? { [statuses.NotFound]: { description: "No such resource is visible to this token", ...body } }
      : undefined),
    ...(payload === undefined
      ? undefined
      : { 413: { description: "The body is longer than the service accepts", ...body } }),
    ...(permission === undefined && payload === undefined
      ? undefined
      : { [statuses.ValidationFailed]: { description: everyFault, ...content(jsonSchemaOf(ValidationBody)) } }),
    [statuses.RateLimited]: {
      description: tooMany,
      ...body,
      headers: costsQuota === undefined ? retryAfter : { ...retryAfter, ...searchesRemaining }
    },
    503: { description: unavailable, ...body, headers: retryAfter }
  }
}

const brokenRule = "The request has the right shape, but breaks another rule"
const noToken = "The token is missing, expired or revoked"
const otherTenant = "The API key belongs to another tenant"
const everyFault = "The request breaks a rule; every fault is listed"
const tooMany =
  "Too many calls: `Retry-After` says how many seconds to wait. Or the quota is spent: the message says when it renews"
const unavailable =
  "The service cannot answer in time: try a search or a GET again after the time that Retry-After gives"

const retryAfter = {
  "Retry-After": {
    description: "Seconds to wait, at most 60",
    schema: { type: "integer", minimum: 0, maximum: 60 }
  }
}

const searchesRemaining = {
  "X-Global-Searches-Remaining": {
    description: "Units of search quota that are left in this month",
    schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  }
}

const batchReached = {
  "X-Global-Searches-Batch-Reached": {
    description: "Whether the next page of this search costs another unit",
    schema: { type: "boolean" }
  }
}

/** The JSON Schemas of all schemas. Named ones become components, which the others reference. */
const jsonSchemas = (schemas: ReadonlyArray<Schema.Top>) => {
  const [first, ...others] = Array.from(new Set(schemas), (schema) => Schema.toCodecJson(schema).ast)
  if (first === undefined) throw new Error("The contract has no schemas")
  const asts = [first, ...others] as const
  const document = JsonSchema.toMultiDocumentOpenApi3_1(
    SchemaRepresentation.toJsonSchemaMultiDocument(SchemaRepresentation.toRepresentations(asts), {
      ...options,
      onExcessProperty: "error"
    })
  )
  const bySchema = new Map(Array.from(new Set(schemas), (schema, index) => [schema, document.schemas[index]]))
  return {
    definitions: withoutAliases(objectOf(withoutTolerance(document.definitions))),
    jsonSchemaOf: (schema: Schema.Top) => objectOf(withoutTolerance(bySchema.get(schema)))
  }
}

const options = {
  includeAnnotationKey: (key: string) => [describedByAnnotation, promiseAnnotation, "deprecated"].includes(key)
}

/**
 * Converts schemas from what a client tolerates to what a service promises: promised fields are required, and objects
 * may have additional fields.
 */
const withoutTolerance = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTolerance)
  if (!Predicate.isObject(value)) return value
  const component = value[describedByAnnotation]
  if (typeof component === "string") return { $ref: `#/components/schemas/${component}` }
  const inner: Json = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutTolerance(part)]))
  if (Array.isArray(inner.anyOf))
    return { ...inner, anyOf: inner.anyOf.filter((member) => promiseOf(member) !== "never") }
  return inner.type === "object" ? objectSchema(inner) : inner
}

/** Replaces a component that only references another, because some generators do not follow such references. */
const withoutAliases = (definitions: Json): Json => {
  const targets = new Map(
    Object.entries(definitions).flatMap(([name, schema]) => {
      const { $ref } = objectOf(schema)
      return typeof $ref === "string" ? [[$ref.replace(/^.*\//u, ""), name] as const] : []
    })
  )
  return Object.fromEntries(
    Object.entries(definitions).flatMap(([name, schema]) => {
      if (objectOf(schema).$ref !== undefined) return []
      return [[targets.get(name) ?? name, schema]]
    })
  )
}

const objectSchema = ({ additionalProperties, properties, ...given }: Json): Json => {
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => key !== "allOf"))
  const values = Predicate.isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  return {
    ...rest,
    ...(values ? { additionalProperties: withoutPromise(additionalProperties) } : undefined),
    ...(Predicate.isObject(properties) ? fields(properties, given.required) : undefined)
  }
}

const fields = (properties: Json, required: unknown): Json => {
  const always = new Set(Array.isArray(required) ? required : [])
  const names = Object.entries(properties).flatMap(([name, field]) =>
    always.has(name) || promiseOf(field) === "value" || promiseOf(field) === "nullable" ? [name] : []
  )
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, withoutPromise(field)])),
    ...(names.length === 0 ? undefined : { required: names })
  }
}

const promiseOf = (field: unknown) => objectOf(field)[promiseAnnotation]

/** A field without its annotation and, if a value is promised, without null. */
const withoutPromise = (field: unknown): unknown => {
  if (!Predicate.isObject(field) || promiseOf(field) === undefined) return field
  const { [promiseAnnotation]: promise, anyOf, ...rest } = field
  const members = Array.isArray(anyOf)
    ? anyOf.filter((member) => promise === "nullable" || objectOf(member).type !== "null")
    : []
  const [only] = members
  return members.length === 1 && Predicate.isObject(only) ? { ...rest, ...only } : { ...rest, anyOf: members }
}

const describeSchemas = (definitions: Json): Json =>
  Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => {
      const texts = fieldTexts[name]
      return [name, texts === undefined ? schema : describeFields(objectOf(schema), texts, "")]
    })
  )

/** Adds descriptions to fields that have one, including nested fields. A reference must not have siblings. */
const describeFields = (schema: Json, texts: { readonly [field: string]: string }, before: string): Json => {
  const { anyOf, items, properties } = schema
  const described: { [key: string]: unknown } = { ...schema }
  if (Predicate.isObject(properties)) {
    described["properties"] = Object.fromEntries(
      Object.entries(properties).map(([name, value]) => {
        const field = objectOf(value)
        const path = `${before}${name}`
        const text = texts[path] ?? texts[`${path}[]`]
        return [name, "$ref" in field ? field : describe(describeFields(field, texts, `${path}.`), text)]
      })
    )
  }
  if (Predicate.isObject(items)) described["items"] = describeFields(items, texts, before.replace(/\.$/u, "[]."))
  if (Array.isArray(anyOf)) {
    described["anyOf"] = anyOf.map((member) => {
      const variant = before === "" ? variantOf(member) : undefined
      return describe(describeFields(objectOf(member), texts, before), variant && texts[variant])
    })
  }
  return described
}

/** The value of `type`, which discriminates the members of a union. */
const variantOf = (member: unknown): string | undefined => {
  const values = objectOf(objectOf(objectOf(member)["properties"])["type"])["enum"]
  const first: unknown = Array.isArray(values) ? values[0] : undefined
  return Predicate.isString(first) ? first : undefined
}

const describe = (value: Json, text: string | undefined): Json =>
  text === undefined ? value : { ...value, description: withoutLinks(text) }

/** Removes links, because their targets are sections of docs/api.md. */
const withoutLinks = (text: string) => text.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")

const objectOf = (value: unknown): Json => (Predicate.isObject(value) ? value : {})

const isPresent = (schema: Schema.Top | undefined) => schema !== undefined

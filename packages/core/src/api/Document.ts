/** The API as an OpenAPI 3.1 document: the content of `openapi.json`, which the service also serves. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { promiseAnnotation } from "../domain/Tolerant.ts"
import { Api } from "./Api.ts"
import { defaultPathPrefix } from "../domain/ServiceNames.ts"
import { contract, type Endpoint } from "./Endpoints.ts"
import { TokenApi } from "./Tokens.ts"

interface Json {
  readonly [key: string]: unknown
}

/**
 * The schemas describe what a client tolerates. The document describes what a service promises: promised fields are
 * required, and objects may have further fields.
 */
const documented = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(documented)
  if (!Predicate.isObject(value)) return value
  const inner: Json = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, documented(part)]))
  if (inner.operationId !== undefined) return operation(inner)
  if (Array.isArray(inner.anyOf))
    return { ...inner, anyOf: inner.anyOf.filter((member) => promiseOf(member) !== "never") }
  return inner.type === "object" ? objectSchema(inner) : inner
}

const operation = (given: Json): Json => ({
  ...given,
  parameters: Array.isArray(given.parameters) ? given.parameters.map(typed(numbersOf(given.operationId))) : [],
  responses: withHeaders(
    withRefusals(given.responses, given.requestBody !== undefined),
    endpointOf(given.operationId)?.tier === "search"
  )
})

/** Answers of the service whatever the operation, which the contract therefore does not state, in the shape of its others. */
const withRefusals = (responses: unknown, hasBody: boolean): unknown => {
  if (!Predicate.isObject(responses) || !Predicate.isObject(responses[401])) return responses
  return {
    ...responses,
    ...(hasBody
      ? { 413: { ...responses[401], description: "The body is longer than the service accepts" } }
      : undefined),
    503: {
      ...responses[401],
      description:
        "The service cannot answer in time: try a search or a GET again after the time that Retry-After gives"
    }
  }
}

/** The headers that the service adds outside the contract. */
const withHeaders = (responses: unknown, costsQuota: boolean): unknown =>
  Predicate.isObject(responses)
    ? Object.fromEntries(
        Object.entries(responses).map(([status, response]) => {
          const headers = headersOf(status, costsQuota)
          return [status, Predicate.isObject(response) && headers !== undefined ? { ...response, headers } : response]
        })
      )
    : responses

const headersOf = (status: string, costsQuota: boolean): Json | undefined => {
  switch (status) {
    case "200":
      return costsQuota ? { ...searchesRemaining, ...batchReached } : undefined
    case "429":
      return costsQuota ? { ...retryAfter, ...searchesRemaining } : retryAfter
    case "503":
      return retryAfter
    default:
      return undefined
  }
}

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

/** Numbers in a path or a query are text on the wire; the document gives their numeric type and bounds. */
const typed = (numbers: Json) => (parameter: unknown) =>
  Predicate.isObject(parameter) && Predicate.isString(parameter.name) && numbers[parameter.name] !== undefined
    ? { ...parameter, schema: numbers[parameter.name] }
    : parameter

const endpoints = Object.values(contract).flatMap((group): ReadonlyArray<Endpoint> => Object.values(group))

const endpointOf = (operationId: unknown) => endpoints.find(({ operation }) => operation === operationId)

/** The schemas of an operation's integer parameters, by name. */
const numbersOf = (operationId: unknown): Json => {
  const endpoint = endpointOf(operationId)
  return Object.fromEntries(
    [endpoint?.params, endpoint?.query].flatMap((parameters) => {
      if (parameters === undefined) return []
      const { schema } = Schema.toJsonSchemaDocument(
        Schema.toType(Schema.isSchema(parameters) ? parameters : Schema.Struct(parameters))
      )
      return Object.entries(Predicate.isObject(schema.properties) ? schema.properties : {}).flatMap(([name, field]) =>
        Predicate.isObject(field) && field.type === "integer"
          ? [[name, { type: "integer", minimum: field.minimum, maximum: field.maximum }]]
          : []
      )
    })
  )
}

const objectSchema = ({ additionalProperties, properties, ...given }: Json): Json => {
  const rest = Object.fromEntries(Object.entries(given).filter(([key]) => key !== "allOf"))
  const values = Predicate.isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  return {
    ...rest,
    ...(values ? { additionalProperties: kept(additionalProperties) } : undefined),
    ...(Predicate.isObject(properties) ? fields(properties, given.required) : undefined)
  }
}

const fields = (properties: Json, required: unknown): Json => {
  const always = new Set(Array.isArray(required) ? required : [])
  const names = Object.entries(properties).flatMap(([name, field]) =>
    always.has(name) || promiseOf(field) === "value" || promiseOf(field) === "nullable" ? [name] : []
  )
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, kept(field)])),
    ...(names.length === 0 ? undefined : { required: names })
  }
}

const promiseOf = (field: unknown) => (Predicate.isObject(field) ? field[promiseAnnotation] : undefined)

/** A field without its annotation and, if a value is promised, without null. */
const kept = (field: unknown): unknown => {
  if (!Predicate.isObject(field) || promiseOf(field) === undefined) return field
  const { [promiseAnnotation]: promise, anyOf, ...rest } = field
  const members = Array.isArray(anyOf) ? anyOf.filter((member) => promise === "nullable" || !isNull(member)) : []
  const [only] = members
  return members.length === 1 && Predicate.isObject(only) ? { ...rest, ...only } : { ...rest, anyOf: members }
}

const isNull = (member: unknown) => Predicate.isObject(member) && member.type === "null"

const options = {
  includeAnnotationKey: (key: string) => key === promiseAnnotation || key === "deprecated"
}

/** `base` is the address of the service, `prefixed` the address below which the operations with a prefix are. */
const documentOf = (base: Json, prefixed: Json): Json => {
  const operations = OpenApi.fromApi(Api, options)
  const tokenOperations = OpenApi.fromApi(TokenApi, options)
  return {
    ...operations,
    tags: [...operations.tags, ...tokenOperations.tags],
    servers: [prefixed],
    paths: {
      ...Object.fromEntries(
        Object.entries(tokenOperations.paths).map(([path, item]) => [
          path,
          { servers: [base], ...objectOf(documented(item)) }
        ])
      ),
      ...objectOf(documented(operations.paths))
    },
    components: {
      securitySchemes: { ...tokenOperations.components.securitySchemes, ...operations.components.securitySchemes },
      schemas: documented({ ...tokenOperations.components.schemas, ...operations.components.schemas })
    }
  }
}

const objectOf = (value: unknown): Json => (Predicate.isObject(value) ? value : {})

const baseUrl = { default: "http://127.0.0.1:8787", description: "The service's address" }
const prefix = {
  default: defaultPathPrefix,
  description: "The first segment of every path, which each service chooses"
}

/** The content of `openapi.json`, for any service. */
export const apiDocument = (): Json =>
  documentOf(
    { url: "{base_url}", variables: { base_url: baseUrl } },
    { url: "{base_url}/{prefix}", variables: { base_url: baseUrl, prefix } }
  )

/** The document of the service that serves it. */
export const servedDocument = (pathPrefix: string): Json => documentOf({ url: "/" }, { url: `/${pathPrefix}` })

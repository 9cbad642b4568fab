/** The API as an OpenAPI 3.1 document: what `openapi.json` holds, and what the service serves. */
import * as OpenApi from "effect/http-api/OpenApi"
import * as Predicate from "effect/Predicate"
import { promise } from "../domain/Tolerant.ts"
import { Api } from "./Api.ts"

interface Json {
  readonly [key: string]: unknown
}

/**
 * Says what a service promises where the schemas say what a client tolerates: a promised field is required. Any answer
 * may gain fields.
 */
const tidied = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidied)
  if (!Predicate.isObject(value)) return value
  const inner: Json = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, tidied(part)]))
  if (inner.requestBody !== undefined) return { ...inner, responses: withTooLarge(inner.responses) }
  if (inner.in === "path" || inner.in === "query") return { ...inner, schema: numeric(inner.schema, inner.name) }
  return inner.type === "object" || inner.type === "integer" ? schema(inner) : inner
}

/** A body can be longer than a service takes, which is found before any of the contract's rules is looked at. */
const withTooLarge = (responses: unknown): unknown => {
  if (!Predicate.isObject(responses) || !Predicate.isObject(responses[401])) return responses
  return { ...responses, 413: { ...responses[401], description: "The body is longer than the service takes" } }
}

const schema = (given: Json): Json => {
  if (given.type === "integer") {
    const { minimum, maximum, ...unbounded } = given
    return {
      ...unbounded,
      ...(minimum === Number.MIN_SAFE_INTEGER ? undefined : { minimum }),
      ...(maximum === Number.MAX_SAFE_INTEGER ? undefined : { maximum })
    }
  }
  const { additionalProperties, properties, ...rest } = given
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => key !== "allOf"))
  const values = Predicate.isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  return {
    ...kept,
    ...(values ? { additionalProperties } : undefined),
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

const promiseOf = (field: unknown) => (Predicate.isObject(field) ? field[promise] : undefined)

/** A field without its mark and, where a value is promised, without null. */
const kept = (field: unknown): unknown => {
  if (!Predicate.isObject(field) || promiseOf(field) === undefined) return field
  const { [promise]: promised, anyOf, ...rest } = field
  const members = Array.isArray(anyOf) ? anyOf.filter((member) => promised === "nullable" || !isNull(member)) : []
  const [only] = members
  return members.length === 1 && Predicate.isObject(only) ? { ...rest, ...only } : { ...rest, anyOf: members }
}

const isNull = (member: unknown) => Predicate.isObject(member) && member.type === "null"

/** In a path or a query a number is written as text, which is no news to a reader. */
const numeric = (given: unknown, name: unknown): unknown => {
  if (!Predicate.isObject(given) || !Predicate.isString(given.pattern) || !given.pattern.startsWith("^[+-]?"))
    return given
  return name === "size" ? { type: "integer", minimum: 1, maximum: 100 } : { type: "integer" }
}

const derived = OpenApi.fromApi(Api, { includeAnnotationKey: (key) => key === promise || key === "deprecated" })

export const document: Json = {
  ...derived,
  paths: tidied(derived.paths),
  components: { ...derived.components, schemas: tidied(derived.components.schemas) }
}

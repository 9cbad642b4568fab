/**
 * Decodes fields of a response whose value is absent or null although the service promises it, docs/api.md#tolerance.
 * The result is null where services are known to leave the value out, and otherwise the zero value of the type (0,
 * false, an empty text, list or object), so that types correspond to the specification.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Annotates a tolerantly decoded field with the service's promise, for `openapi.json`: `value`; `nullable` for a value
 * or null; `optional` for a value or an absent field; `never` for a union member that no service sends.
 */
export const promiseAnnotation = "x-promise"

/** Names the component of `openapi.json` for a value that the client does not decode further. */
export const describedByAnnotation = "x-described-by"

/** Decodes an absent field as null. `promise` is that of {@link promiseAnnotation}. */
export const orNull = <S extends Schema.Constraint>(schema: S, promise: "nullable" | "value" = "nullable") =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: promise })).pipe(
    Schema.decodeTo(Schema.NullOr(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.orElseSome(given, () => null)
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** Decodes an absent field and null as `fallback`. */
export const orElse = <S extends Schema.Constraint>(schema: S, fallback: S["Type"]) =>
  orElseEffect(schema, Effect.succeed(fallback))

/** Decodes null as an empty list, for values of a record, which cannot be absent. */
export const orNone = <Item extends Schema.Constraint>(list: Schema.$Array<Item>) =>
  Schema.NullOr(list)
    .annotate({ [promiseAnnotation]: "value" })
    .pipe(
      Schema.decodeTo(
        Schema.toType(list),
        SchemaTransformation.transform<ReadonlyArray<Item["Type"]>, ReadonlyArray<Item["Type"]> | null>({
          decode: (given) => given ?? [],
          encode: (given) => given
        })
      )
    )

/** Decodes an absent field and null as `{}`, for a schema whose fields are all optional. */
export const orEmpty = <S extends Schema.Constraint>(schema: S) => {
  const decode = SchemaParser.decodeUnknownEffect(schema)
  return orElseEffect(
    schema,
    Effect.suspend(() => decode({}))
  )
}

const orElseEffect = <S extends Schema.Constraint, R>(
  schema: S,
  fallback: Effect.Effect<S["Type"], SchemaIssue.Issue, R>
) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "value" })).pipe(
    Schema.decodeTo(Schema.toType(schema).annotate({ identifier: undefined }), {
      decode: SchemaGetter.transformOptionalEffect((given: Option.Option<S["Type"] | null>) => {
        const value = Option.filter(given, Predicate.isNotNull)
        return Option.isSome(value) ? Effect.succeed(value) : Effect.mapEager(fallback, Option.some)
      }),
      encode: SchemaGetter.passthrough()
    })
  )

/** Decodes null as an absent field. */
export const orAbsent = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "optional" })).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.filter(given, Predicate.isNotNull)
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** The known values, and any value that services may add later. */
export const open = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete])

/**
 * The tag of a union member that is not one of the known types. TypeScript has no type for "any other string", and a
 * literal is comparable to any `string`, branded or not. A template pattern that no known tag matches is not
 * comparable, so that `event.event_type === "paste"` narrows an event to one type. At run time, the value is the text
 * as received.
 */
export type Marked<Mark extends string> = `${string} (${Mark})`

/**
 * How fields of an answer are decoded when a promised value is absent or null, docs/api.md#tolerance: as null where
 * services are known to leave it out; otherwise as the zero value of its type (0, false, an empty text, list or object), so
 * that the types say what the specification promises.
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
 * Annotates a tolerantly decoded field with what the service promises, for `openapi.json`: `value`; `nullable` for a value
 * or null; `optional` for a value or an absent field; `never` for a member of a union that no service promises.
 */
export const promiseAnnotation = "x-promise"

/**
 * Names the component of `openapi.json` that describes a value which a client takes as it is: what a service answers is
 * tagged by its type there, so that generated clients have a type for each.
 */
export const describedByAnnotation = "x-described-by"

/** Decodes an absent field as null; encodes null as null. `promise` is what the document says: see {@link promiseAnnotation}. */
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

/** Decodes null as an empty list, where nothing can be absent: in the values of a record. */
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

/** Decodes an absent field and null as `{}`: for a schema all of whose fields may be absent. */
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

/** The known values, and any that the service adds later. */
export const open = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete])

/**
 * The tag of a member of a union that is not one of the known kinds. TypeScript has no type for every other string, and
 * compares a literal with any `string`, branded or not. A pattern that no known tag matches is not compared with it, so
 * that `event.event_type === "paste"` narrows an event to one kind. At run time it is the text as received.
 */
export type Marked<Mark extends string> = `${string} (${Mark})`

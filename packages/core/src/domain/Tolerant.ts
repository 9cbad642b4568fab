/** How an answer's field is read when the service leaves out, or nulls, what the specification promises. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * Marks a field that a service promises to send although it is read tolerantly, so that the API's document can say so:
 * `value`, or `nullable` where null is an answer too; `optional` where the service sends a value or leaves the field out.
 */
export const promiseAnnotation = "x-promise"

/** A field of an answer that may be missing: absent reads as null; null is written out. */
export const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "nullable" })).pipe(
    Schema.decodeTo(Schema.NullOr(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.orElseSome(given, () => null)
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** Absent and null read as `fallback`. */
export const orElse = <S extends Schema.Constraint>(schema: S, fallback: S["Type"]) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "value" })).pipe(
    Schema.decodeTo(Schema.toType(schema).annotate({ identifier: undefined }), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, Predicate.isNotNull), () => fallback))
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** Null reads as absent. */
export const orAbsent = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "optional" })).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.filter(given, Predicate.isNotNull)
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** The words known today, and any the service adds. */
export const open = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete])

/**
 * The decoded side of a schema whose `decode` builds the value: the compiler vouches for it, so it is not walked a
 * second time.
 */
export const built = <T extends object>() => Schema.declare<T>((u): u is T => Predicate.isObjectOrArray(u))

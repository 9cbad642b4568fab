/** How fields of an answer are decoded when a promised value is absent or null: see docs/api.md#tolerance. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * Annotates a tolerantly decoded field with what the service promises, for `openapi.json`: `value`; `nullable` for a value
 * or null; `optional` for a value or an absent field.
 */
export const promiseAnnotation = "x-promise"

/** Decodes an absent field as null; encodes null as null. */
export const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "nullable" })).pipe(
    Schema.decodeTo(Schema.NullOr(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.orElseSome(given, () => null)
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** Decodes an absent field and null as `fallback`. */
export const orElse = <S extends Schema.Constraint>(schema: S, fallback: S["Type"]) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ [promiseAnnotation]: "value" })).pipe(
    Schema.decodeTo(Schema.toType(schema).annotate({ identifier: undefined }), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, Predicate.isNotNull), () => fallback))
      ),
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
 * The decoded side of a schema whose `decode` builds the value: the compiler vouches for it, so it is not walked a
 * second time.
 */
export const built = <T extends object>() => Schema.declare<T>((u): u is T => Predicate.isObjectOrArray(u))

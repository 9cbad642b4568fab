/** How an answer's field is read when the service leaves out, or nulls, what the specification promises. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** Absent reads as null; null is written out. */
export const orNull = <S extends Schema.Constraint>(schema: S) =>
  Schema.NullOr(schema).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** Absent and null read as `fallback`. */
export const orElse = <S extends Schema.Constraint>(schema: S, fallback: S["Type"]) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.transformOptional((given: Option.Option<S["Type"] | null>) =>
        Option.some(Option.getOrElse(Option.filter(given, Predicate.isNotNull), () => fallback))
      ),
      encode: SchemaGetter.passthrough()
    })
  )

/** Null reads as absent. */
export const orAbsent = <S extends Schema.Constraint>(schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
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

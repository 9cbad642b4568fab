import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

export const oneOf = <const Values extends ReadonlyArray<string>>(identifier: string, values: Values) =>
  Schema.Literals(values).annotate({ identifier, message: `Expected one of ${values.join(", ")}` })

export const nonEmptyText = Schema.String.check(Schema.isMinLength(1, { message: "Expected at least one character" }))

/** A text in an unpaged list, at most 1,000 UTF-16 units. */
export const listedText = Schema.StringForLiteralAutocomplete.check(Schema.isMaxLength(1_000))

/** An integer in a path or query, encoded as decimal digits with an optional minus sign. */
export const integerParameter = (integer: Schema.Codec<number, number>) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => /^-?\d+$/u.test(text), {
      expected: "an integer in decimal digits",
      representation: { id: "threat-exposure/IntegerText", payload: null }
    })
  ).pipe(Schema.decodeTo(integer, SchemaTransformation.numberFromString))

/** A boolean in a query, encoded as text. */
export const flagParameter = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, "true" | "false">({
      decode: (text) => text === "true",
      encode: (flag) => (flag ? "true" : "false")
    })
  )
)

/** The member structs of a union that is discriminated by `type`. */
export type StructByType<Kinds> = {
  readonly [Type in keyof Kinds & string]: Schema.Struct<{ readonly type: Schema.Literal<Type> } & Kinds[Type]>
}[keyof Kinds & string]

interface KindFields {
  readonly [type: string]: Schema.Struct.Fields
}

export function structsByType<const Kinds extends KindFields>(kinds: Kinds): ReadonlyArray<StructByType<Kinds>>
export function structsByType(kinds: KindFields): ReadonlyArray<unknown> {
  return Object.entries(kinds).map(([type, fields]) => Schema.Struct({ type: Schema.Literal(type), ...fields }))
}

/** The union of {@link structsByType} for a request. `noun` names the union in the message for an unknown type. */
export const unionByType = <const Kinds extends KindFields>(identifier: string, noun: string, kinds: Kinds) => {
  const types = Object.keys(kinds)
  return Schema.Union(structsByType(kinds)).annotate({
    identifier,
    message: `Expected ${noun} whose type is ${types.slice(0, -1).join(", ")} or ${types.at(-1)}`
  })
}

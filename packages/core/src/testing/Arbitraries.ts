import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Anything that `schema` reads, as it travels: nulls, missing fields and words that are new where they are tolerated. */
export const onWire = <S extends Schema.Constraint>(schema: S): Arbitrary.Arbitrary<S["Encoded"]> =>
  Arbitrary.schema(Schema.toEncoded(schema))

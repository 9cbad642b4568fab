import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Any value that `schema` accepts, encoded: with null, absent fields and unknown values where they are tolerated. */
export const onWire = <S extends Schema.Constraint>(schema: S): Arbitrary.Arbitrary<S["Encoded"]> =>
  Arbitrary.schema(Schema.toEncoded(schema))

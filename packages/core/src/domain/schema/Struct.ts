import * as Schema from "effect/Schema"

/** The base of a class that gives a struct its name, in types and in `openapi.json`. */
export const struct =
  <Self>(identifier: string) =>
  <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
    Schema.Opaque<Self>()(Schema.Struct(fields).annotate({ identifier }))

/** Reads records without a schema, for large pages: compiled schemas dispatch on every nullable field and copy. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaCompiler from "effect/schema/SchemaCompiler"
import * as SchemaParser from "effect/SchemaParser"

export interface Wire {
  readonly [name: string]: unknown
}

/** Decodes with `read`. If that throws {@link Unexpected}, decodes with the schema, which reports the fault. */
export const accelerate = <S extends Schema.Codec<unknown, unknown>>(
  schema: S,
  read: (input: unknown) => unknown
): S => {
  SchemaCompiler.set(schema.ast, { decode: decodeBy(read), decodeEffect: bySchema(schema) })
  return schema
}

export const accelerateEffect = <S extends Schema.Codec<unknown, unknown>, R>(
  schema: S,
  reader: Effect.Effect<(input: unknown) => unknown, never, R>
): S => {
  const decodeBySchema = bySchema(schema)
  SchemaCompiler.set(schema.ast, {
    decodeEffect: (input, options) =>
      Effect.flatMap(reader, (read) => {
        const value = decodeBy(read)(input, options)
        return value === SchemaCompiler.invalid ? decodeBySchema(input, options) : Effect.succeed(value)
      })
  })
  return schema
}

const decodeBy =
  (read: (input: unknown) => unknown): SchemaCompiler.Decode =>
  (input, { onExcessProperty = "ignore" }) => {
    if (onExcessProperty !== "ignore") return SchemaCompiler.invalid
    try {
      return read(input)
    } catch (failure) {
      if (failure instanceof Unexpected) return SchemaCompiler.invalid
      throw failure
    }
  }

/** Decodes with a copy of the schema: decoding with the schema itself would call the same reader. */
const bySchema = (schema: Schema.Codec<unknown, unknown>) => SchemaParser.decodeUnknownEffect(schema.annotate({}))

export class Unexpected extends Error {}

export const readObject = (input: unknown): Wire => {
  if (Predicate.isObject(input)) return input
  throw new Unexpected()
}

export const readText = <Fallback>(input: unknown, fallback: Fallback): string | Fallback => {
  if (typeof input === "string") return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

export const readInteger = <Fallback>(input: unknown, fallback: Fallback): number | Fallback => {
  if (typeof input === "number" && Number.isSafeInteger(input)) return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

export const readFlag = <Fallback>(input: unknown, fallback: Fallback): boolean | Fallback => {
  if (typeof input === "boolean") return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

export const readTexts = <Fallback>(input: unknown, fallback: Fallback): ReadonlyArray<string> | Fallback => {
  if (isTexts(input)) return input
  if (input === null || input === undefined) return fallback
  throw new Unexpected()
}

export const readRecord = <A>(input: unknown, read: (wire: Wire) => A): A | null =>
  input === null || input === undefined ? null : read(readObject(input))

export const isTexts = (input: unknown): input is ReadonlyArray<string> =>
  Array.isArray(input) && input.every(Predicate.isString)

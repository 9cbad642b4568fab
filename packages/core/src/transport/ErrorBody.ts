/** The three shapes of error body (SPEC section 7, and the one of v4), each read for what it has. */
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Fault } from "./ApiError.ts"

const Code = Schema.Union([Schema.String, Schema.Finite])

const V2Body = Schema.Struct({ message: Schema.String, code: Code })
const V4Body = Schema.Struct({ error: V2Body })
const DetailBody = Schema.Struct({
  detail: Schema.Array(
    Schema.Struct({
      loc: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
      msg: Schema.String,
      type: Schema.String,
      input: Schema.optionalKey(Schema.Unknown),
      ctx: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))
    })
  )
})
const TokenBody = Schema.Struct({ token: Schema.String })

const v2 = Schema.decodeUnknownOption(V2Body)
const v4 = Schema.decodeUnknownOption(V4Body)
const detail = Schema.decodeUnknownOption(DetailBody)
const token = Schema.decodeUnknownOption(TokenBody)

export const isV2 = (body: unknown): boolean => Option.isSome(v2(body))

/** Of v2 or v4; undefined where it is neither. */
export const codeOf = (body: unknown): string | undefined =>
  Option.orElse(v2(body), () => Option.map(v4(body), ({ error }) => error)).pipe(
    Option.map(({ code }) => String(code)),
    Option.getOrUndefined
  )

/** What it says in words, in these shapes or in the simpler ones of a gateway; undefined where it says nothing. */
export const messageOf = (body: unknown): string | undefined => {
  if (!Predicate.isObject(body)) return undefined
  const { detail, error, message } = body
  return [message, error, Predicate.isObject(error) ? error.message : undefined, detail].find(isSaying)
}

const isSaying = (value: unknown): value is string => typeof value === "string" && value.trim() !== ""

/** What a 422 complains of, whatever shape it has. */
export const faultsOf = (body: unknown): ReadonlyArray<Fault> =>
  Option.match(detail(body), {
    onSome: ({ detail }) => detail.map(({ ctx, ...fault }): Fault => (ctx == null ? fault : { ...fault, ctx })),
    onNone: () => {
      const msg = messageOf(body)
      return msg === undefined ? [] : [{ loc: [], msg, type: codeOf(body) ?? "unknown" }]
    }
  })

export const tokenOf = (body: unknown): Option.Option<string> => Option.map(token(body), ({ token }) => token)

/** The three shapes of error body (SPEC section 7, and the one of v4), each read for what it has. */
import * as Option from "effect/Option"
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

export interface Worded {
  readonly code: string
  readonly message: string
}

export const v2FailureOf = (body: unknown): Option.Option<Worded> => Option.map(v2(body), worded)

export const v4FailureOf = (body: unknown): Option.Option<Worded> => Option.map(v4(body), ({ error }) => worded(error))

/** What a 422 complains of, whatever shape it has. */
export const faultsOf = (body: unknown): ReadonlyArray<Fault> =>
  Option.match(detail(body), {
    onSome: ({ detail }) => detail.map(({ ctx, ...fault }): Fault => (ctx == null ? fault : { ...fault, ctx })),
    onNone: () =>
      v2FailureOf(body).pipe(
        Option.orElse(() => v4FailureOf(body)),
        Option.map(({ code, message }): Fault => ({ loc: [], msg: message, type: code })),
        Option.toArray
      )
  })

export const tokenOf = (body: unknown): Option.Option<string> => Option.map(token(body), ({ token }) => token)

const worded = ({ code, message }: typeof V2Body.Type): Worded => ({ code: String(code), message })

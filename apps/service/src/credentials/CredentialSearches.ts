/**
 * The answer to a credentials search, from the text of its body.
 *
 * Most programs that use this API ask this one question all day, so it is answered with as little in between as there can
 * be: a plain function that both the router and the server's short way call.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { CredentialSearch } from "@threat-exposure/core/domain/Credential"
import { type RateLimited, ValidationFailed } from "@threat-exposure/core/domain/Failures"
import type { ApiKey } from "../keys/ApiKeys.ts"
import { GlobalSearches, type PaidSearch } from "../limits/GlobalSearches.ts"
import { isTooDeep } from "../requests/JsonDepth.ts"
import { faultsOf, invalidCursor, invalidJson, tooDeep } from "../requests/ValidationFaults.ts"
import { Database } from "../sqlite/Database.ts"
import { type CredentialListing, credentialPage, credentialPageJob, listingOf } from "./CredentialPages.ts"

export interface CredentialAnswer {
  readonly json: string | Uint8Array
  readonly headers: Record<string, string>
}

/** A page that a reader thread must write. */
export interface LongSearch {
  readonly listing: CredentialListing
  readonly payment: PaidSearch
  readonly finish: (page: {
    readonly json: Uint8Array
    readonly count: number
    readonly hasNext: boolean
  }) => CredentialAnswer
}

export class CredentialSearches extends Context.Service<
  CredentialSearches,
  {
    /** At once for a page that takes well under a millisecond; else what is left to do, for `long`. */
    answer(key: ApiKey, body: string, now: number): CredentialAnswer | LongSearch | ValidationFailed | RateLimited
    long(search: LongSearch): Promise<CredentialAnswer>
  }
>()("@threat-exposure/service/credentials/CredentialSearches") {
  static readonly layer = Layer.effect(
    CredentialSearches,
    Effect.gen(function* () {
      const database = yield* Database
      const globalSearches = yield* GlobalSearches
      return CredentialSearches.of({
        answer: ({ tenantId }, body, now) => {
          if (isTooDeep(body)) return new ValidationFailed({ detail: [tooDeep] })
          const json = parsed(body)
          if (json === undefined) return new ValidationFailed({ detail: [invalidJson] })
          const search = decode(json.value)
          if (Result.isFailure(search)) {
            return new ValidationFailed({ detail: faultsOf("body", search.failure.issue, json.value) })
          }
          const listing = listingOf(database.vault, search.success)
          if (listing === undefined) return new ValidationFailed({ detail: [invalidCursor("body")] })
          const payment = globalSearches.pay(tenantId, listing.terms.join(), listing.after?.position ?? 0, now)
          if (payment instanceof Error) return payment
          const finish = ({
            count,
            hasNext,
            json
          }: {
            json: string | Uint8Array
            count: number
            hasNext: boolean
          }) => ({
            json,
            headers: payment.served(count, hasNext)
          })
          if (listing.size > quickSize || listing.terms.length > 1) return { listing, payment, finish }
          try {
            return finish(credentialPage(database, listing))
          } catch (cause) {
            payment.refund()
            throw cause
          }
        },
        long: ({ finish, listing, payment }) =>
          database.ask(credentialPageJob, listing).then(finish, (cause: unknown) => {
            payment.refund()
            throw cause
          })
      })
    })
  )
}

export const isLong = (answer: CredentialAnswer | LongSearch): answer is LongSearch => "listing" in answer

/** The largest page that is written where the request arrives. */
const quickSize = 100

const decode = Schema.decodeUnknownResult(CredentialSearch, { errors: "all" })

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { CredentialInclude, type CredentialSearch, defaultSize } from "@threat-exposure/core/domain/Credential"
import type { RateLimited } from "@threat-exposure/core/domain/Failures"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { type CursorInvalid, cursors } from "../crypto/Cursor.ts"
import { Quota } from "../limits/Quota.ts"
import type { QuotaLeft } from "../limits/SearchQuota.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { type CredentialListing, type CredentialPage, CredentialStore } from "./CredentialStore.ts"
import { termsSought } from "./CredentialTerm.ts"

/** Leaked credentials: one data set for all tenants. */
export class Credentials extends Context.Service<
  Credentials,
  {
    /** One page; charges the tenant's quota. Eager. See docs/api.md#search-credentials. */
    search(tenantId: number, search: CredentialSearch): Effect.Effect<FoundCredentials, CursorInvalid | RateLimited>
  }
>()("@threat-exposure/service/credentials/Credentials") {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const store = yield* CredentialStore
      const quota = yield* Quota
      const current = yield* CurrentVault

      // Eager, without a span: most programs that use the API ask this all day.
      const search = Effect.fnUntracedEager(function* (
        tenantId: number,
        { filters, from, include = [], order = "desc", query, size = defaultSize }: CredentialSearch
      ) {
        const { vault } = current
        const terms = termsSought(vault, query)
        const since = boundary(filters?.imported_at?.gte, Number.MIN_SAFE_INTEGER)
        const until = boundary(filters?.imported_at?.lte, Number.MAX_SAFE_INTEGER)
        const bound = () => ["credentials", terms.map(String), since, until, order]
        const after =
          from == null ? undefined : yield* Effect.fromResult(credentialCursors.decode(vault, bound(), from))
        const [importedAt, id, position] = after ?? [undefined, undefined, 0]
        const listing: CredentialListing = {
          terms,
          keyId: vault.keyId,
          since,
          until,
          order,
          size,
          // Deduplicate and order the fields: stores cache what they prepare for a set of fields.
          include: CredentialInclude.literals.filter((field) => include.includes(field)),
          after: importedAt === undefined ? undefined : { importedAt, id }
        }
        const { left, page } = yield* quota.charge({ tenantId, search: terms.join(), position }, () =>
          store.page(listing)
        )
        const { count, last } = page
        const next =
          last === undefined
            ? null
            : credentialCursors.encode(vault, bound(), [last.importedAt, last.id, position + count])
        return { json: pageJson(page, next), quota: left }
      })

      return Credentials.of({ search })
    })
  )
}

export interface FoundCredentials {
  /** The JSON of the answer. */
  readonly json: string | Uint8Array
  readonly quota: QuotaLeft
}

/** Import time and id of the last item, and the number of items so far, which decides what later pages cost. */
const credentialCursors = cursors(Schema.Tuple([Schema.Int, Schema.Int, Schema.Int]))

/** In microseconds. */
const boundary = (timestamp: string | null | undefined, absent: number): number =>
  timestamp == null ? absent : (microsecondsOf(timestamp) ?? absent)

const pageJson = ({ items }: CredentialPage, next: string | null): string | Uint8Array => {
  const end = `],"next":${JSON.stringify(next)}}`
  return typeof items === "string"
    ? `{"items":[${items}${end}`
    : Buffer.concat([Buffer.from('{"items":['), items, Buffer.from(end)])
}

import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import {
  CredentialInclude,
  type CredentialSearch,
  defaultSize,
  defaultTenantCredentials
} from "@threat-exposure/core/domain/Credential"
import { CurrentVault } from "../crypto/CurrentVault.ts"
import { cursors } from "../crypto/Cursor.ts"
import { answerWithQuota } from "../limits/LimitHeaders.ts"
import { Quota, type SearchPage } from "../limits/Quota.ts"
import { searchName } from "../limits/SearchQuota.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { answerJson, type OperationHandlers } from "../requests/OperationHandlers.ts"
import type { Answer } from "../requests/ServedRequest.ts"
import { type CredentialListing, type CredentialPage, CredentialStore } from "./CredentialStore.ts"
import { termsSought } from "./CredentialTerm.ts"

/** Leaked credentials: one data set for all tenants. */
export const credentialHandlers = Effect.gen(function* () {
  const store = yield* CredentialStore
  const quota = yield* Quota
  const current = yield* CurrentVault

  // Without a span, because most programs that use the API call this operation all day.
  const search = Effect.fnUntracedEager(function* (
    { payload }: { readonly payload: CredentialSearch },
    { tenantId }: { readonly tenantId: number }
  ) {
    const { filters, from, include = [], order = "desc", query, size = defaultSize } = payload
    const { vault } = current
    const terms = termsSought(vault, query)
    const since = boundary(filters?.imported_at?.gte, Number.MIN_SAFE_INTEGER)
    const until = boundary(filters?.imported_at?.lte, Number.MAX_SAFE_INTEGER)
    const bound = () => ["credentials", terms.map(String), since, until, order]
    const after = from == null ? undefined : yield* Effect.fromResult(credentialCursors.decode(vault, bound(), from))
    const [importedAt, id, position] = after ?? [undefined, undefined, 0]
    const listing: CredentialListing = {
      tenantId,
      terms,
      keyId: vault.keyId,
      since,
      until,
      order,
      size,
      // Sorted and without duplicates, because stores cache what they prepare for a list of fields.
      include: CredentialInclude.literals.filter((field) => include.includes(field)),
      after: importedAt === undefined ? undefined : { importedAt, id }
    }
    const charge = <Page extends SearchPage>(page: () => Effect.Effect<Page>) =>
      quota.charge({ tenantId, search: searchName(vault, tenantId, `credentials ${terms.join()}`), position }, page)
    const end = ({ last }: CredentialPage, count: number) =>
      `],"next":${JSON.stringify(
        last === undefined
          ? null
          : credentialCursors.encode(vault, bound(), [last.importedAt, last.id, position + count])
      )}}`

    const segments = store.segments(listing)
    if (segments === undefined) {
      const { left, page } = yield* charge(() => store.page(listing))
      return answerWithQuota(pageJson(page, end(page, page.count)), left)
    }
    const readSegment = (after: CredentialListing["after"], count: number) =>
      store.page({ ...listing, after, size: Math.min(segments.size, size - count) })
    const { left, page } = yield* charge(() =>
      Effect.zipWith(
        segments.count,
        readSegment(listing.after, 0),
        (count, first) => ({ first, count: Math.min(count, size), last: count > size ? first.last : undefined }),
        { concurrent: true }
      )
    )
    const { first } = page
    const json =
      first.last === undefined
        ? pageJson(first, end(first, first.count))
        : jsonInSegments(first, size, readSegment, end)
    return answerWithQuota(json, left)
  })

  return {
    search,

    ofTenant: Effect.fn("Credentials.ofTenant")(function* (
      { query: { from, order_type: order = "desc", size = defaultTenantCredentials } },
      { tenantId }
    ) {
      const { vault } = current
      const { after, next } = yield* tenantCursors.open(vault, ["credentials of tenant", tenantId, order], from)
      const page = yield* store.pageOfTenant({
        tenantId,
        keyId: vault.keyId,
        order,
        size,
        after: after && { importedAt: after[0], id: after[1] }
      })
      const last = page.last && ([page.last.importedAt, page.last.id] as const)
      return answerJson(pageJson(page, `],"next":${JSON.stringify(next(last))}}`))
    }),

    act: Effect.fn("Credentials.act")(function* ({ payload: { action, targets } }, { tenantId }) {
      const hashes = [...new Set(targets.map(({ credential_hash }) => credential_hash))]
      yield* store.act({ tenantId, hashes, action: action.type, now: DateTime.formatIso(yield* DateTime.now) })
    })
  } satisfies OperationHandlers["credentials"]
})

/**
 * The import time and id of the last item, and the number of items so far, which determines the cost of later pages.
 */
const credentialCursors = cursors(Schema.Tuple([Schema.Int, Schema.Int, Schema.Int]))

/** The import time and id of the last item. */
const tenantCursors = cursors(Schema.Tuple([Schema.Int, Schema.Int]))

/** The microseconds of the timestamp, or `absent` if there is none. */
const boundary = (timestamp: string | null | undefined, absent: number): number =>
  timestamp == null ? absent : (microsecondsOf(timestamp) ?? absent)

/** The bytes of a large page are sent as they are: see {@link jsonInSegments}. */
const pageJson = ({ items }: CredentialPage, end: string): Answer["body"] => {
  if (typeof items === "string") return `{"items":[${items}${end}`
  const parts = ['{"items":[', items, end].map(bytesOf)
  return items.length > largeItems ? Stream.fromIterable(parts) : Buffer.concat(parts)
}

/** Bytes. */
const largeItems = 256 * 1_024

/**
 * Reads a segment when the reader of the stream pulls it. Its bytes are not copied: collecting the copies as garbage
 * would delay the requests of all tenants.
 */
const jsonInSegments = (
  first: CredentialPage,
  size: number,
  readSegment: (after: CredentialListing["after"], count: number) => Effect.Effect<CredentialPage>,
  end: (page: CredentialPage, count: number) => string
): Stream.Stream<Uint8Array> =>
  Stream.paginate({ read: Effect.succeed(first), before: 0, opening: '{"items":[', comma: "" }, (state) =>
    Effect.map(state.read, (segment) => {
      const { items, last } = segment
      const count = state.before + segment.count
      const parts = [`${state.opening}${items.length === 0 ? "" : state.comma}`, items]
      const comma = items.length === 0 ? state.comma : ","
      return last === undefined || count >= size
        ? [[...parts, end(segment, count)].map(bytesOf), Option.none()]
        : [parts.map(bytesOf), Option.some({ read: readSegment(last, count), before: count, opening: "", comma })]
    })
  )

const bytesOf = (part: string | Uint8Array): Uint8Array => (typeof part === "string" ? Buffer.from(part) : part)

/** Credential searches of this session; their results grow page by page. */
import type { Credential, CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { Clock, Context, Effect, Layer, Option, Predicate, PubSub, Schema, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import { recall } from "../editor/Memento.ts"
import { Pages } from "../editor/page/Pages.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { firstPage, type Listing, makeListing } from "../listing/Listing.ts"
import { t } from "../words/Localisation.ts"
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { credentialPages, CredentialRequest } from "./CredentialRequest.ts"

export interface CredentialSearch {
  /** Id of the page of results. */
  readonly id: string
  readonly request: CredentialRequest
  readonly listing: Listing<Credential, Failure>
}

export interface FoundCredential {
  readonly item: Credential
  readonly previous: Credential | undefined
  readonly next: Credential | undefined
}

export class CredentialSearches extends Context.Service<
  CredentialSearches,
  {
    readonly start: (request: CredentialRequest) => Effect.Effect<CredentialSearch>
    /** Searches of the signed-in profile, oldest first. */
    readonly all: () => ReadonlyArray<CredentialSearch>
    /** Emits when a search receives a page, and when all searches are discarded. */
    readonly changes: Stream.Stream<void>
    readonly get: (id: string) => CredentialSearch | undefined
    /** Finds a result by `searchId/resultId`, together with its neighbours. */
    readonly credential: (id: string) => FoundCredential | undefined
    /** The stored request of a search from before the window reloaded; undefined for a search by password. */
    readonly kept: (id: string) => Effect.Effect<CredentialRequest | undefined>
    /** The search with this id; a search that is only stored is started again. */
    readonly restart: (id: string) => Effect.Effect<CredentialSearch | undefined>
    /** The search with this id; without an id, that of the active page or, if there is none, the latest. */
    readonly current: (id: unknown) => Effect.Effect<CredentialSearch, NotPossible>
  }
>()("threat-exposure/credentials/CredentialSearches") {
  static readonly layer = Layer.effect(
    CredentialSearches,
    Effect.gen(function* () {
      const connections = yield* Connections
      const pages = yield* Pages
      // Capacity 1 is enough: subscribers read the current state.
      const changes = yield* PubSub.sliding<void>(1)
      const notify = PubSub.publish(changes, undefined)
      const searches = new Map<string, CredentialSearch>()
      let last = 0
      const editor = yield* Editor
      const readKept = Effect.provideService(recall("here", "credentials.searches", Kept, []), Editor, editor)

      // Discard the results when the profile changes: another profile cannot continue them.
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() => {
          searches.clear()
          return Effect.andThen(editor.setContext("credentials.searched", false), notify)
        }),
        Effect.forkScoped
      )

      const begin = Effect.fnUntraced(function* (id: string, request: CredentialRequest) {
        const { ask } = yield* connections.asNow
        const pages = yield* makeListing<Credential, Failure, never>({
          size: 1,
          key: (item) => String(item.id),
          page: (from) => ask(firstPage(credentialPages(request, from)))
        })
        const notifyAfter = <A>(load: Effect.Effect<A, Failure>) => Effect.tap(load, notify)
        const listing: CredentialSearch["listing"] = {
          now: pages.now,
          first: notifyAfter(pages.first),
          more: notifyAfter(pages.more),
          refresh: notifyAfter(pages.refresh)
        }
        const search = { id, request, listing }
        searches.set(id, search)
        yield* editor.setContext("credentials.searched", true)
        return search
      })

      return CredentialSearches.of({
        start: Effect.fnUntraced(function* (request) {
          // Ids must be unique across reloads of the window, so they start at the current time.
          last = Math.max(last + 1, yield* Clock.currentTimeMillis)
          const id = String(last)
          if (request.query.type !== "secret") {
            const encoded = yield* Effect.orDie(
              Schema.encodeEffect(Kept)([...(yield* readKept).slice(1 - maxKept), { id, request }])
            )
            yield* editor.remember("here", "credentials.searches", encoded)
          }
          return yield* begin(id, request)
        }),
        kept: (id) => Effect.map(readKept, (kept) => kept.find((each) => each.id === id)?.request),
        restart: Effect.fnUntraced(function* (id) {
          const request = (yield* readKept).find((each) => each.id === id)?.request
          return searches.get(id) ?? (request === undefined ? undefined : yield* begin(id, request))
        }),
        all: () => [...searches.values()],
        changes: Stream.fromPubSub(changes),
        get: (id) => searches.get(id),
        credential: (id) => {
          const [search = "", number] = id.split("/")
          const items = searches.get(search)?.listing.now().items ?? []
          const index = items.findIndex((each) => String(each.id) === number)
          const item = items[index]
          return item === undefined ? undefined : { item, previous: items[index - 1], next: items[index + 1] }
        },
        current: Effect.fnUntraced(function* (given) {
          const active = yield* pages.active
          const id = Predicate.isString(given)
            ? given
            : Option.isSome(active) && active.value.kind === "credentials"
              ? active.value.id
              : [...searches.keys()].at(-1)
          const search = id === undefined ? undefined : searches.get(id)
          return search ?? (yield* new NotPossible({ message: t("Search credentials first.") }))
        })
      })
    })
  )
}

/** Number of searches that are stored for a reload. */
const maxKept = 10

const Kept = Schema.Array(Schema.Struct({ id: Schema.String, request: CredentialRequest }))

/** A short description of the query without secrets. */
export const describeQuery = (query: CredentialQuery, isMasked: boolean): string => {
  switch (query.type) {
    case "domain":
    case "auth_domain":
      return query.fqdn
    case "email":
      return isMasked ? maskedAccount(query.email) : query.email
    case "keyword":
      return isMasked ? maskedAccount(query.keyword) : query.keyword
    case "secret":
      return t("with one password")
  }
}

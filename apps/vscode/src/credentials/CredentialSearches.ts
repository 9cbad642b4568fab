/** The credential searches of this session, whose results grow page by page. */
import type { Credential, CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { Context, Effect, Layer, Option, Predicate, Stream } from "effect"
import { Connections } from "../connection/Connections.ts"
import { Profiles } from "../connection/Profiles.ts"
import { makeSignal } from "../editor/Signal.ts"
import { Pages } from "../editor/Pages.ts"
import { type Failure, NotPossible } from "../editor/Problem.ts"
import { type Listing, makeListing } from "../listing/Listing.ts"
import { t } from "../words/Localisation.ts"
import { maskedAccount } from "@threat-exposure/core/domain/AccountName"
import { credentialPages, type CredentialRequest } from "./CredentialRequest.ts"

export interface CredentialSearch {
  /** The id of its page. */
  readonly id: string
  readonly request: CredentialRequest
  readonly listing: Listing<Credential, Failure>
}

export class CredentialSearches extends Context.Service<
  CredentialSearches,
  {
    readonly start: (request: CredentialRequest) => Effect.Effect<CredentialSearch>
    /** Of whoever is signed in, the latest last. */
    readonly all: () => ReadonlyArray<CredentialSearch>
    /** Each time one of them brings a page. */
    readonly changes: Stream.Stream<void>
    readonly get: (id: string) => CredentialSearch | undefined
    /** The search with this id; without one, that of the active page, or else the latest. */
    readonly current: (id: unknown) => Effect.Effect<CredentialSearch, NotPossible>
  }
>()("threat-exposure/credentials/CredentialSearches") {
  static readonly layer = Layer.effect(
    CredentialSearches,
    Effect.gen(function* () {
      const connections = yield* Connections
      const pages = yield* Pages
      const { heard, tell } = makeSignal<void>()
      const searches = new Map<string, CredentialSearch>()
      let last = 0
      // What was found with one profile is not continued with another.
      yield* (yield* Profiles).changes.pipe(
        Stream.runForEach(() => Effect.sync(() => searches.clear())),
        Effect.forkScoped
      )

      return CredentialSearches.of({
        start: Effect.fnUntraced(function* (request) {
          last += 1
          const pages = yield* makeListing<Credential, Failure, never>({
            size: 1,
            key: ({ id }) => String(id),
            page: (from) =>
              Effect.map(
                connections.ask(Stream.runHead(credentialPages(request, from))),
                Option.getOrElse(() => ({ items: [], next: null }))
              )
          })
          const telling = <A>(load: Effect.Effect<A, Failure>) => Effect.tap(load, () => tell(undefined))
          const listing: CredentialSearch["listing"] = {
            now: pages.now,
            first: telling(pages.first),
            more: telling(pages.more),
            refresh: telling(pages.refresh)
          }
          const search = { id: String(last), request, listing }
          searches.set(search.id, search)
          return search
        }),
        all: () => [...searches.values()],
        changes: heard,
        get: (id) => searches.get(id),
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

/** In a few words, without a secret. */
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

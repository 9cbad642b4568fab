/** The compiler checks these tests: `npm run check` compiles them, and an unused `@ts-expect-error` is an error. */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import { describe, expectTypeOf, it } from "vitest"
import type { CredentialsMethods } from "../../src/client/Credentials.ts"
import type { EventsMethods } from "../../src/client/Events.ts"
import type { IdentifiersMethods } from "../../src/client/Identifiers.ts"
import type * as Domain from "../../src/domain/Credential.ts"
import type { Event, IdentifierEvent, IdentifierEventSearch } from "../../src/domain/Event.ts"
import type { Identifier } from "../../src/domain/Identifier.ts"
import type { TypedEvent as DomainTypedEvent } from "../../src/domain/TypedEvent.ts"
import type {
  ApiError,
  ApiPromise,
  CallOptions,
  Client,
  ClientOptions,
  Credential,
  CredentialQuery,
  ItemListing,
  LeakedCredential,
  MonitoredIdentifier,
  Page,
  PageListing,
  Paste,
  Secret,
  StealerLogCookie,
  StealerLogCredential,
  TypedEvent
} from "../../src/promise.ts"
import type { TriageAction } from "../../src/domain/Triage.ts"
import type { ListRequestInput, RequestInput } from "../../src/transport/RequestEncoder.ts"

declare const client: Client
declare const event: TypedEvent
declare const domainEvent: DomainTypedEvent
interface ExpandQuery {
  readonly from?: string
  readonly size?: number
}

const baseUrl = "https://api.example.com"
const isCompiledOnly = () => true

describe("an event", () => {
  it("is narrowed by its type alone, in both faces", () => {
    if (isCompiledOnly()) return
    if (event.event_type === "paste") {
      expectTypeOf(event).toEqualTypeOf<Paste>()
      expectTypeOf(event.data.content).toEqualTypeOf<string | null>()
    }
    if (event.event_type === "leaked_credential") expectTypeOf(event.data.password).toEqualTypeOf<Secret | null>()
    if (domainEvent.event_type === "leaked_credential") {
      expectTypeOf(domainEvent.data.password).toEqualTypeOf<Redacted.Redacted | null>()
    }
    switch (event.event_type) {
      case "cc":
      case "credit_card":
        expectTypeOf(event.data.bank).toEqualTypeOf<string | null>()
    }
    expectTypeOf(event.event_type).toExtend<string>()
  })
})

describe("a request", () => {
  it("needs the fields of its kind of query", () => {
    expectTypeOf<{ type: "domain"; fqdn: string }>().toExtend<CredentialQuery>()
    expectTypeOf<{ type: "domain" }>().not.toExtend<CredentialQuery>()
    expectTypeOf<{ type: "secret"; secret: Secret }>().toExtend<CredentialQuery>()
    if (isCompiledOnly()) return
    // @ts-expect-error A domain is searched by its name.
    client.credentials.search({ query: { type: "domain" } })
    // @ts-expect-error The query of a credential search is required.
    client.credentials.search({})
    client.events.search({ size: undefined })
    client.events.search()
  })
})

describe("the options", () => {
  it("take either a token or an API key", () => {
    expectTypeOf<{ baseUrl: string; token: string }>().toExtend<ClientOptions>()
    expectTypeOf<{ baseUrl: string; apiKey: string; tenantId: number }>().toExtend<ClientOptions>()
    // @ts-expect-error Not both.
    const both: ClientOptions = { baseUrl, token: "a-token", apiKey: "a-key" }
    // @ts-expect-error Not a tenant beside a token.
    const tenant: ClientOptions = { baseUrl, token: "a-token", tenantId: 1 }
    // @ts-expect-error Not neither.
    const neither: ClientOptions = { baseUrl }
    expectTypeOf([both, tenant, neither]).toEqualTypeOf<Array<ClientOptions>>()
  })
})

describe("the methods that are derived from the contract", () => {
  it("take the keys of an operation and then its request, and return streams or effects", () => {
    expectTypeOf<CredentialsMethods["search"]>().toEqualTypeOf<
      (request: RequestInput<Domain.CredentialSearch>) => Stream.Stream<Domain.Credential, ApiError>
    >()
    expectTypeOf<EventsMethods["pagesOfIdentifier"]>().toEqualTypeOf<
      (id: number, request?: RequestInput<IdentifierEventSearch>) => Stream.Stream<Page<IdentifierEvent>, ApiError>
    >()
    expectTypeOf<EventsMethods["get"]>().toEqualTypeOf<(id: string) => Effect.Effect<DomainTypedEvent, ApiError>>()
    expectTypeOf<IdentifiersMethods["createV2"]>().returns.toEqualTypeOf<Effect.Effect<Identifier, ApiError>>()
  })

  it("return promises and async iterables, with secrets as objects, in the client without Effect", () => {
    expectTypeOf<Client["credentials"]["search"]>().toEqualTypeOf<
      (request: RequestInput<Domain.CredentialSearch>, options?: CallOptions) => ItemListing<Credential>
    >()
    expectTypeOf(() => client.credentials.pages({ query: { type: "email", email: "a@b.c" } })).returns.toEqualTypeOf<
      PageListing<Page<Credential>>
    >()
    expectTypeOf(() => client.events.pages({}, { raw: true })).returns.toExtend<AsyncIterable<Page<unknown>>>()
    expectTypeOf(() => client.events.pages({}, { timeout: 5 })).returns.toExtend<AsyncIterable<Page<Event>>>()
    expectTypeOf<Client["events"]["search"]>().returns.toEqualTypeOf<ItemListing<Event>>()
    expectTypeOf<Client["events"]["get"]>().returns.toExtend<Promise<TypedEvent>>()
    expectTypeOf<Client["matchingPolicies"]["delete"]>().toEqualTypeOf<
      (id: string, options?: CallOptions) => ApiPromise<void>
    >()
    expectTypeOf<Client["identifiers"]["get"]>().returns.toEqualTypeOf<ApiPromise<MonitoredIdentifier>>()
    expectTypeOf<Client["events"]["expand"]>().toEqualTypeOf<
      (
        id: string,
        inner: "credentials" | "cookies",
        request?: ListRequestInput<Pick<ExpandQuery, "from" | "size">>,
        options?: CallOptions
      ) => ItemListing<StealerLogCookie | StealerLogCredential>
    >()
    expectTypeOf<Client["events"]["act"]>().toEqualTypeOf<
      (targets: ReadonlyArray<string>, action: TriageAction, options?: CallOptions) => ApiPromise<void>
    >()
    expectTypeOf<Credential["hash"]>().toEqualTypeOf<Secret | null>()
    expectTypeOf<LeakedCredential["data"]["password"]>().toEqualTypeOf<Secret | null>()
  })
})

import { ApiClient } from "@threat-exposure/core/client/ApiClient"
import { Credentials } from "@threat-exposure/core/client/Credentials"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Command from "effect/cli/Command"
import { client } from "../connection/Client.ts"
import { resolveConnection } from "../connection/Connection.ts"
import { json, print, printable, printJson } from "../output/Output.ts"

export const whoami = Command.make(
  "whoami",
  {},
  Effect.fnUntraced(function* () {
    const { options, source } = yield* resolveConnection
    const token = yield* Effect.flatMap(ApiClient, ({ whoAmI }) => whoAmI)
    if (yield* json) {
      return yield* printJson({
        base_url: String(options.baseUrl),
        source,
        tenant_id: token?.tenant_id ?? null,
        user_id: token?.user_id ?? null,
        scopes: token?.scopes ?? null
      })
    }
    yield* print(`Service      ${String(options.baseUrl)}`)
    yield* print(`Signed in    by ${source}`)
    if (token === undefined) return yield* print("Token        the service does not describe tokens")
    yield* print(`Tenant       ${token.tenant_id ?? "unknown"}`)
    yield* print(`User         ${token.user_id ?? "none"}`)
    yield* print(`Permissions  ${token.scopes.length === 0 ? "unknown" : printable(token.scopes.join(", "))}`)
  }, Effect.provide(client))
).pipe(
  Command.withDescription("Show the service, the tenant and the permissions of the token"),
  Command.withExamples([
    { command: "threat-exposure whoami --profile staging", description: "For another saved sign-in" }
  ])
)

/** A search without matches: the service reports the quota only with the results of a search. */
const cheapestSearch = { query: { type: "email", email: "nobody@invalid" }, size: 1 } as const

export const quota = Command.make(
  "quota",
  {},
  Effect.fnUntraced(function* () {
    yield* Effect.flatMap(Credentials, (credentials) =>
      Stream.runDrain(Stream.take(credentials.pages(cheapestSearch), 1))
    )
    const { searchesRemaining } = yield* Effect.flatMap(ApiClient, ({ quota }) => quota)
    if (yield* json) return yield* printJson({ searches_remaining: searchesRemaining ?? null })
    yield* print(
      searchesRemaining === undefined
        ? "The service does not report its quota."
        : `${searchesRemaining.toLocaleString("en-US")} ${searchesRemaining === 1 ? "search" : "searches"} left`
    )
  }, Effect.provide(client))
).pipe(
  Command.withDescription(
    "Show how many searches are left. The service reports this only with the results of a search, so this command sends one, which costs at most one unit of the quota every ten minutes"
  ),
  Command.withExamples([{ command: "threat-exposure quota --json", description: "As JSON, for another program" }])
)

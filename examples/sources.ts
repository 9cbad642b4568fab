/** Which breaches hold credentials of a domain, with Effect: a stream of items, settings from the environment, failures by name. */
import { Credentials } from "@threat-exposure/core/client/Credentials"
import { layerConfig } from "@threat-exposure/core/client/config"
import { Console, Effect, Stream } from "effect"

// Text of a leak is hostile: no control character of it reaches the terminal.
const shown = (text: string) => text.replace(/\p{C}/gu, "·")

const program = Effect.fnUntraced(function* (fqdn: string) {
  const credentials = yield* Credentials
  const counts = yield* credentials.search({ query: { type: "domain", fqdn }, size: 1000 }).pipe(
    Stream.runFold(
      () => new Map<string, number>(),
      (counts, { source, source_id }) => {
        const name = source?.name ?? source_id
        return counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    )
  )
  for (const [name, count] of [...counts].toSorted(([, a], [, b]) => b - a)) {
    yield* Console.log(`${String(count).padStart(8)}  ${shown(name)}`)
  }
})

const [fqdn = "example.com"] = process.argv.slice(2)

await program(fqdn).pipe(
  Effect.catchTags({
    Unauthorized: () => Console.error("The token is missing or no longer valid: set THREAT_EXPOSURE_TOKEN."),
    RateLimited: ({ retryAfter }) => Console.error(`Try again in ${retryAfter ?? "some"} seconds.`)
  }),
  Effect.provide(layerConfig),
  Effect.runPromise
)

import { readFileSync } from "node:fs"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { CredentialQuery } from "@threat-exposure/core/domain/Credential"
import { EventQuery } from "@threat-exposure/core/domain/Event"
import { CredentialDeletion } from "../credentials/CredentialDeletion.ts"
import { EventDeletion } from "../events/EventDeletion.ts"
import type { SelectedRecords } from "../load/RecordDeletion.ts"
import { lineDecoder } from "../requests/ValidationFaults.ts"
import { audit } from "./Audit.ts"
import { confirm, yes } from "./Confirmation.ts"
import { durationOf } from "./Duration.ts"
import { makeMisuse } from "./CommandFailed.ts"
import { textFlag } from "./DatabaseFlags.ts"
import { storeFlags, withStores } from "./StoreFlags.ts"

const flags = {
  ...storeFlags,
  yes,
  query: textFlag(
    "query",
    "JSON",
    'What a search of the API would find, as in \'{"type":"domain","fqdn":"example.com"}\'; - reads it from standard input, which keeps a secret out of the process list'
  ).pipe(Flag.optional),
  olderThan: Flag.optional(
    textFlag("older-than", "AGE", "Only what is older: 90d, 12h, 2w (credentials by import, events by creation)")
  )
}

const deleteOldCredentials = Command.make("delete", flags, (given) =>
  Effect.gen(function* () {
    const { query, time } = yield* selectionOf(decodeCredentialQuery, given)
    const deletion = yield* CredentialDeletion
    yield* deleteAll("credentials", yield* deletion.select({ query, importedBefore: time }), given.yes)
  }).pipe(withStores(given))
).pipe(Command.withDescription("Delete credentials by a query, by age, or both, also while the service runs"))

const deleteOldEvents = Command.make("delete", flags, (given) =>
  Effect.gen(function* () {
    const { query, time } = yield* selectionOf(decodeEventQuery, given)
    const deletion = yield* EventDeletion
    const found = yield* Effect.mapError(deletion.select({ query, createdBefore: time }), ({ message }) =>
      makeMisuse(`--query: ${message}`)
    )
    yield* deleteAll("events", found, given.yes)
  }).pipe(withStores(given))
).pipe(Command.withDescription("Delete events by a query, by age, or both, also while the service runs"))

export const credentials = Command.make("credentials").pipe(
  Command.withDescription("Delete credentials, which all tenants search"),
  Command.withSubcommands([deleteOldCredentials])
)

export const events = Command.make("events").pipe(
  Command.withDescription("Delete events, which all tenants search"),
  Command.withSubcommands([deleteOldEvents])
)

interface Selection {
  readonly query: Option.Option<string>
  readonly olderThan: Option.Option<string>
}

/** The query and the time in microseconds since 1970, before which records are deleted. */
const selectionOf = Effect.fnUntraced(function* <Query>(
  decode: (json: unknown) => Result.Result<Query, string>,
  { olderThan, query }: Selection
) {
  if (Option.isNone(query) && Option.isNone(olderThan)) {
    return yield* makeMisuse("Say what to delete, with --query, --older-than or both")
  }
  return {
    query: Option.isNone(query) ? undefined : yield* Effect.fromResult(queryOf(decode, query.value)),
    time: Option.isNone(olderThan) ? Number.MAX_SAFE_INTEGER : yield* timeBefore(olderThan.value)
  }
})

/** Decodes the query. A message never contains the query, because it may hold a secret. */
const queryOf = <Query>(decode: (json: unknown) => Result.Result<Query, string>, given: string) => {
  const json = Result.try({
    try: (): unknown => JSON.parse(given === "-" ? readFileSync(0, "utf8") : given),
    catch: () => makeMisuse("--query is not JSON")
  })
  return Result.flatMap(json, (json) => Result.mapError(decode(json), (reason) => makeMisuse(`--query: ${reason}`)))
}

const timeBefore = Effect.fnUntraced(function* (age: string) {
  const duration = durationOf(age)
  if (duration === undefined) {
    return yield* makeMisuse("--older-than takes an age such as 90d, 12h or 2w")
  }
  return DateTime.toEpochMillis(DateTime.subtractDuration(yield* DateTime.now, duration)) * 1_000
})

const deleteAll = Effect.fnUntraced(function* (
  what: "credentials" | "events",
  selected: SelectedRecords,
  yes: boolean
) {
  const count = (number: number) => `${number.toLocaleString("en-GB")} ${number === 1 ? what.slice(0, -1) : what}`
  yield* confirm(`This deletes ${count(selected.count)}, for all tenants.`, yes || selected.count === 0)
  const deleted = yield* selected.delete
  yield* audit(`${what}.delete`, { rows: deleted })
  yield* Console.log(`deleted ${count(deleted)}`)
})

// Encoded again, because the input of a procedure is sent to another thread.
const decodeCredentialQuery = (json: unknown) =>
  Result.map(lineDecoder(CredentialQuery)(json), Schema.encodeSync(CredentialQuery))
const decodeEventQuery = (json: unknown) => Result.map(lineDecoder(EventQuery)(json), Schema.encodeSync(EventQuery))

/** Events as `load` reads them: each in the shape of docs/api.md#typed-events; unknown fields are kept. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { KnownEvent, knownEventTypes, TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { microsecondsOf } from "../requests/Microseconds.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"
import type { Prepared, RecordLoader } from "../load/RecordLoader.ts"
import { readRecords } from "../load/RecordReader.ts"
import { faultsOf, reasonOf } from "../requests/ValidationFaults.ts"
import { learnIdentifiers } from "../matching/IdentifierPercolator.ts"
import { procedure } from "../sqlite/Procedure.ts"
import { StoredEvent } from "./EventStore.ts"
import { insertEvent, prepareEvent, type PreparedEvent } from "./PreparedEvent.ts"

export const prepareEvents = procedure(
  "events.prepare",
  ({ vault }, chunk: RecordChunk): Prepared<ReadonlyArray<PreparedEvent>> => {
    const { records, refused } = readRecords(chunk, { read: readEvent })
    return {
      batch: records.map((event) => prepareEvent(vault, event)),
      keyId: vault.keyId,
      count: records.length,
      refused
    }
  }
)

export const eventLoader: RecordLoader<ReadonlyArray<PreparedEvent>> = {
  name: { one: "event", many: "events" },
  prepare: prepareEvents,
  atOnce: 0,
  warmUp: learnIdentifiers,
  insert: (database, batches, now) =>
    inTimeOrder(batches.flat()).filter((event) => insertEvent(database, event, now) !== "unchanged").length
}

/**
 * The full-text index takes ascending ids twice as fast as descending ones, and files are often newest first. Of several
 * events with one uid the last must win: their order stays.
 */
const inTimeOrder = (events: ReadonlyArray<PreparedEvent>): ReadonlyArray<PreparedEvent> =>
  new Set(events.map(({ uid }) => uid)).size === events.length
    ? events.toSorted((a, b) => a.createdAt - b.createdAt)
    : events

/** The same for events at hand: how many were new or had changed. */
export const loadEventsJob = procedure(
  "events.load",
  (database, { events, now }: { readonly events: ReadonlyArray<StoredEvent>; readonly now: string }): number =>
    eventLoader.insert(database, [events.map((event) => prepareEvent(database.vault, event))], now)
)

const readEvent = (json: unknown): Result.Result<StoredEvent, string> => {
  // An event of a type with a shape of its own is told what is wrong with that shape, and nothing of the open one.
  const typed = (isOfKnownType(json) ? decodeKnown : decodeTyped)(json)
  if (Result.isFailure(typed)) return Result.fail(reasonOf(faultsOf("body", typed.failure.issue, json)))
  const stored = decodeStored(json)
  if (Result.isFailure(stored)) return Result.fail(reasonOf(faultsOf("body", stored.failure.issue, json)))
  const { estimated_created_at, severity } = stored.success.metadata
  if (microsecondsOf(estimated_created_at) === undefined) {
    return Result.fail("metadata.estimated_created_at: Input should be an ISO 8601 date-time")
  }
  return severities.some((known) => known === severity)
    ? Result.succeed(stored.success)
    : Result.fail(`metadata.severity: Input should be one of ${severities.join(", ")}`)
}

const isOfKnownType = Schema.is(Schema.Struct({ event_type: Schema.Literals(knownEventTypes) }))

const decodeKnown = Schema.decodeUnknownResult(KnownEvent, { errors: "all" })
const decodeTyped = Schema.decodeUnknownResult(TypedEvent, { errors: "all" })
const decodeStored = Schema.decodeUnknownResult(StoredEvent, { errors: "all" })

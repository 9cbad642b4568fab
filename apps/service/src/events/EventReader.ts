/** Reads the events of a load, in the shape of docs/api.md#typed-events. Unknown fields are kept. */
import { severities } from "@threat-exposure/core/domain/Severity"
import { KnownEvent, knownEventTypes, TypedEvent } from "@threat-exposure/core/domain/TypedEvent"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Vault } from "../crypto/Vault.ts"
import type { Prepared } from "../load/LoadTarget.ts"
import type { RecordChunk } from "../load/RecordChunks.ts"
import { readRecords } from "../load/RecordReader.ts"
import { microsecondsOf } from "../requests/Microseconds.ts"
import { lineDecoder } from "../requests/ValidationFaults.ts"
import { StoredEvent } from "./EventStore.ts"
import { prepareEvent, type PreparedEvent } from "./PreparedEvent.ts"

export const prepareChunk = (vault: Vault, chunk: RecordChunk): Prepared<ReadonlyArray<PreparedEvent>> => {
  const batch: Array<PreparedEvent> = []
  const refused = readRecords(chunk, { read: readEvent }, (event) => batch.push(prepareEvent(vault, event)))
  return { batch, count: batch.length, keyId: vault.keyId, refused }
}

const readEvent = (json: unknown): Result.Result<StoredEvent, string> => {
  // For an event of a known type, report the faults against that type's schema only, not those of the open variant.
  const typed = (isOfKnownType(json) ? decodeKnown : decodeTyped)(json)
  if (Result.isFailure(typed)) return Result.fail(typed.failure)
  const stored = decodeStored(json)
  if (Result.isFailure(stored)) return stored
  const { estimated_created_at, severity } = stored.success.metadata
  if (microsecondsOf(estimated_created_at) === undefined) {
    return Result.fail("metadata.estimated_created_at: Input should be an ISO 8601 date or date-time")
  }
  return severities.some((known) => known === severity)
    ? Result.succeed(withUnicodeUid(stored.success))
    : Result.fail(`metadata.severity: Input should be one of ${severities.join(", ")}`)
}

/** Events are ordered and found by the stored uid, in which half of a surrogate pair becomes the replacement character. */
const withUnicodeUid = ({ metadata, ...event }: StoredEvent): StoredEvent => ({
  ...event,
  metadata: { ...metadata, uid: metadata.uid.toWellFormed() }
})

const isOfKnownType = Schema.is(Schema.Struct({ event_type: Schema.Literals(knownEventTypes) }))

const decodeKnown = lineDecoder(KnownEvent)
const decodeTyped = lineDecoder(TypedEvent)
const decodeStored = lineDecoder(StoredEvent)

/** Sinks, sources and messages in memory, for tests of the feed. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { foundEvent, type Summary } from "@threat-exposure/cli/feed/Found"
import type { Batch } from "@threat-exposure/cli/feed/FeedState"
import type { Delivery, OutgoingBatch, Sink, SinkBusy } from "@threat-exposure/cli/feed/Sink"
import type { BatchTooLarge, SinkClosed } from "@threat-exposure/cli/feed/Sink"
import type { Source } from "@threat-exposure/cli/feed/Sources"
import { outputFlags } from "@threat-exposure/cli/output/Output"

export const itemOf = (uid: string) => ({ uid, line: JSON.stringify({ uid }), time: 0 })

export const summaryWith = (severity: string): Summary => ({
  type: "paste",
  severity,
  title: "fresh mail access",
  status: "new"
})

export const batchOf = (id: string, uids: ReadonlyArray<string>, ...waiting: ReadonlyArray<string>): Batch => ({
  id,
  items: uids.map(itemOf),
  waiting
})

/** A sink that gives these outcomes in order, and records its batches. */
export const memorySink = (
  name: string,
  answer: (batch: OutgoingBatch, attempt: number) => Effect.Effect<Delivery, SinkBusy | SinkClosed | BatchTooLarge>
) => {
  const sent: Array<OutgoingBatch> = []
  const sink: Sink = {
    name,
    send: (batch) =>
      Effect.suspend(() => {
        sent.push(batch)
        return answer(batch, sent.length)
      })
  }
  return { sink, sent, uids: () => sent.map(({ items }) => items.map(({ uid }) => uid).join(" ")) }
}

export const eventOf = (uid: string, at: string, arrived?: string) => ({
  metadata: {
    uid,
    type: "paste",
    severity: "low",
    estimated_created_at: at,
    ...(arrived === undefined ? {} : { materialized_at: arrived })
  }
})

/** A listing with these pages of events. The cursor of page n is `n`. Records the bound and the cursor of each read. */
export const memorySource = (name: string, pages: ReadonlyArray<ReadonlyArray<ReturnType<typeof eventOf>>>) => {
  const reads: Array<{ readonly since: string; readonly from: string | null }> = []
  const source: Source = {
    name,
    costsQuota: true,
    pages: (since, from) => {
      reads.push({ since, from })
      return Stream.fromIterable(
        pages
          .map((items, index) => ({
            found: items.flatMap((item) => foundEvent(item) ?? []),
            withoutUid: [],
            undecoded: 0,
            next: index === pages.length - 1 ? null : String(index + 1)
          }))
          .slice(Number(from ?? 0)),
        { chunkSize: 1 }
      )
    }
  }
  return { source, reads }
}

/** Collects the messages for standard error. */
export const withMessages = (messages: Array<string>) => {
  const [, , quiet] = outputFlags
  return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(quiet, false),
      Effect.provideService(
        Console.Console,
        Object.assign(Object.create(console), { error: (line: string) => messages.push(line) })
      )
    )
}

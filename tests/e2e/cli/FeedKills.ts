/** A feed that is killed again and again while events come in and change: what its sinks have in the end. */
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createClient } from "@threat-exposure/core/promise"
import { paste } from "../vscode/SyntheticEvents.ts"
import { documentsIn, rollOver } from "./OpenSearchTargets.ts"
import type { Program } from "./Program.ts"
import { isSigned, startReceiver } from "./Receiver.ts"

export interface KillsOptions {
  /** The service that the program asks. */
  readonly service: {
    readonly url: string
    readonly token: string
    readonly loadEvents: (events: ReadonlyArray<unknown>) => Promise<unknown>
  }
  readonly program: Program
  /** A data stream that exists and is empty; undefined where there is no OpenSearch. */
  readonly stream: string | undefined
  readonly events: number
  readonly kills: number
  /** Milliseconds that a process lives at most. */
  readonly maxLife: number
  /** Whether the whole content of each event is read, and changed events are passed on again. */
  readonly isWhole: boolean
  readonly onKill?: (kill: number) => void
}

export interface KillsResult {
  /** Events that are not there, or not as they were in the end. */
  readonly lost: Readonly<Record<"file" | "webhook" | "stream", number>>
  /** Documents beyond one for each version of an event. */
  readonly twiceInStream: number
  /** The most batches that the file has again after a kill. */
  readonly mostRepeatedInFile: number
  /** Batches that came to the webhook again with another content, or unsigned. */
  readonly changedBatches: number
  readonly repeatedInWebhook: number
}

/** One version of an event in a sink. */
interface Line {
  readonly uid: string
  readonly full?: boolean
  readonly event: { readonly tenant_metadata: { readonly tags: ReadonlyArray<string> } }
}

const secret = "a secret of the receiver"
const feedCommand = "feed --state kills.json --since 30d --overlap 14d --rotate 2GB --identifier".split(" ")
const day = 86_400_000

/** A backing index of the data stream takes the events of about this many kills. */
const killsPerIndex = 5

export const feedWithKills = async (options: KillsOptions): Promise<KillsResult> => {
  const { events, isWhole, kills, maxLife, onKill, program, service, stream } = options
  const client = createClient({ baseUrl: service.url, token: service.token })
  const batches = new Map<string, string>()
  let changedBatches = 0
  let repeatedInWebhook = 0
  const webhook = await startReceiver((received) => {
    const id = String(received.headers["idempotency-key"])
    const before = batches.get(id)
    if (before !== undefined) repeatedInWebhook += 1
    if (!isSigned(received, secret) || (before ?? received.body) !== received.body) changedBatches += 1
    batches.set(id, received.body)
    return { status: 204 }
  })
  const firstNumber = Date.now()
  const about = `harbourlight${firstNumber}`
  const { id } = await client.identifiers.createV2({ name: about, type: "keyword" })
  try {
    const file = join(program.folder, "kills.ndjson")
    const args = [
      ...feedCommand,
      String(id),
      ...(isWhole ? ["--full", "--changes"] : []),
      ...[
        "file:kills.ndjson",
        `webhook:${webhook.url}`,
        ...(stream === undefined ? [] : [`opensearch:${stream}`])
      ].flatMap((sink) => ["--to", sink])
    ]
    const env = { THREAT_EXPOSURE_WEBHOOK_SECRET: secret }

    const expected: Array<string> = []
    /** The events of `expected` that the tenant has tagged. */
    const tagged = new Set<string>()
    const load = async (count: number) => {
      const created = Array.from({ length: count }, (_, at) => {
        const late = at % 20 === 0 ? Math.random() * 13.9 * day : 0
        return paste({
          number: firstNumber + expected.length + at,
          about,
          severity: "high",
          at: new Date(Date.now() - late)
        })
      })
      await service.loadEvents(created)
      expected.push(...created.map(({ metadata }) => metadata.uid))
      const changes = isWhole ? count / 50 : 0
      for (let change = 0; change < changes; change += 1) {
        const uid = expected[Math.floor(Math.random() * expected.length)] ?? ""
        await client.events.annotate(uid, { tags: ["seen"] })
        tagged.add(uid)
      }
    }
    const loads = Math.min(20, Math.ceil(kills / 2))
    const perLoad = Math.ceil(events / loads)

    const sizes: Array<number> = []
    let loading = Promise.resolve()
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill % Math.floor(kills / loads) === 0 && expected.length < events) {
        await loading
        loading = load(Math.min(perLoad, events - expected.length))
      }
      if (stream !== undefined && kill % killsPerIndex === killsPerIndex - 1) await rollOver(stream)
      const { child, ended } = program.start([...args, "--every", "1s"], { env })
      await sleep(Math.random() * maxLife)
      child.kill("SIGKILL")
      await ended
      sizes.push((await stat(file).catch(() => ({ size: 0 }))).size)
      onKill?.(kill + 1)
    }
    await loading
    const last = await program.run([...args, "--once"], { env })
    if (last.code !== 0) throw new Error(`The last round ended with ${last.code}:\n${last.stderr}`)

    const ofWebhook = Array.from(batches, ([batch, body]) =>
      JSON.parse(body).events.map((line: Line) => ({ batch, line }))
    ).flat()
    const batchOf = new Map(ofWebhook.map(({ batch, line }) => [versionOf(line), batch]))
    const { inFile, mostRepeated } = readLines(await readFile(file), sizes, batchOf)
    const inStream =
      stream === undefined
        ? []
        : (await documentsIn(stream, "uid", "full", "event.tenant_metadata.tags")).map((line: Line) => versionOf(line))
    const wanted = expected.map((uid) =>
      versionOf({ uid, full: isWhole, event: { tenant_metadata: { tags: tagged.has(uid) ? ["seen"] : [] } } })
    )
    const lostIn = (versions: ReadonlySet<string>) => wanted.filter((version) => !versions.has(version)).length
    return {
      lost: {
        file: lostIn(inFile),
        webhook: lostIn(new Set(batchOf.keys())),
        stream: stream === undefined ? 0 : lostIn(new Set(inStream))
      },
      twiceInStream: inStream.length - new Set(inStream).size,
      mostRepeatedInFile: mostRepeated,
      changedBatches,
      repeatedInWebhook
    }
  } finally {
    await Promise.all([webhook.close(), client.identifiers.delete(id)])
  }
}

const versionOf = ({ event, full = false, uid }: Line): string =>
  JSON.stringify([uid, full, event.tenant_metadata.tags])

/** The versions in a file's lines, and the most batches of which it has lines again between one kill and the next. */
const readLines = (bytes: Buffer, sizes: ReadonlyArray<number>, batchOf: ReadonlyMap<string, string>) => {
  const inFile = new Set<string>()
  const repeated = new Map<number, Set<string | undefined>>()
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at)
    const version = versionOf(JSON.parse(bytes.toString("utf8", at, end)))
    if (inFile.has(version)) {
      const kill = sizes.findLastIndex((size) => size <= at)
      repeated.set(kill, (repeated.get(kill) ?? new Set()).add(batchOf.get(version)))
    }
    inFile.add(version)
    at = end + 1
  }
  return { inFile, mostRepeated: Math.max(0, ...Array.from(repeated.values(), (batches) => batches.size)) }
}

/** A feed that is killed again and again while events come in: what its sinks have in the end. */
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { paste } from "../vscode/SyntheticEvents.ts"
import type { Program } from "./Program.ts"
import { isSigned, startReceiver } from "./Receiver.ts"

export interface KillsOptions {
  /** Loads events into the service that the program asks. */
  readonly loadEvents: (events: ReadonlyArray<unknown>) => Promise<unknown>
  readonly program: Program
  /** An index that exists and is empty; undefined where there is no OpenSearch. */
  readonly index: string | undefined
  readonly events: number
  readonly kills: number
  /** Milliseconds that a process lives at most. */
  readonly maxLife: number
  /** Further flags of the feed. */
  readonly flags?: ReadonlyArray<string>
  readonly onKill?: (kill: number) => void
}

export interface KillsResult {
  readonly lost: Readonly<Record<"file" | "webhook" | "index", number>>
  /** Documents beyond one per event. */
  readonly twiceInIndex: number
  /** The most batches that the file has again after a kill. */
  readonly mostRepeatedInFile: number
  /** Batches that came to the webhook again with another content, or unsigned. */
  readonly changedBatches: number
  readonly repeatedInWebhook: number
}

/** In the text of each event, so that the query finds them alone. */
const about = "harbourlight"
const secret = "a secret of the receiver"
const feedCommand = ["feed", "--query", about, "--state", "kills.json", "--since", "30d", "--overlap", "14d"]
const day = 86_400_000

export const feedWithKills = async (options: KillsOptions): Promise<KillsResult> => {
  const { events, flags = [], index, kills, loadEvents, maxLife, onKill, program } = options
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
  try {
    const file = join(program.folder, "kills.ndjson")
    const args = [
      ...feedCommand,
      ...flags,
      ...[
        "file:kills.ndjson",
        `webhook:${webhook.url}`,
        ...(index === undefined ? [] : [`opensearch:${index}`])
      ].flatMap((sink) => ["--to", sink])
    ]
    const env = { THREAT_EXPOSURE_WEBHOOK_SECRET: secret }

    const expected: Array<string> = []
    const load = async (count: number) => {
      const created = Array.from({ length: count }, (_, at) => {
        const late = at % 20 === 0 ? Math.random() * 13.9 * day : 0
        return paste({
          number: 100_000 + expected.length + at,
          about,
          severity: "high",
          at: new Date(Date.now() - late)
        })
      })
      expected.push(...created.map(({ metadata }) => metadata.uid))
      await loadEvents(created)
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

    const batchOf = new Map<string, string>()
    for (const [id, body] of batches) for (const { uid } of JSON.parse(body).events) batchOf.set(uid, id)
    const { inFile, mostRepeated } = readLines(await readFile(file), sizes, batchOf)
    const inIndex = index === undefined ? undefined : await documentsOf(index, expected)
    const lostIn = (has: (uid: string) => boolean) => expected.filter((uid) => !has(uid)).length
    return {
      lost: {
        file: lostIn((uid) => inFile.has(uid)),
        webhook: lostIn((uid) => batchOf.has(uid)),
        index: inIndex === undefined ? 0 : lostIn((uid) => inIndex.found.has(uid))
      },
      twiceInIndex: inIndex === undefined ? 0 : inIndex.count - inFile.size,
      mostRepeatedInFile: mostRepeated,
      changedBatches,
      repeatedInWebhook
    }
  } finally {
    await webhook.close()
  }
}

/** The uids of a file's lines, and the most batches of which it has lines again between one kill and the next. */
const readLines = (bytes: Buffer, sizes: ReadonlyArray<number>, batchOf: ReadonlyMap<string, string>) => {
  const inFile = new Set<string>()
  const repeated = new Map<number, Set<string | undefined>>()
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at)
    const { uid }: { readonly uid: string } = JSON.parse(bytes.toString("utf8", at, end))
    if (inFile.has(uid)) {
      const kill = sizes.findLastIndex((size) => size <= at)
      repeated.set(kill, (repeated.get(kill) ?? new Set()).add(batchOf.get(uid)))
    }
    inFile.add(uid)
    at = end + 1
  }
  return { inFile, mostRepeated: Math.max(0, ...Array.from(repeated.values(), (batches) => batches.size)) }
}

const documentsOf = async (index: string, uids: ReadonlyArray<string>) => {
  const ask = async (path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(`${index}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`)
    return answer.json()
  }
  await ask("_refresh")
  const { count } = await ask("_count")
  const found = new Set<string>()
  for (let at = 0; at < uids.length; at += 5_000) {
    const { docs } = await ask("_mget?_source=false", { ids: uids.slice(at, at + 5_000) })
    for (const { _id, found: exists } of docs) if (exists) found.add(_id)
  }
  return { count: Number(count), found }
}

/** Creates an index whose documents are kept and not indexed by field; returns its address. */
export const createIndex = async (node: string, name: string): Promise<string> => {
  const answer = await fetch(`${node}/${name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      settings: { number_of_replicas: 0 },
      mappings: { dynamic: false, properties: { uid: { type: "keyword" } } }
    })
  })
  if (!answer.ok) throw new Error(`The index ${name} could not be created: ${answer.status} ${await answer.text()}`)
  return `${node}/${name}`
}

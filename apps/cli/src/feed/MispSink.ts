/**
 * A feed folder of MISP: one event per item, a manifest, and the hashes of all values.
 *
 * MISP reads an event again only if its timestamp in the manifest has increased. No attribute is an indicator (IDS
 * flag): accounts and addresses belong to victims.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { durableFiles } from "../output/DurableFiles.ts"
import { writeFailure } from "../output/FileFailure.ts"
import { jsonText } from "../output/Output.ts"
import { UsageInvalid } from "../request/UsageInvalid.ts"
import { shortenLine } from "./Digest.ts"
import type { FeedItem } from "./FeedState.ts"
import { emailAddress, type Summary, type Tlp } from "./Found.ts"
import { deliveredAll, type Sink, SinkBusy } from "./Sink.ts"
import { fileFault, fileLock } from "../output/FileLock.ts"
import { uuid5 } from "./Uuid.ts"

interface MispOptions {
  readonly folder: string
  readonly tlp: Tlp | undefined
}

export const mispSink = Effect.fnUntraced(function* (name: string, { folder, tlp }: MispOptions) {
  const files = yield* FileSystem.FileSystem
  const { replace } = yield* durableFiles
  const whileLocked = yield* fileLock
  yield* Effect.mapError(
    files.makeDirectory(folder, { recursive: true, mode: 0o700 }),
    ({ reason }) => new UsageInvalid({ message: `--to: ${folder} ${writeFailure(reason)}` })
  )
  const manifestFile = join(folder, "manifest.json")
  const hashFile = join(folder, "hashes.csv")

  const readIfThere = (file: string, otherwise: string) =>
    Effect.catchIf(
      files.readFileString(file),
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(otherwise)
    )

  const write = Effect.fnUntraced(function* (items: ReadonlyArray<FeedItem>) {
    const manifest = yield* Effect.mapError(
      Effect.flatMap(readIfThere(manifestFile, "{}"), Schema.decodeEffect(ManifestText)),
      () => new SinkBusy({ reason: `${manifestFile} is not a manifest of MISP: repair it, or give another folder` })
    )
    const events = new Map<string, MispEvent>()
    for (const item of items) {
      const uuid = uuid5(namespace, item.uid)
      events.set(uuid, eventOf(uuid, item, { before: manifest[uuid]?.timestamp, tlp }))
    }
    yield* Effect.forEach(
      events,
      ([uuid, event]) => replace(join(folder, `${uuid}.json`), jsonText({ Event: event })),
      { concurrency: 8, discard: true }
    )
    const hashes = (yield* readIfThere(hashFile, ""))
      .split("\n")
      .filter((line) => line !== "" && !events.has(line.slice(line.indexOf(",") + 1)))
    for (const [uuid, { Attribute }] of events) {
      for (const { value } of Attribute) hashes.push(`${createHash("md5").update(value).digest("hex")},${uuid}`)
    }
    yield* replace(hashFile, `${hashes.join("\n")}\n`)
    // The manifest is written last, so that it names only complete events.
    yield* replace(
      manifestFile,
      jsonText({
        ...manifest,
        ...Object.fromEntries(Array.from(events, ([uuid, event]) => [uuid, entryOf(event)]))
      })
    )
  })

  const sink: Sink = {
    name,
    send: Effect.fn("MispSink.send")(function* ({ items }) {
      yield* whileLocked(manifestFile, write(items)).pipe(
        Effect.catchTag(["PlatformError", "FileLocked"], (failure) =>
          Effect.fail(new SinkBusy({ reason: `${folder} ${fileFault(failure)}` }))
        )
      )
      return deliveredAll
    })
  }
  return sink
})

const ManifestText = Schema.fromJsonString(
  Schema.Record(
    Schema.String,
    Schema.StructWithRest(Schema.Struct({ timestamp: Schema.Finite }), [Schema.Record(Schema.String, Schema.Unknown)])
  )
)

type MispEvent = ReturnType<typeof eventOf>

interface Version {
  /** Timestamp of the event in the manifest; undefined for a new event. */
  readonly before: number | undefined
  readonly tlp: Tlp | undefined
}

/** Numbers are strings in an event; in the manifest they are numbers. */
const eventOf = (uuid: string, { summary, time, uid, version }: FeedItem, { before, tlp }: Version) => {
  const created = Math.floor((time ?? 0) / 1000)
  const timestamp =
    version === undefined
      ? (before ?? created)
      : Math.max(Math.floor(Date.parse(version) / 1000), (before ?? created) + 1)
  const attribute = (type: string, category: string, value: string, comment: string, key = `${type} ${value}`) => ({
    uuid: uuid5(uuid, key),
    type,
    category,
    value,
    comment,
    to_ids: false,
    timestamp: String(timestamp)
  })
  const account = summary?.account
  return {
    uuid,
    info: shortenLine(summary?.title ?? "", maxInfo) || shortenLine(uid, maxInfo),
    date: new Date(created * 1000).toISOString().slice(0, 10),
    analysis: "2",
    threat_level_id: String(threatLevels[summary?.severity ?? ""] ?? 4),
    timestamp: String(timestamp),
    publish_timestamp: String(timestamp),
    published: true,
    Orgc: organisation,
    Tag: tagsOf(summary, tlp),
    Attribute: [
      attribute("text", "Internal reference", uid, "UID of the event"),
      ...(summary?.link === undefined
        ? []
        : [attribute("link", "External analysis", summary.link, "The event at the service")]),
      ...(account === undefined
        ? []
        : [
            attribute(
              emailAddress.test(account.name) ? "target-email" : "target-user",
              "Targeting data",
              account.name,
              "The account that leaked"
            )
          ]),
      // MISP keeps attributes that a later version lacks, so the note has one id whatever it says.
      ...(summary?.note === undefined
        ? []
        : [attribute("comment", "Internal reference", summary.note, "The tenant's note", "note")])
    ]
  }
}

const entryOf = ({ analysis, date, info, Orgc, Tag, threat_level_id, timestamp }: MispEvent) => ({
  Orgc,
  Tag,
  info,
  date,
  analysis: Number(analysis),
  threat_level_id: Number(threat_level_id),
  timestamp: Number(timestamp)
})

const namespace = uuid5("6ba7b811-9dad-11d1-80b4-00c04fd430c8", "https://github.com/threat-exposure/threat-exposure")

const organisation = { name: "Threat Exposure", uuid: uuid5(namespace, "Threat Exposure") }

/** Maximum length in characters: MISP's database rejects more than 65,535 bytes. */
const maxInfo = 1_000

/** Threat levels of MISP: 1 high, 2 medium, 3 low; 4 is undefined. */
const threatLevels: Readonly<Record<string, number>> = { critical: 1, high: 1, medium: 2, low: 3, info: 3 }

const tagsOf = (summary: Summary | undefined, tlp: Tlp | undefined) => [
  ...(tlp === undefined ? [] : [{ name: `tlp:${tlp}`, colour: tlpColours[tlp] }]),
  ...Object.entries({ type: summary?.type, severity: summary?.severity, status: summary?.status }).flatMap(
    ([predicate, value = ""]) => (value === "" ? [] : [tagOf(predicate, value.replaceAll(/[^\w-]/gu, "_"))])
  ),
  ...(summary?.tags ?? []).map((tag) => tagOf("tag", shortenLine(tag.replaceAll('"', "'"), maxTag)))
]

const tagOf = (predicate: string, value: string) => ({
  name: `threat-exposure:${predicate}="${value}"`,
  colour: "#6a7b8c"
})

/** Maximum length in characters: MISP's column has 255. */
const maxTag = 150

/** Colours of MISP's TLP taxonomy. */
const tlpColours: Readonly<Record<Tlp, string>> = {
  clear: "#ffffff",
  green: "#339900",
  amber: "#ffc000",
  "amber+strict": "#ffc000",
  red: "#cc0033"
}

import { createHash } from "node:crypto"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import type { FeedItem } from "@threat-exposure/cli/feed/FeedState"
import { mispSink } from "@threat-exposure/cli/feed/MispSink"
import { Effect, FileSystem } from "effect"
import { summaryWith } from "./FeedDoubles.ts"

const time = Date.parse("2026-11-20T08:00:00.250Z")

const itemOf = (uid: string, more: Partial<FeedItem> = {}): FeedItem => ({
  uid,
  line: "{}",
  time,
  summary: { ...summaryWith("high"), link: "https://exposure.example.com/events/1" },
  ...more
})

const inFolder = Effect.fnUntraced(function* (tlp?: "amber+strict") {
  const files = yield* FileSystem.FileSystem
  const folder = `${yield* files.makeTempDirectoryScoped()}/feeds/misp`
  const sink = yield* mispSink("misp", { folder, tlp })
  const json = (name: string) => Effect.map(files.readFileString(`${folder}/${name}`), (text): any => JSON.parse(text))
  return {
    files,
    folder,
    sink,
    send: (...items: ReadonlyArray<FeedItem>) => sink.send({ id: "b", isRepeat: false, items }),
    manifest: json("manifest.json"),
    eventOf: (uuid: string) => Effect.map(json(`${uuid}.json`), ({ Event }) => Event),
    hashes: Effect.map(files.readFileString(`${folder}/hashes.csv`), (text) => text.trimEnd().split("\n"))
  }
})

const run = <A, E>(effect: Effect.Effect<A, E, FileSystem.FileSystem | import("effect/Scope").Scope>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("a feed folder of MISP", () => {
  it.effect("has the tags and the note of the tenant, and replaces the note", () =>
    run(
      Effect.gen(function* () {
        const { eventOf, manifest, send } = yield* inFolder()
        const annotated = (note: string) =>
          itemOf("paste/x/1", { summary: { ...summaryWith("high"), tags: ['a "b"'], note } })
        const noteNow = Effect.gen(function* () {
          const [uuid = ""] = Object.keys(yield* manifest)
          const { Attribute, Tag } = yield* eventOf(uuid)
          assert.include(
            Tag.map(({ name }: { readonly name: string }) => name),
            `threat-exposure:tag="a 'b'"`
          )
          return Attribute.find(({ type }: { readonly type: string }) => type === "comment")
        })
        yield* send(annotated("called the owner"))
        const before = yield* noteNow
        yield* send({ ...annotated("closed"), version: "2026-11-21T08:00:00.000Z" })
        const after = yield* noteNow
        assert.deepStrictEqual([before.value, after.value], ["called the owner", "closed"])
        assert.strictEqual(after.uuid, before.uuid)
      })
    )
  )

  it.effect("has an event for each item, the manifest, and the hash of each value", () =>
    run(
      Effect.gen(function* () {
        const { eventOf, files, folder, hashes, manifest, send } = yield* inFolder("amber+strict")
        yield* send(itemOf("paste/x/1"), itemOf("paste/x/2", { summary: summaryWith("dire") }))
        const entries = Object.entries(yield* manifest)
        assert.lengthOf(entries, 2)
        const [[uuid, entry] = ["", undefined]] = entries
        const event = yield* eventOf(uuid)
        assert.deepInclude(event, {
          uuid,
          info: "fresh mail access",
          date: "2026-11-20",
          timestamp: String(Math.floor(time / 1000)),
          threat_level_id: "1",
          analysis: "2",
          published: true
        })
        assert.deepStrictEqual(entry, {
          Orgc: event.Orgc,
          Tag: event.Tag,
          info: event.info,
          date: event.date,
          analysis: 2,
          threat_level_id: 1,
          timestamp: Math.floor(time / 1000)
        })
        assert.deepStrictEqual(
          event.Tag.map(({ name }: { readonly name: string }) => name),
          [
            "tlp:amber+strict",
            'threat-exposure:type="paste"',
            'threat-exposure:severity="high"',
            'threat-exposure:status="new"'
          ]
        )
        const listed: ReadonlyArray<string> = yield* hashes
        for (const { to_ids, value } of event.Attribute) {
          assert.isFalse(to_ids)
          assert.include(listed, `${createHash("md5").update(value).digest("hex")},${uuid}`)
        }
        assert.strictEqual((yield* files.stat(`${folder}/manifest.json`)).mode & 0o777, 0o600)
        assert.isEmpty((yield* files.readDirectory(folder)).filter((name) => name.endsWith(".tmp")))
      })
    )
  )

  it.effect("names an account as a target, and no address of a victim as an indicator", () =>
    run(
      Effect.gen(function* () {
        const { eventOf, manifest, send } = yield* inFolder()
        const account = (name: string) => ({ summary: { ...summaryWith("high"), account: { name } } })
        yield* send(itemOf("credential/1", account("jane@example.com")), itemOf("credential/2", account("jane")))
        const events = yield* Effect.forEach(Object.keys(yield* manifest), eventOf)
        assert.deepStrictEqual(
          events.map(({ Attribute }) => [Attribute.at(-1).type, Attribute.at(-1).value, Attribute.at(-1).category]),
          [
            ["target-email", "jane@example.com", "Targeting data"],
            ["target-user", "jane", "Targeting data"]
          ]
        )
        assert.isTrue(events.every(({ Attribute }) => Attribute.every(({ to_ids }: any) => to_ids === false)))
      })
    )
  )

  it.effect("has one short line of well-formed text as the info of an event, whatever its title is", () =>
    run(
      Effect.gen(function* () {
        const { eventOf, manifest, send } = yield* inFolder()
        const titles = ["a\r\nb", "x".repeat(200_000), "\ud800", " "]
        yield* send(
          ...titles.map((title, at) => itemOf(`paste/x/${at}`, { summary: { ...summaryWith("low"), title } }))
        )
        const events = yield* Effect.forEach(Object.keys(yield* manifest), eventOf)
        assert.deepStrictEqual(
          events.map(({ info }) => info),
          ["a b", `${"x".repeat(999)}…`, "\ufffd", "paste/x/3"]
        )
      })
    )
  )

  it.effect("raises the timestamp with each change, and keeps it when a batch is repeated", () =>
    run(
      Effect.gen(function* () {
        const { eventOf, hashes, manifest, send } = yield* inFolder()
        const timestamp = Effect.map(manifest, (entries) => Object.values<any>(entries)[0].timestamp)
        yield* send(itemOf("paste/x/1"), itemOf("paste/x/2"))
        const before = yield* hashes
        const first = yield* timestamp
        yield* send(itemOf("paste/x/1"))
        assert.strictEqual(yield* timestamp, first)
        const summary = { ...summaryWith("high"), status: "remediated" as const, changed: ["status"] }
        const change = { ...itemOf("paste/x/1"), summary, version: "2026-11-25T08:00:00.000Z" }
        yield* send(change)
        assert.strictEqual(yield* timestamp, Date.parse(change.version) / 1000)
        // Two changes within one second.
        yield* send({ ...change, version: "2026-11-25T08:00:00.400Z" })
        assert.strictEqual(yield* timestamp, Date.parse(change.version) / 1000 + 1)
        const entries = yield* manifest
        assert.lengthOf(Object.keys(entries), 2)
        const event = yield* eventOf(Object.keys(entries)[0] ?? "")
        assert.include(
          event.Tag.map(({ name }: any) => name),
          'threat-exposure:status="remediated"'
        )
        assert.lengthOf(yield* hashes, before.length - 1, "the change has no link, and no value twice")
      })
    )
  )

  it.live("keeps the events of several feeds that write to it at once", () =>
    run(
      Effect.gen(function* () {
        const { folder, hashes, manifest } = yield* inFolder()
        const feeds = Array.from({ length: 6 }, (_, number) => number)
        yield* Effect.forEach(
          feeds,
          Effect.fnUntraced(function* (feed) {
            const sink = yield* mispSink("misp", { folder, tlp: undefined })
            for (const number of [1, 2, 3]) {
              yield* sink.send({ id: "b", isRepeat: false, items: [itemOf(`paste/${feed}/${number}`)] })
            }
          }),
          { concurrency: "unbounded", discard: true }
        )
        assert.lengthOf(Object.keys(yield* manifest), 18)
        assert.lengthOf(new Set((yield* hashes).map((line) => line.split(",")[1])), 18)
      })
    )
  )

  it.effect("waits if the manifest is not one, and does not change it", () =>
    run(
      Effect.gen(function* () {
        const { files, folder, send } = yield* inFolder()
        for (const text of ["{", "[]", '{"a":{"timestamp":"1"}}']) {
          yield* files.writeFileString(`${folder}/manifest.json`, text)
          const failure = yield* Effect.flip(send(itemOf("a")))
          assert.include(failure.message, "manifest.json is not a manifest of MISP")
          assert.strictEqual(yield* files.readFileString(`${folder}/manifest.json`), text)
        }
      })
    )
  )

  it.effect("is refused at the start if the folder cannot be created", () =>
    run(
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const file = yield* files.makeTempFileScoped()
        const { message } = yield* Effect.flip(mispSink("misp", { folder: `${file}/misp`, tlp: undefined }))
        assert.match(message, /^--to: .* cannot be written \(.*\): check its folder, permissions and disk/u)
      })
    )
  )
})

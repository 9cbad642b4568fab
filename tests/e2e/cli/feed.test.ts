/** The feed against the real service: nothing lost, nothing twice. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type SampleService, startSampleService } from "@threat-exposure/tools/SampleService"
import { paste } from "../vscode/SyntheticEvents.ts"
import { makeProgram, type Program } from "./Program.ts"
import { Index, isSigned, type Receiver, startReceiver } from "./Receiver.ts"

const day = 86_400_000
const webhookSecret = "a secret of the receiver"

describe("the feed", () => {
  let service: SampleService
  let program: Program
  const receivers: Array<Receiver> = []
  let number = 0

  const receiver = async (...args: Parameters<typeof startReceiver>) => {
    const started = await startReceiver(...args)
    receivers.push(started)
    return started
  }

  /** Loads new events, created that many days ago. */
  const load = async (count: number, daysAgo: number) => {
    const events = Array.from({ length: count }, () =>
      paste({ number: number++, severity: "high", at: new Date(Date.now() - daysAgo * day) })
    )
    await service.loadEvents(events)
  }

  const feed = ["feed", "--query", "quaymaster", "--state", "feed.json", "--since", "30d"]

  const linesOf = async (name: string): Promise<ReadonlyArray<{ readonly uid: string; readonly event: unknown }>> => {
    const text = await readFile(join(program.folder, name), "utf8").catch(() => "")
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }

  const uidsIn = async (name: string) => (await linesOf(name)).map(({ uid }) => uid)

  beforeAll(async () => {
    service = await startSampleService()
  })
  afterAll(() => service?.stop())
  beforeEach(async () => {
    program = await makeProgram({
      THREAT_EXPOSURE_BASE_URL: service.address,
      THREAT_EXPOSURE_TOKEN: service.token,
      THREAT_EXPOSURE_WEBHOOK_SECRET: webhookSecret
    })
  })
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map(({ close }) => close()))
    await program.remove()
  })

  it("sends what is new to every sink, and events that arrive late as well", async () => {
    const index = new Index()
    const openSearch = await receiver(index.bulk)
    const webhook = await receiver(() => ({ status: 204 }))
    const sinks = [
      "--to",
      "file:out.ndjson",
      "--to",
      `opensearch:${openSearch.url}/leaks`,
      "--to",
      `webhook:${webhook.url}/in`
    ]
    await load(600, 1)
    const first = await program.run([...feed, ...sinks, "--once"])
    assert.strictEqual(first.code, 0, first.stderr)
    const uids = await uidsIn("out.ndjson")
    assert.strictEqual(new Set(uids).size, uids.length)
    assert.isAtLeast(uids.length, 600)
    assert.strictEqual(index.writes.size, uids.length)
    assert.isTrue(webhook.taken.every((received) => isSigned(received, webhookSecret)))
    const batches = webhook.taken.map(({ body }) => JSON.parse(body))
    assert.isTrue(batches.every(({ events }) => events.length <= 500))
    assert.deepStrictEqual(
      webhook.taken.map(({ headers }) => headers["idempotency-key"]),
      batches.map(({ batch }) => batch)
    )
    assert.strictEqual((await stat(join(program.folder, "feed.json"))).mode & 0o777, 0o600)

    await load(3, 10)
    await load(2, 0)
    const second = await program.run([...feed, ...sinks, "--once"])
    assert.strictEqual(second.code, 0, second.stderr)
    const all = await uidsIn("out.ndjson")
    assert.strictEqual(all.length, uids.length + 5)
    assert.strictEqual(new Set(all).size, all.length)
    assert.deepStrictEqual(
      [...index.writes.values()].filter((writes) => writes > 1),
      []
    )
  })

  it("loses nothing when it is killed at any moment", async () => {
    const index = new Index()
    const openSearch = await receiver(index.bulk)
    const args = [...feed, "--to", "file:out.ndjson", "--to", `opensearch:${openSearch.url}/leaks`]
    const kills = 10
    for (let kill = 0; kill < kills; kill += 1) {
      const { child, ended } = program.start([...args, "--every", "1s"])
      await load(190, 0)
      await load(10, 1 + kill)
      // From before its first request to after its first round.
      await sleep(kill * 150)
      child.kill("SIGKILL")
      await ended
    }
    const last = await program.run([...args, "--once"])
    assert.strictEqual(last.code, 0, last.stderr)
    const distinct = new Set(await uidsIn("out.ndjson"))
    const expected = await program.run(["export", "events", "--query", "quaymaster", "--to", "all.ndjson"])
    assert.strictEqual(expected.code, 0, expected.stderr)
    const all = (await readFile(join(program.folder, "all.ndjson"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).metadata.uid)
    assert.deepStrictEqual([...distinct].toSorted(), all.toSorted())
    assert.deepStrictEqual([...index.writes.keys()].toSorted(), all.toSorted())
  })

  it("sends the same batch again under the same id to a sink that was away, while the others go on", async () => {
    let isAway = true
    const bodies: Array<string> = []
    const webhook = await receiver(({ body }) => {
      bodies.push(body)
      return { status: isAway ? 503 : 200 }
    })
    await load(5, 0)
    const args = [...feed, "--to", "file:out.ndjson", "--to", `webhook:${webhook.url}`, "--once", "--retry-for", "1s"]
    const away = await program.run(args)
    assert.strictEqual(away.code, 3, away.stderr)
    assert.include(away.stderr, webhook.url)
    assert.isAtLeast((await linesOf("out.ndjson")).length, 5)
    isAway = false
    const back = await program.run(args)
    assert.strictEqual(back.code, 0, back.stderr)
    assert.strictEqual(new Set(bodies).size, webhook.taken.length)
  })

  it("halves a batch that is too large, and keeps what a sink will never take as dead letters", async () => {
    await load(20, 0)
    const refused = new Set<string>()
    const webhook = await receiver(({ body }) => {
      const { events } = JSON.parse(body)
      if (events.length > 4) return { status: 413 }
      if (events.some(({ uid }: { readonly uid: string }) => uid.endsWith("7"))) {
        for (const { uid } of events) if (events.length === 1) refused.add(uid)
        return { status: 400 }
      }
      return { status: 200 }
    })
    const args = [...feed, "--to", `webhook:${webhook.url}`, "--once"]
    const stopped = await program.run(args)
    assert.strictEqual(stopped.code, 3)
    assert.include(stopped.stderr, "--dead-letter")
    const done = await program.run([...args, "--dead-letter", "dead.ndjson"])
    assert.strictEqual(done.code, 0, done.stderr)
    assert.isAbove(refused.size, 0)
    const dead = (await readFile(join(program.folder, "dead.ndjson"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(new Set(dead.map(({ uid }) => uid)), refused)
    assert.isTrue(
      dead.every(({ event, reason, sink }) => event.uid !== undefined && reason !== "" && sink.startsWith("webhook:"))
    )
  })

  it("tells an unreachable service (5), and keeps its state", async () => {
    const args = [...feed, "--to", "file:out.ndjson", "--once"]
    assert.strictEqual((await program.run(args)).code, 0)
    const before = await readFile(join(program.folder, "feed.json"), "utf8")
    const unreachable = await program.run([...args], { env: { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" } })
    assert.strictEqual(unreachable.code, 2, "another service is another query")
    assert.strictEqual(await readFile(join(program.folder, "feed.json"), "utf8"), before)
    const first = await program.run(["feed", "--to", "-", "--state", "new.json", "--once"], {
      env: { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" }
    })
    assert.strictEqual(first.code, 5, first.stderr)
  })

  it.each(["", "{}", '{"version":1'])("refuses the state %j, and does not change it", async (content) => {
    const file = join(program.folder, "feed.json")
    await writeFile(file, content)
    const { code, stderr } = await program.run([...feed, "--to", "-", "--once"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "damaged")
    assert.strictEqual(await readFile(file, "utf8"), content)
    assert.deepStrictEqual(await readdir(program.folder), ["feed.json"])
  })

  it("refuses a second process on one state, and goes on after the first was killed", async () => {
    const args = [...feed, "--to", "file:out.ndjson"]
    const { child, ended } = program.start([...args, "--every", "1h"])
    while ((await linesOf("out.ndjson")).length === 0) await sleep(50)
    const second = await program.run([...args, "--once"])
    assert.strictEqual(second.code, 2)
    assert.include(second.stderr, "another process")
    child.kill("SIGKILL")
    await ended
    assert.strictEqual((await program.run([...args, "--once"])).code, 0)
  })
})

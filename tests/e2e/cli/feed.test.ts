/** The feed against the real service: nothing lost, nothing twice. */
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:https"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { makeCertificate, openssl } from "../Certificate.ts"
import { paste } from "../vscode/SyntheticEvents.ts"
import { makeProgram, type Program } from "./Program.ts"
import { feedWithKills } from "./FeedKills.ts"
import { createDataStream, createIndex } from "./OpenSearchTargets.ts"
import { isSigned, type Receiver, startReceiver } from "./Receiver.ts"

const day = 86_400_000
const webhookSecret = "a secret of the receiver"
const splunkToken = "a token of the collector"
const openSearch = await openSearchNode()
const isLong = process.env["LONG_PROPERTIES"] === "true"

interface Line {
  readonly uid: string
  readonly event: unknown
}

interface Found {
  readonly hits: { readonly hits: ReadonlyArray<{ readonly _id: string; readonly _source: Line }> }
}

const sinks = (...names: ReadonlyArray<string>) => names.flatMap((name) => ["--to", name])
const byUid = (a: Line, b: Line) => (a.uid < b.uid ? -1 : 1)

describe("the feed", () => {
  let service: RunningService
  let program: Program
  const receivers: Array<Receiver> = []
  let number = 0
  let about = ""

  const receiver = async (...args: Parameters<typeof startReceiver>) => {
    const started = await startReceiver(...args)
    receivers.push(started)
    return started
  }

  const loadEvents = (events: ReadonlyArray<unknown>) => service.load("events", events)

  /** Loads new events about the word of this test, created that many days ago. */
  const load = async (count: number, daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * day)
    await loadEvents(Array.from({ length: count }, () => paste({ number: number++, severity: "high", at, about })))
  }

  const feed = () => ["feed", "--query", about, "--state", "feed.json", "--since", "30d"]

  const linesOf = async (name: string): Promise<ReadonlyArray<Line>> => {
    const text = await readFile(join(program.folder, name), "utf8").catch(() => "")
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }

  const uidsIn = async (name: string) => (await linesOf(name)).map(({ uid }) => uid)

  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.stop())
  beforeEach(async () => {
    about = `subject${number++}`
    program = await makeProgram({
      THREAT_EXPOSURE_BASE_URL: service.url,
      THREAT_EXPOSURE_TOKEN: service.token,
      THREAT_EXPOSURE_WEBHOOK_SECRET: webhookSecret
    })
  })
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map(({ close }) => close()))
    await program.remove()
  })

  describe.skipIf("missing" in openSearch)("missing" in openSearch ? openSearch.missing : "with OpenSearch", () => {
    const newIndex = (name: string) =>
      "missing" in openSearch
        ? assert.fail(openSearch.missing)
        : createIndex(openSearch.url, `${openSearch.prefix}-${name}`)

    it("sends what is new to every sink, and events that arrive late as well", async () => {
      const index = await newIndex("sinks")
      const webhook = await receiver(() => ({ status: 204 }))
      const splunk = await receiver(() => ({ status: 200, body: { text: "Success", code: 0 } }))
      const run = () =>
        program.run(
          [
            ...feed(),
            ...sinks("file:out.ndjson", `opensearch:${index}`, `webhook:${webhook.url}/in`, `splunk-hec:${splunk.url}`),
            "--once"
          ],
          { env: { THREAT_EXPOSURE_SPLUNK_TOKEN: splunkToken } }
        )
      const search = async () => {
        await fetch(`${index}/_refresh`, { method: "POST" })
        const answer = await fetch(`${index}/_search?size=1000`)
        const { hits }: Found = JSON.parse(await answer.text())
        return hits.hits
      }
      await load(130, 1)
      const first = await run()
      assert.strictEqual(first.code, 0, first.stderr)
      const lines = [...(await linesOf("out.ndjson"))]
      const uids = lines.map(({ uid }) => uid)
      assert.strictEqual(new Set(uids).size, 130)
      assert.strictEqual(uids.length, 130)
      const documents = await search()
      assert.deepStrictEqual(documents.map(({ _id }) => _id).toSorted(), uids.toSorted())
      assert.deepStrictEqual(documents.map(({ _source }) => _source).toSorted(byUid), lines.toSorted(byUid))

      assert.isTrue(webhook.taken.every((received) => isSigned(received, webhookSecret)))
      const batches = webhook.taken.map(({ body }) => JSON.parse(body))
      assert.deepStrictEqual(
        batches.flatMap(({ events }) => events),
        lines
      )
      assert.deepStrictEqual(
        webhook.taken.map(({ headers }) => headers["idempotency-key"]),
        batches.map(({ batch }) => batch)
      )

      assert.isTrue(
        splunk.taken.every(
          ({ headers, path }) =>
            path === "/services/collector/event" && headers.authorization === `Splunk ${splunkToken}`
        )
      )
      const collected = splunk.taken.flatMap(({ body }) => body.split("\n").map((line) => JSON.parse(line)))
      assert.deepStrictEqual(
        collected.map(({ event }) => event),
        lines
      )
      for (const { event, host, source, sourcetype, time } of collected) {
        assert.strictEqual(time, Date.parse(event.event.metadata.estimated_created_at) / 1000)
        assert.deepStrictEqual([host, source, sourcetype], ["127.0.0.1", "threat-exposure feed", "threat_exposure"])
      }
      assert.strictEqual((await stat(join(program.folder, "feed.json"))).mode & 0o777, 0o600)

      await load(3, 10)
      await load(2, 0)
      const second = await run()
      assert.strictEqual(second.code, 0, second.stderr)
      const all = await uidsIn("out.ndjson")
      assert.strictEqual(all.length, 135)
      assert.strictEqual(new Set(all).size, 135)
      assert.deepStrictEqual((await search()).map(({ _id }) => _id).toSorted(), all.toSorted())
    })

    it.each(isLong ? [false, true] : [true])(
      "loses nothing when it is killed at any moment, and repeats a batch in a file at most (whole events and changes: %s)",
      async (isWhole) => {
        if ("missing" in openSearch) return assert.fail(openSearch.missing)
        const size = isLong ? { kills: 10, events: 2_000 } : { kills: 3, events: 250 }
        const { repeatedInWebhook: _, ...result } = await feedWithKills({
          service: { ...service, loadEvents },
          program,
          stream: await createDataStream(openSearch.url, `${openSearch.prefix}-kills-${isWhole}`),
          ...size,
          maxLife: 2_000,
          isWhole
        })
        assert.isAtMost(result.mostRepeatedInFile, 1)
        assert.deepStrictEqual(
          { ...result, mostRepeatedInFile: 0 },
          { lost: { file: 0, webhook: 0, stream: 0 }, twiceInStream: 0, mostRepeatedInFile: 0, changedBatches: 0 }
        )
      }
    )
  })

  it.skipIf(process.platform !== "linux").each(["/dev/full", "closed"] as const)(
    "ends when standard output is closed, and sends it later (%s)",
    async (output) => {
      await load(3, 1)
      const args = [...feed(), "--to", "-"]
      const { code, stderr } = await program.start(args, { output }).ended
      assert.strictEqual(code, 3)
      assert.include(stderr, "standard output is closed. Its batches wait in the state")
      const { stdout } = await program.run([...args, "--once"])
      assert.lengthOf(stdout.trimEnd().split("\n"), 3)
    }
  )

  it("finds events that arrived before the position of a killed process, with the next overlap that it pays for", async () => {
    const args = [...feed(), "--to", "file:out.ndjson", "--once"]
    await load(20, 1)
    const first = await program.run(args)
    assert.strictEqual(first.code, 0, first.stderr)
    await load(3, 10)
    const file = join(program.folder, "feed.json")
    const state = JSON.parse(await readFile(file, "utf8"))
    const answer = await fetch(`${service.url}/svc/v4/events/global/_search`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        query: { type: "query_string", query_string: about },
        filters: { estimated_created_at: { gte: state.start } },
        order: "asc",
        size: 10
      })
    })
    const { items, next } = JSON.parse(await answer.text())
    assert.lengthOf(items, 10)
    state.positions = { events: { began: Date.now(), since: state.start, from: next } }
    await writeFile(file, JSON.stringify(state))
    for (const count of [20, 23]) {
      const { code, stderr } = await program.run(args)
      assert.strictEqual(code, 0, stderr)
      assert.strictEqual(new Set(await uidsIn("out.ndjson")).size, count)
    }
  })

  it("sends nothing again when the overlap becomes longer", async () => {
    await load(2, 20)
    await load(2, 1)
    for (const overlap of ["14d", "25d"]) {
      const { code, stderr } = await program.run([...feed(), "--to", "file:out.ndjson", "--once", "--overlap", overlap])
      assert.strictEqual(code, 0, stderr)
    }
    assert.lengthOf(await uidsIn("out.ndjson"), 4)
  })

  it.each([
    ["the state", ["--to", "file:feed.json"]],
    ["the dead letters", ["--to", "file:out.ndjson", "--dead-letter", "./out.ndjson"]],
    ["another sink", ["--to", "file:out.ndjson", "--to", "file:./out.ndjson"]]
  ])("refuses a sink that is the file of %s (2)", async (_what, flags) => {
    const { code, stderr } = await program.run([...feed(), ...flags, "--once"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /a sink is given twice, or has the file of .*\.(?:nd)?json$/mu)
    assert.deepStrictEqual(await readdir(program.folder), [])
  })

  it("reads a listing again whose saved position the service no longer accepts", async () => {
    await load(3, 5)
    const args = [...feed(), "--to", "file:out.ndjson", "--once"]
    assert.strictEqual((await program.run(args)).code, 0)
    const file = join(program.folder, "feed.json")
    const state = JSON.parse(await readFile(file, "utf8"))
    const began = Date.now() - day
    await writeFile(
      file,
      JSON.stringify({ ...state, positions: { events: { began, since: state.start, from: "of another key" } } })
    )
    await load(2, 6)
    const { code, stderr } = await program.run(args)
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "no longer accepts the saved position")
    const uids = await uidsIn("out.ndjson")
    assert.lengthOf(uids, 5)
    assert.lengthOf(new Set(uids), 5)
  })

  it("sends the same batch again under the same id to a sink that was unreachable, while the others continue", async () => {
    let isAway = true
    const bodies: Array<string> = []
    const webhook = await receiver(({ body }) => {
      bodies.push(body)
      return { status: isAway ? 503 : 200 }
    })
    await load(5, 0)
    const args = [...feed(), "--to", "file:out.ndjson", "--to", `webhook:${webhook.url}`, "--once", "--retry-for", "1s"]
    const away = await program.run(args)
    assert.strictEqual(away.code, 3, away.stderr)
    assert.include(away.stderr, webhook.url)
    assert.lengthOf(await linesOf("out.ndjson"), 5)
    isAway = false
    const back = await program.run(args)
    assert.strictEqual(back.code, 0, back.stderr)
    assert.strictEqual(new Set(bodies).size, webhook.taken.length)
  })

  it("sends one digest a round to a chat channel, also for what an outage of it held back, and a folder to MISP", async () => {
    let isAway = false
    const chat = await receiver(() => ({ status: isAway ? 503 : 200 }))
    await load(12, 1)
    const targets = sinks(`slack:${chat.url}/services/T0`, `teams:${chat.url}/run`, "misp:misp")
    const flags = [...feed(), ...targets, "--once", "--retry-for", "1s", "--tlp", "green"]
    const run = (code: number) =>
      program.run(flags).then((result) => assert.strictEqual(result.code, code, result.stderr))
    const messages = (path: string) => chat.taken.filter((received) => received.path === path).map(({ body }) => body)
    await run(0)
    isAway = true
    await load(3, 0)
    await run(3)
    isAway = false
    await load(2, 0)
    await run(0)
    await run(0)
    for (const path of ["/services/T0", "/run"]) {
      const [first, second, ...more] = messages(path)
      assert.include(first, "12 new items (TLP:GREEN)")
      assert.include(second, "5 new items (TLP:GREEN)")
      assert.deepStrictEqual(more, [])
    }
    const manifest = JSON.parse(await readFile(join(program.folder, "misp/manifest.json"), "utf8"))
    assert.lengthOf(Object.keys(manifest), 17)
  })

  it("says once which sink fails, why, and that it is tried again, and when it works again", async () => {
    let attempts = 0
    const webhook = await receiver(() => ({ status: ++attempts < 3 ? 503 : 200 }))
    const gone = await receiver(() => ({ status: 200 }))
    await gone.close()
    await load(1, 0)
    const targets = sinks(`webhook:${webhook.url}`, `opensearch:${gone.url}/events`)
    const { code, stderr } = await program.run([...feed(), ...targets, "--once", "--retry-for", "3s"])
    assert.strictEqual(code, 3, stderr)
    const refused = "no answer (ECONNREFUSED): check its address, and that this machine can reach it"
    const linesOfSink = (name: string) => stderr.split("\n").filter((line) => line.startsWith(`${name}:`))
    assert.deepStrictEqual(linesOfSink("webhook"), [
      `webhook:${webhook.url}: answered 503. Trying again for 3s (--retry-for)`,
      `webhook:${webhook.url}: works again`
    ])
    assert.deepStrictEqual(linesOfSink("opensearch"), [
      `opensearch:${gone.url}/events: ${refused}. Trying again for 3s (--retry-for)`,
      `opensearch:${gone.url}/events: ${refused}. Its batches wait in the state`
    ])
  })

  it.skipIf("missing" in openssl)("says how to trust the certificate of a sink, and then sends to it", async () => {
    const { certificate, key } = makeCertificate(program.folder, "IP:127.0.0.1")
    const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) =>
      request.resume().on("end", () => response.end())
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    await load(1, 0)
    const once = [...feed(), ...sinks(`webhook:${url}`), "--once", "--retry-for", "1s"]
    const untrusted = await program.run(once)
    assert.strictEqual(untrusted.code, 3, untrusted.stderr)
    assert.include(
      untrusted.stderr,
      `webhook:${url}: no answer (DEPTH_ZERO_SELF_SIGNED_CERT): to trust its certificate, set NODE_USE_SYSTEM_CA=1`
    )
    const trusted = await program.start(once, { env: { NODE_EXTRA_CA_CERTS: certificate } }).ended
    assert.strictEqual(trusted.code, 0, trusted.stderr)
    server.close()
  })

  it("refuses a file that cannot be written before anything is read (2)", async () => {
    const { code, stderr } = await program.run([...feed(), "--to", "file:no-folder/out.ndjson", "--once"])
    assert.strictEqual(code, 2, stderr)
    const file = join(program.folder, "no-folder/out.ndjson")
    assert.include(stderr, `error: --to: ${file} cannot be written (no such file or directory)`)
    assert.deepStrictEqual(await readdir(program.folder), [])
  })

  it.each([
    ["splunk-hec", "THREAT_EXPOSURE_SPLUNK_TOKEN", "to\u0142ken-4471"],
    ["splunk-hec", "THREAT_EXPOSURE_SPLUNK_TOKEN", "token-4471\nx"],
    ["otlp", "OTEL_EXPORTER_OTLP_HEADERS", "token-4471"],
    ["otlp", "OTEL_EXPORTER_OTLP_HEADERS", "a name=token-4471"],
    ["otlp", "OTEL_EXPORTER_OTLP_HEADERS", "a=token-4471%0d%0ax"]
  ])("names the variable of a %s sink that no header can have: %s, %j", async (kind, name, value) => {
    const args = [...feed(), "--to", `${kind}:https://collector.example.com`, "--once"]
    const { code, stderr } = await program.run(args, { env: { [name]: value } })
    assert.strictEqual(code, 2, stderr)
    assert.match(stderr, new RegExp(`^error: ${name} `, "mu"))
    assert.notInclude(stderr, "4471")
  })

  it("sends the token of a collector without a line break at its end", async () => {
    await load(1, 0)
    const collector = await receiver(() => ({ status: 200, body: { text: "Success", code: 0 } }))
    const args = [...feed(), "--to", `splunk-hec:${collector.url}`, "--once"]
    const { code, stderr } = await program.run(args, { env: { THREAT_EXPOSURE_SPLUNK_TOKEN: `${splunkToken}\n` } })
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(collector.taken[0]?.headers.authorization, `Splunk ${splunkToken}`)
  })

  it("keeps the batch of a sink that answers with a redirect, and follows none", async () => {
    const elsewhere = await receiver(() => ({ status: 200 }))
    await load(5, 0)
    for (const status of [302, 307]) {
      const moved = await receiver(() => ({ status, headers: { location: `${elsewhere.url}/page` } }))
      const sinks = [
        "--to",
        `webhook:${moved.url}`,
        "--to",
        `splunk-hec:${moved.url}`,
        "--to",
        `opensearch:${moved.url}/events`
      ]
      const flags = ["--once", "--retry-for", "1s", "--dead-letter", "dead.ndjson", "--state", `feed-${status}.json`]
      const { code, stderr } = await program.run(["feed", "--query", about, "--since", "30d", ...sinks, ...flags], {
        env: { THREAT_EXPOSURE_SPLUNK_TOKEN: splunkToken }
      })
      assert.strictEqual(code, 3, stderr)
      for (const name of ["webhook", "splunk-hec", "opensearch"]) {
        assert.match(stderr, new RegExp(`${name}:.*answered ${status}: check its address`, "u"))
      }
    }
    assert.deepStrictEqual(elsewhere.taken, [])
    assert.deepStrictEqual(await linesOf("dead.ndjson"), [])
  })

  it.each([
    [403, "security_exception"],
    [403, "cluster_block_exception"],
    [404, "index_not_found_exception"]
  ])("keeps the events of an index that takes none now: %s %s", async (status, type) => {
    await load(3, 0)
    let isClosed = true
    const index = await receiver(({ body }) => ({
      status: 200,
      body: {
        errors: isClosed,
        items: body
          .trimEnd()
          .split("\n")
          .filter((_, position) => position % 2 === 0)
          .map(() => ({ index: isClosed ? { status, error: { type } } : { status: 201 } }))
      }
    }))
    const args = [...feed(), "--to", `opensearch:${index.url}/events`, "--once", "--retry-for", "1s"]
    const closed = await program.run([...args, "--dead-letter", "dead.ndjson"])
    assert.strictEqual(closed.code, 3, closed.stderr)
    assert.include(closed.stderr, type)
    assert.deepStrictEqual(await linesOf("dead.ndjson"), [])
    isClosed = false
    assert.strictEqual((await program.run(args)).code, 0)
  })

  it("halves a batch that is too large, and writes permanently refused events as dead letters", async () => {
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
    const args = [...feed(), "--to", `webhook:${webhook.url}`, "--once"]
    const stopped = await program.run(args)
    assert.strictEqual(stopped.code, 3)
    assert.include(stopped.stderr, "--dead-letter")
    const done = await program.run([...args, "--dead-letter", "dead.ndjson"])
    assert.strictEqual(done.code, 0, done.stderr)
    assert.isAbove(refused.size, 1)
    const told = done.stderr.split("\n").filter((line) => line.includes("dead letters"))
    assert.deepStrictEqual(
      told.map((line) => line.replace(/^.*: (?=\d+ items)/u, "")),
      [`${refused.size} items went to the dead letters (first reason: answered 400)`]
    )
    const dead = (await readFile(join(program.folder, "dead.ndjson"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepStrictEqual(new Set(dead.map(({ uid }) => uid)), refused)
    assert.isTrue(
      dead.every(({ event, reason, sink }) => event.uid !== undefined && reason !== "" && sink.startsWith("webhook:"))
    )
  })

  it("keeps a batch whose dead letters cannot be written, and says so", async () => {
    await load(1, 0)
    const dead = join(program.folder, "dead.ndjson")
    let isBlocked = true
    const webhook = await receiver(() => {
      rmSync(dead, { recursive: true, force: true })
      if (isBlocked) mkdirSync(dead)
      return { status: 400 }
    })
    const args = [...feed(), "--to", `webhook:${webhook.url}`, "--once", "--dead-letter", "dead.ndjson"]
    const { code, stderr } = await program.run(args)
    assert.strictEqual(code, 2, stderr)
    assert.include(stderr, "dead.ndjson cannot be written (illegal operation on a directory)")
    isBlocked = false
    rmSync(dead, { recursive: true })
    assert.strictEqual((await program.run(args)).code, 0)
    assert.lengthOf((await readFile(dead, "utf8")).trimEnd().split("\n"), 1)
  })

  it("ends when dead letters cannot be written, however much is still to be read", async () => {
    const at = new Date(Date.now() - day).toISOString()
    const pages = 8
    const listing = await receiver(({ body }) => {
      const page = Number(JSON.parse(body || "{}").from ?? 0)
      const items = Array.from({ length: 400 }, (_, item) => ({
        metadata: { uid: `paste/page${page}/${item}`, type: "paste", severity: "high", estimated_created_at: at }
      }))
      return { status: 200, body: { items, next: page + 1 < pages ? String(page + 1) : null } }
    })
    const dead = join(program.folder, "dead.ndjson")
    const webhook = await receiver(() => {
      rmSync(dead, { recursive: true, force: true })
      mkdirSync(dead)
      return { status: 400 }
    })
    const { code, stderr } = await program.run(
      [...feed(), "--to", `webhook:${webhook.url}`, "--once", "--dead-letter", "dead.ndjson"],
      { env: { THREAT_EXPOSURE_BASE_URL: listing.url } }
    )
    assert.strictEqual(code, 2, stderr)
    assert.include(stderr, "dead.ndjson cannot be written")
  })

  it("keeps an event without a uid as a dead letter, once, although every round reads it again", async () => {
    const at = new Date(Date.now() - day).toISOString()
    const metadata = { type: "paste", severity: "high", estimated_created_at: at }
    const event = { metadata: { ...metadata, uid: "paste/one/1" }, data: {} }
    const nameless = { metadata, data: { note: "password: kR7!vQ2p-Lx9wZz4" } }
    const listing = await receiver(() => ({ status: 200, body: { items: [event, nameless], next: null } }))
    const args = [...feed(), "--to", "file:out.ndjson", "--once"]
    const options = { env: { THREAT_EXPOSURE_BASE_URL: listing.url } }
    for (let round = 0; round < 2; round += 1) {
      const { code, stderr } = await program.run([...args, "--dead-letter", "dead.ndjson"], options)
      assert.strictEqual(code, 0, stderr)
    }
    assert.lengthOf(await linesOf("out.ndjson"), 1)
    const dead = await readFile(join(program.folder, "dead.ndjson"), "utf8")
    assert.deepStrictEqual(
      dead
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).reason),
      ["the item has no uid"]
    )
    assert.notInclude(dead, "kR7!vQ2p")
    rmSync(join(program.folder, "feed.json"))
    const told = await program.run(args, options)
    assert.include(told.stderr, "1 item was left out: the item has no uid")
  })

  it("passes on the events and the credentials of the tenant, without a search and without an overlap", async () => {
    const early = await program.run(["feed", "--state", "early.json", "--to", "file:early.ndjson", "--once"])
    assert.strictEqual(early.code, 0, early.stderr)
    assert.include(early.stderr, "Your tenant has no identifier")
    const created = await fetch(`${service.url}/svc/v2/assets/`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: about, type: "keyword" })
    })
    assert.strictEqual(created.status, 200)
    const flags = ["--state", "feed.json", "--since", "30d", "--to", "file:out.ndjson", "--once", "--overlap", "1s"]
    const run = () => program.run(["feed", ...flags])
    await load(12, 5)
    await load(1, 40)
    const first = await run()
    assert.strictEqual(first.code, 0, first.stderr)
    assert.include(first.stderr, "This feed costs no searches.")
    assert.notInclude(first.stderr, "has no identifier")
    assert.lengthOf(new Set(await uidsIn("out.ndjson")), 13, "what arrived since, however old it is")
    // Created long before the overlap, and later than all others to arrive.
    await load(11, 20)
    assert.include((await run()).stderr, "new=11 ")
    assert.include((await run()).stderr, "new=0 ")
    const uids = await uidsIn("out.ndjson")
    assert.lengthOf(uids, 24)
    assert.lengthOf(new Set(uids), 24)

    await service.load("credentials", [
      { id: 1, identity_name: `a@${about}.example.com`, imported_at: new Date(Date.now() - day).toISOString() },
      { id: 2, identity_name: `b@${about}.example.com`, imported_at: new Date(Date.now() - 60 * day).toISOString() },
      { id: 3, identity_name: `c@${about}.example.net`, imported_at: new Date(Date.now() - day).toISOString() }
    ])
    await fetch(`${service.url}/svc/v2/assets/`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `${about}.example.com`, type: "domain" })
    })
    const state = ["--state", "credentials.json", "--since", "30d", "--to", "file:credentials.ndjson", "--once"]
    const fed = await program.run(["feed", "--credentials", ...state])
    assert.strictEqual(fed.code, 0, fed.stderr)
    assert.include(fed.stderr, "This feed costs no searches.")
    const credentials = (await uidsIn("credentials.ndjson")).filter((uid) => uid.startsWith("credential/"))
    assert.deepStrictEqual(credentials, ["credential/1"])
    const accounts = await program.run(["accounts", "--json"])
    assert.strictEqual(accounts.code, 0, accounts.stderr)
    assert.include(accounts.stderr, "costs no searches")
    assert.deepStrictEqual(
      accounts.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).account),
      [`a@${about}.example.com`, `b@${about}.example.com`]
    )
  })

  it.each([404, 405, 501])(
    "searches the whole data set where the tenant's events answer %d, and says so",
    async (status) => {
      const at = new Date(Date.now() - day).toISOString()
      const listing = await receiver(({ path }) =>
        path.includes("/global/")
          ? {
              status: 200,
              body: {
                items: [{ metadata: { uid: "paste/a/1", type: "paste", severity: "high", estimated_created_at: at } }],
                next: null
              }
            }
          : { status }
      )
      const env = { THREAT_EXPOSURE_BASE_URL: listing.url }
      const flags = ["--to", "file:out.ndjson", "--state", "feed.json", "--once"]
      const { code, stderr } = await program.run(["feed", ...flags], { env })
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, /does not list the events of the tenant .*: the whole data set is searched instead/u)
      assert.include(stderr, "A round costs one search per 100 items")
      assert.deepStrictEqual(await uidsIn("out.ndjson"), ["paste/a/1"])
      const accounts = await program.run(["accounts"], { env })
      assert.strictEqual(accounts.code, 2)
      assert.match(accounts.stderr, /does not list the credentials of the tenant .*--domains/u)
    }
  )

  it("reports an unreachable service (5), and keeps its state", async () => {
    const args = [...feed(), "--to", "file:out.ndjson", "--once"]
    const unreachable = { env: { THREAT_EXPOSURE_BASE_URL: "http://127.0.0.1:9" } }
    const noService = program.run(["feed", "--to", "-", "--state", "new.json", "--once"], unreachable)
    assert.strictEqual((await program.run(args)).code, 0)
    const before = await readFile(join(program.folder, "feed.json"), "utf8")
    assert.strictEqual((await program.run(args, unreachable)).code, 2, "another service is another query")
    assert.strictEqual(await readFile(join(program.folder, "feed.json"), "utf8"), before)
    const { code, stderr } = await noService
    assert.strictEqual(code, 5, stderr)
  })

  it("reads the other identifiers when one does not exist, and names it (2)", async () => {
    const at = new Date(Date.now() - day).toISOString()
    const listing = await receiver(({ path }) => {
      const [, id] = /identifiers\/(\d+)/u.exec(path) ?? []
      const metadata = { uid: `paste/of/${id}`, type: "paste", severity: "high", estimated_created_at: at }
      const unknown = { error: { code: "NOT_FOUND", message: "No such identifier" } }
      return id === "2" ? { status: 404, body: unknown } : { status: 200, body: { items: [{ metadata }], next: null } }
    })
    const identifiers = ["1", "2", "3"].flatMap((id) => ["--identifier", id])
    const { code, stderr } = await program.run(
      ["feed", ...identifiers, "--to", "file:out.ndjson", "--state", "feed.json", "--once"],
      { env: { THREAT_EXPOSURE_BASE_URL: listing.url } }
    )
    assert.strictEqual(code, 2, stderr)
    assert.match(stderr, /^error: identifier 2: Not found/mu)
    assert.deepStrictEqual(await uidsIn("out.ndjson"), ["paste/of/1", "paste/of/3"])
  })

  it.each(["", "{}", '{"version":1'])("refuses the state %j, and does not change it", async (content) => {
    const file = join(program.folder, "feed.json")
    await writeFile(file, content)
    const { code, stderr } = await program.run([...feed(), "--to", "-", "--once"])
    assert.strictEqual(code, 2)
    assert.include(stderr, "damaged")
    assert.strictEqual(await readFile(file, "utf8"), content)
    assert.deepStrictEqual(await readdir(program.folder), ["feed.json"])
  })

  it("refuses a second process on one state, and continues after the first was killed", async () => {
    const args = [...feed(), "--to", "file:out.ndjson"]
    await load(1, 0)
    const { child, ended } = program.start([...args, "--every", "1h"])
    while ((await linesOf("out.ndjson")).length === 0) await sleep(50)
    const second = await program.run([...args, "--once"])
    assert.strictEqual(second.code, 2)
    assert.include(second.stderr, "another process")
    child.kill("SIGKILL")
    await ended
    assert.strictEqual((await program.run([...args, "--once"])).code, 0)
  })

  it("stops, without changing the state, when another process has taken over the state", async () => {
    await load(1, 0)
    const args = [...feed(), "--to", "file:out.ndjson"]
    const ended = program.run([...args, "--every", "1s"])
    while ((await linesOf("out.ndjson")).length === 0) await sleep(50)
    const lock = join(program.folder, "feed.json.lock")
    const holder = JSON.stringify({ pid: 1, processes: "of another container", id: "1" })
    await writeFile(lock, holder)
    await load(1, 0)
    const { code, stderr } = await ended
    assert.strictEqual(code, 2, stderr)
    assert.include(stderr, "taken over by another process")
    assert.lengthOf(await linesOf("out.ndjson"), 1)
    assert.strictEqual(await readFile(lock, "utf8"), holder)
  })
})

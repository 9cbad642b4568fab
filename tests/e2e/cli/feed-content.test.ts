/** The whole content of events, and what changes after they were passed on, against the real service. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createClient } from "@threat-exposure/core/promise"
import { type RunningService, startService } from "@threat-exposure/service/testing/TestService"
import { type LocalServer, passOn, startServer } from "@threat-exposure/programs/LocalServer"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import { paste } from "../vscode/SyntheticEvents.ts"
import { createDataStream, createIndex, documentsIn } from "./OpenSearchTargets.ts"
import { makeProgram, type Program } from "./Program.ts"

const openSearch = await openSearchNode()
const day = 86_400_000

interface Line {
  readonly uid: string
  readonly full?: boolean
  readonly reason?: string
  readonly changed?: ReadonlyArray<string>
  readonly event: {
    readonly data?: { readonly content: string }
    readonly metadata: { readonly uid: string }
    readonly tenant_metadata: Readonly<Record<string, unknown>>
  }
}

describe("the content and the changes of events", () => {
  let service: RunningService
  let program: Program
  let front: LocalServer
  /** The status with which the read of an event is refused; undefined to let the service answer. */
  let statusOf: (uid: string) => number | undefined
  /** Whether the next listing is refused. */
  let isListingRefused: boolean
  let reads: Array<string>
  let number = 0
  let about = ""
  let identifier: number

  beforeAll(async () => {
    service = await startService()
    front = await startServer(async (request, response) => {
      const { searchParams } = new URL(request.url ?? "/", service.url)
      const uid = request.method === "GET" ? searchParams.get("uid") : null
      if (uid !== null) reads.push(uid)
      const status = uid === null ? undefined : statusOf(uid)
      if (status !== undefined) return response.writeHead(status).end()
      if (isListingRefused && request.method === "POST") {
        isListingRefused = false
        return response.writeHead(500).end()
      }
      const answer = await passOn(request, service.url)
      return response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body)
    })
  })
  afterAll(async () => {
    await front?.close()
    await service?.stop()
  })
  beforeEach(async () => {
    about = `content${number++}`
    statusOf = () => undefined
    isListingRefused = false
    reads = []
    program = await makeProgram({ THREAT_EXPOSURE_BASE_URL: front.url, THREAT_EXPOSURE_TOKEN: service.token })
    const created = await fetch(`${service.url}/svc/v2/assets/`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: about, type: "keyword" })
    })
    identifier = JSON.parse(await created.text()).asset.id
  })
  afterEach(() => program.remove())

  const load = async (count: number, daysAgo = 1) => {
    const at = new Date(Date.now() - daysAgo * day)
    const events = Array.from({ length: count }, () => paste({ number: number++, severity: "high", at, about }))
    await service.load("events", events)
    return events.map(({ metadata }) => metadata.uid)
  }

  const linesOf = async (): Promise<ReadonlyArray<Line>> =>
    (await readFile(join(program.folder, "out.ndjson"), "utf8"))
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))

  const round = async (...flags: ReadonlyArray<string>) => {
    const sinks = flags.includes("--to") ? [] : ["--to", "file:out.ndjson"]
    const result = await program.run(["feed", "--state", "feed.json", "--since", "30d", "--once", ...sinks, ...flags])
    assert.strictEqual(result.code, 0, result.stderr)
    return result.stderr
  }

  const ofIdentifier = () => ["--identifier", String(identifier)]

  const triage = (action: string, uid: string, ...more: ReadonlyArray<string>) =>
    program.run(["events", action, uid, ...more]).then(({ code, stderr }) => assert.strictEqual(code, 0, stderr))

  it("has the whole content of each event, in the order of the listing, and reads each once", async () => {
    const uids = await load(25)
    const client = createClient({ baseUrl: service.url, token: service.token })
    assert.include(await round(...ofIdentifier(), "--full"), "new=25 incomplete=0 ")
    const lines = await linesOf()
    assert.deepStrictEqual(lines.map(({ uid }) => uid).toSorted(), uids.toSorted())
    for (const { event, full, uid } of lines) {
      assert.isTrue(full)
      assert.deepStrictEqual<unknown>(event.data, (await client.events.get(uid)).data)
    }
    await round(...ofIdentifier(), "--full")
    assert.lengthOf(await linesOf(), 25)
    assert.lengthOf(reads, 25, "an event that was passed on is not read again")
  })

  it("shows on a terminal how much was read, and messages and results on lines of their own", async () => {
    await load(6)
    const command = `feed ${ofIdentifier().join(" ")} --state feed.json --since 30d --once --full --to -`
    const shown = await program.atTerminal(command)
    assert.include(shown, "\r0 new of 6 items so far\u001b[K\r1 new of 6 items so far\u001b[K\r2 new of")
    const lines = shown.split("\r\n").map((line) => line.split("\u001b[K").at(-1) ?? "")
    assert.notInclude(lines.join("\n"), "so far")
    assert.lengthOf(
      lines.filter((line) => line.startsWith("{")),
      6
    )
    assert.match(lines.join("\n"), /^\d{4}-.* new=6 incomplete=0 /mu)
    assert.strictEqual(await program.atTerminal(`${command} --quiet`), "")
  })

  it("shows on a terminal how many events of earlier rounds it tries to complete", async () => {
    const [unreadable] = await load(3)
    statusOf = (uid) => (uid === unreadable ? 403 : undefined)
    const command = `feed ${ofIdentifier().join(" ")} --state feed.json --since 30d --once --full --to -`
    assert.include(await program.atTerminal(command), "new=3 incomplete=1 ")
    statusOf = () => undefined
    const shown = await program.atTerminal(command)
    assert.include(shown, "\rcontent of 1 of 1 event of earlier rounds so far\u001b[K")
    assert.include(shown, "new=0 incomplete=0 ")
  })

  it("redacts the content, unless secrets are included", async () => {
    const password = "Kestrel-7714-Lantern!"
    const at = new Date(Date.now() - day)
    const event = paste({ number: number++, severity: "high", at, about })
    const data = { ...event.data, content: `${about} db_password = "${password}"` }
    await service.load("events", [{ ...event, data }])
    await round(...ofIdentifier(), "--full")
    const text = await readFile(join(program.folder, "out.ndjson"), "utf8")
    assert.include(text, "db_password")
    assert.notInclude(text, password)
    assert.notInclude(await readFile(join(program.folder, "feed.json"), "utf8"), password)
    const clear = ["--full", "--include-secrets", "--state", "clear.json", "--to", "file:clear.ndjson"]
    const { code, stderr } = await program.run(["feed", ...ofIdentifier(), ...clear, "--since", "30d", "--once"])
    assert.strictEqual(code, 0, stderr)
    assert.include(await readFile(join(program.folder, "clear.ndjson"), "utf8"), password)
  })

  it("passes on an event as listed if its content cannot be read, and completes it when it can", async () => {
    const [broken = "", gone = ""] = await load(12)
    statusOf = (uid) => (uid === broken ? 403 : uid === gone ? 404 : undefined)
    assert.include(await round(...ofIdentifier(), "--full"), "new=12 incomplete=1 ")
    const first = await linesOf()
    assert.lengthOf(first, 12)
    const listed = first.filter(({ full }) => full === false)
    assert.deepStrictEqual(listed.map(({ uid }) => uid).toSorted(), [broken, gone].toSorted())
    for (const { event, reason } of listed) {
      assert.notProperty(event, "data")
      assert.match(reason ?? "", /\w/u)
    }
    assert.include(await round(...ofIdentifier(), "--full"), "new=0 incomplete=1 ")
    assert.lengthOf(await linesOf(), 12)
    statusOf = (uid) => (uid === gone ? 404 : undefined)
    const told = await round(...ofIdentifier(), "--full")
    assert.include(told, "1 event of earlier rounds got its content")
    assert.include(told, "new=0 incomplete=0 ")
    const last = (await linesOf()).at(-1)
    assert.deepInclude(last, { uid: broken, full: true })
    assert.include(last?.event.data?.content, about)
    reads = []
    await round(...ofIdentifier(), "--full")
    assert.lengthOf(await linesOf(), 13)
    assert.deepStrictEqual(reads, [], "what does not exist is not read again")
  })

  it("stops asking for contents in a round in which the service refuses them, and completes them all later", async () => {
    const uids = await load(30)
    statusOf = () => 403
    assert.include(await round(...ofIdentifier(), "--full"), "new=30 incomplete=30 ")
    assert.isAtMost(reads.length, 8)
    assert.isTrue((await linesOf()).every(({ full }) => full === false))
    statusOf = () => undefined
    assert.include(await round(...ofIdentifier(), "--full"), "incomplete=0 ")
    const completed = (await linesOf()).filter(({ full }) => full === true)
    assert.deepStrictEqual(completed.map(({ uid }) => uid).toSorted(), uids.toSorted())
  })

  it("passes on a content of up to a megabyte, and says that a larger one was left out", async () => {
    const at = new Date(Date.now() - day)
    const sized = (length: number) => {
      const event = paste({ number: number++, severity: "high", at, about })
      return { ...event, data: { ...event.data, content: `${about} ${"lorem ipsum ".repeat(length / 12)}` } }
    }
    const [large, small] = [sized(1_100_000), sized(900_000)]
    await service.load("events", [large, small])
    assert.include(await round(...ofIdentifier(), "--full"), "new=2 incomplete=0 ")
    const lines = new Map((await linesOf()).map((line) => [line.uid, line]))
    assert.deepInclude(lines.get(large.metadata.uid), { full: false, reason: "the content has more than 1 MB" })
    assert.strictEqual(lines.get(small.metadata.uid)?.event.data?.content, small.data.content)
  })

  it("passes on an event again when it is ignored, remediated, rated, tagged or annotated, and not otherwise", async () => {
    const [uid = "", other = ""] = await load(2)
    await round("--changes", "--identifier", String(identifier))
    const changesOf = async () => (await linesOf()).slice(2).map(({ changed, uid }) => [uid, changed])
    const expected: Array<readonly [string, ReadonlyArray<string>]> = []
    for (const [action, flags, changed] of [
      ["ignore", [], "status"],
      ["unignore", [], "status"],
      ["remediate", [], "status"],
      ["severity", ["--to", "low"], "severity"],
      ["tag", ["--tags", "payroll,urgent"], "tags"],
      ["tag", ["--tags", "urgent,payroll"], undefined],
      ["note", ["--text", "passwords changed"], "notes"],
      ["note", ["--clear"], "notes"]
    ] as const) {
      await triage(action, uid, ...flags)
      if (changed !== undefined) expected.push([uid, [changed]])
      assert.include(
        await round("--changes", ...ofIdentifier()),
        `new=0 changed=${changed === undefined ? 0 : 1} `,
        `${action} ${flags.join(" ")}`
      )
      assert.deepStrictEqual<unknown>(await changesOf(), expected)
    }
    assert.isString((await linesOf()).at(-1)?.event.tenant_metadata["remediated_at"])
    assert.strictEqual((await linesOf()).filter((line) => line.uid === other).length, 1)
    await triage("tag", other, "--tags", "late")
    assert.include(await round(...ofIdentifier()), "new=0 waiting", "without --changes")
    assert.include(await round("--changes", ...ofIdentifier()), "new=0 changed=1 ")
  })

  it("sends a type of event that it does not know, and names it and the known ones", async () => {
    await load(1)
    assert.include(await round("--types", "leaked_credential"), "new=0 ")
    const flags = ["--state", "other.json", "--to", "-", "--once"]
    const { code, stderr, stdout } = await program.run(["feed", "--types", "paste,yet_unknown", ...flags])
    assert.include(stderr, "--types: yet_unknown is not known to this version, and sent as given; known are illicit_")
    assert.include(stderr, "--types (value 2) is refused by the service", "a newer service may know it")
    assert.strictEqual(stdout, "", "it belongs to the events")
    assert.strictEqual(code, 2)
  })

  it.each(["identifier", "tenant"])(
    "continues a state of an earlier version, with types of events of the %s",
    async (of) => {
      const [passed = ""] = await load(1)
      const isOfIdentifier = of === "identifier"
      const query = {
        service: front.url,
        identifiers: isOfIdentifier ? [identifier] : [],
        severity: ["high"],
        types: isOfIdentifier ? [] : ["paste"],
        identifierTypes: isOfIdentifier ? ["paste"] : [],
        credentialDomains: [],
        includeSecrets: false,
        shape: "native",
        to: ["file:out.ndjson"]
      }
      const start = new Date(Date.now() - 30 * day).toISOString()
      const state = { version: 1, query: JSON.stringify(query), start, positions: {}, completed: {}, batches: [] }
      await writeFile(
        join(program.folder, "feed.json"),
        JSON.stringify({ ...state, seen: { [passed]: Date.now() - day } })
      )
      const [fresh = ""] = await load(1)
      await round(...(isOfIdentifier ? ofIdentifier() : []), "--severity", "high", "--types", "paste")
      const mine = (await linesOf()).map(({ uid }) => uid).filter((uid) => uid === passed || uid === fresh)
      assert.deepStrictEqual(mine, [fresh])
    }
  )

  it("passes on with --changes what is older than the overlap when it reaches the tenant, and sees changes", async () => {
    const [known = ""] = await load(1)
    await round("--changes")
    const [old = ""] = await load(1, 400)
    await triage("tag", known, "--tags", "payroll")
    await round("--changes")
    await round("--changes")
    const mine = (await linesOf()).filter(({ uid }) => uid === known || uid === old)
    assert.deepStrictEqual<unknown>(
      mine.map(({ changed, uid }) => [uid, changed]).toSorted(),
      [
        [known, undefined],
        [known, ["tags"]],
        [old, undefined]
      ].toSorted()
    )
  })

  it("does not take a failure at the start for a service without the order of arrival", async () => {
    const [old = ""] = await load(1, 400)
    isListingRefused = true
    const flags = ["--state", "feed.json", "--since", "30d", "--to", "file:out.ndjson"]
    const failed = await program.run(["feed", "--once", ...flags])
    assert.strictEqual(failed.code, 5, failed.stderr)
    // Without --once, the next round asks again.
    isListingRefused = true
    const feed = program.start(["feed", "--every", "1s", ...flags])
    while (!(await linesOf()).some(({ uid }) => uid === old)) await new Promise((resolve) => setTimeout(resolve, 100))
    feed.child.kill()
    assert.include((await feed.ended).stderr, "The service answered 500")
  })

  it("sees in the tenant's listing what was ignored after it was passed on, and passes on nothing that was before", async () => {
    const [before = "", later = ""] = await load(2)
    await triage("ignore", before)
    await round("--changes")
    const mine = async () => (await linesOf()).filter(({ uid }) => uid === before || uid === later)
    assert.deepStrictEqual(
      (await mine()).map(({ uid }) => uid),
      [later]
    )
    await triage("remediate", later)
    await triage("unignore", before)
    await round("--changes")
    assert.deepStrictEqual<unknown>(
      (await mine()).map(({ changed, uid }) => [uid, changed]).toSorted(),
      [
        [before, undefined],
        [later, undefined],
        [later, ["status"]]
      ].toSorted()
    )
  })

  it.each([
    ["ocsf", "remediate", { activity_id: 3, type_uid: 200403, status_id: 4 }],
    ["ocsf", "ignore", { activity_id: 2, type_uid: 200402, status_id: 3 }]
  ])("says in %s that an event was %sd", async (shape, action, members) => {
    const [uid = ""] = await load(1)
    const flags = [...ofIdentifier(), "--changes", "--shape", shape]
    await round(...flags)
    await triage(action, uid)
    await round(...flags)
    const [first, last] = (await readFile(join(program.folder, "out.ndjson"), "utf8")).trim().split("\n")
    assert.deepInclude(JSON.parse(first ?? ""), { activity_id: 1, type_uid: 200401, status_id: 1 })
    assert.deepInclude(JSON.parse(last ?? ""), members)
  })

  describe.skipIf("missing" in openSearch)("missing" in openSearch ? openSearch.missing : "with OpenSearch", () => {
    it("replaces a changed event in an index, and adds the change to a data stream", async () => {
      if ("missing" in openSearch) return assert.fail(openSearch.missing)
      const name = `${openSearch.prefix}-changes-${number++}`
      const index = await createIndex(openSearch.url, `${name}-index`)
      const stream = await createDataStream(openSearch.url, `${name}-stream`)
      const [uid = ""] = await load(3)
      const targets = [index, stream].flatMap((target) => ["--to", `opensearch:${target}`])
      const flags = [...ofIdentifier(), "--changes", "--full", ...targets]
      await round(...flags)
      await triage("remediate", uid)
      await round(...flags)
      const inIndex = await documentsIn(index)
      assert.lengthOf(inIndex, 3)
      assert.deepStrictEqual(inIndex.find((line) => line.uid === uid)?.changed, ["status"])
      const inStream = await documentsIn(stream)
      assert.lengthOf(inStream, 4)
      assert.lengthOf(
        inStream.filter((line) => line.uid === uid && line.changed !== undefined),
        1
      )
    })
  })
})

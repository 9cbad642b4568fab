import { afterAll, assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import type { ClusterAnswer, ClusterCall } from "@threat-exposure/service/opensearch/cluster/ClusterCall"
import { ClusterClient } from "@threat-exposure/service/opensearch/cluster/ClusterClient"
import { hitsIn } from "@threat-exposure/service/opensearch/cluster/SearchAnswer"
import { SearchGroups } from "@threat-exposure/service/opensearch/cluster/SearchGroups"

const node = await openSearchNode()

const searchOf = (word: string) => JSON.stringify({ size: 10, query: { term: { word } }, sort: [{ word: "asc" }] })

const sourcesOf = (answer: Parameters<typeof hitsIn>[0]) => hitsIn(answer).map(({ _source }) => _source)

const messageOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

describe.skipIf("missing" in node)("missing" in node ? node.missing : "searches that are sent together", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "http://127.0.0.1:1" } : node
  const client = new ClusterClient({ urls: [url] })
  afterAll(() => client.close())
  const send = (call: ClusterCall) => client.call({ refusals: ["search_phase_execution_exception"], ...call })
  const record = (answer: (call: ClusterCall) => Promise<ClusterAnswer> = send) => {
    const paths: Array<string> = []
    const groups = new SearchGroups((call) => {
      paths.push(call.path.replace(/\?.*/u, ""))
      return answer(call)
    })
    return { groups, paths }
  }
  const index = `${prefix}-words`
  const words = Array.from({ length: 100 }, (_, at) => `word-${at}`)
  const fill = async () => {
    await send({
      method: "PUT",
      path: `/${index}`,
      body: JSON.stringify({
        settings: { number_of_shards: 3 },
        mappings: { properties: { word: { type: "keyword" } } }
      }),
      accepted: [400]
    })
    const body = words.map((word) => `{"index":{"_id":"${word}"}}\n${JSON.stringify({ word })}\n`).join("")
    await send({ method: "POST", path: `/${index}/_bulk?refresh=true`, body })
  }

  it("are answered as if each were sent alone, with few calls", async () => {
    await fill()
    const { groups, paths } = record()
    const alone = await groups.search({ index, body: searchOf("word-7") })
    assert.deepStrictEqual(paths, [`/${index}/_search`])
    assert.deepStrictEqual(sourcesOf(alone), [{ word: "word-7" }])
    const answers = await Promise.all(words.map((word) => groups.search({ index, body: searchOf(word) })))
    for (const [at, answer] of answers.entries()) assert.deepStrictEqual(sourcesOf(answer), [{ word: words[at] }])
    assert.isBelow(paths.length, 8)
    assert.isTrue(paths.slice(1).every((path) => path === "/_msearch"))
  })

  it("do not fail with one of them", async () => {
    await fill()
    const { groups } = record()
    const outcomes = await Promise.allSettled([
      groups.search({ index, body: searchOf("word-1") }),
      groups.search({ index, body: '{"query":{"unheard":{}}}' }),
      groups.search({ index: `${prefix}-absent`, body: searchOf("word-1") }),
      groups.search({ index, body: searchOf("word-2") })
    ])
    const texts = outcomes.map((outcome) =>
      outcome.status === "fulfilled" ? JSON.stringify(sourcesOf(outcome.value)) : messageOf(outcome.reason)
    )
    assert.strictEqual(texts[0], '[{"word":"word-1"}]')
    assert.include(texts[1], "with 400: parsing_exception")
    assert.include(texts[2], `the index ${prefix}-absent is missing`)
    assert.strictEqual(texts[3], '[{"word":"word-2"}]')
  })

  it("are complete, or fail", async () => {
    const half = `${prefix}-half`
    // The second shard cannot be assigned to the only node.
    const settings = { number_of_shards: 2, number_of_replicas: 0, "routing.allocation.total_shards_per_node": 1 }
    const body = JSON.stringify({ settings, mappings: { properties: { word: { type: "keyword" } } } })
    await send({ method: "PUT", path: `/${half}?wait_for_active_shards=0`, body })
    await send({ method: "GET", path: `/_cluster/health/${half}?wait_for_status=red&timeout=5s`, accepted: [408] })
    const setting = (value: boolean | null) =>
      send({
        method: "PUT",
        path: "/_cluster/settings",
        body: JSON.stringify({ transient: { "search.default_allow_partial_results": value } })
      })
    // Otherwise the node of the tests would itself refuse incomplete results.
    await setting(true)
    try {
      const { groups } = record()
      const outcomes = await Promise.allSettled([
        groups.search({ index: half, body: '{"query":{"match_all":{}}}' }),
        groups.search({ index, body: searchOf("word-3") })
      ])
      assert.strictEqual(outcomes[0].status, "rejected")
      assert.strictEqual(outcomes[1].status, "fulfilled")
    } finally {
      await setting(null)
      await send({ method: "DELETE", path: `/${half}` })
    }
  })

  it("continue while a call is not answered", async () => {
    await fill()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let isFirst = true
    const { groups, paths } = record(async (call) => {
      const isHeld = isFirst
      isFirst = false
      if (isHeld) await held
      return send(call)
    })
    const slow = groups.search({ index, body: searchOf("word-4") })
    while (paths.length === 0) await new Promise(setImmediate)
    assert.deepStrictEqual(sourcesOf(await groups.search({ index, body: searchOf("word-5") })), [{ word: "word-5" }])
    release()
    assert.deepStrictEqual(sourcesOf(await slow), [{ word: "word-4" }])
  })
})

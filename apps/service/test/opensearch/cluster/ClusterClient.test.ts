import type { ServerResponse } from "node:http"
import { createServer as createTcpServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { startServer } from "@threat-exposure/programs/LocalServer"
import type { ClusterCall } from "@threat-exposure/service/opensearch/cluster/ClusterCall"
import { StoreUnavailable } from "@threat-exposure/service/requests/StoreUnavailable"
import { ClusterClient } from "@threat-exposure/service/opensearch/cluster/ClusterClient"

/** A stand-in for a node, with answers that the test provides. */
const standIn = async (answer: (response: ServerResponse, path: string) => void) => {
  const paths: Array<string> = []
  const { close, url } = await startServer(({ url = "" }, response) => {
    paths.push(url)
    answer(response, url)
  })
  return { url, paths, stop: close }
}

it("sends one call at a time to a node that failed, until it is a member of its cluster again", async () => {
  let state: "failing" | "frozen" | "well" = "failing"
  const held: Array<ServerResponse> = []
  const nodes = { a: { name: "one" } }
  const one = await standIn((response, path) => {
    if (state === "failing") response.destroy()
    else if (state === "frozen") held.push(response)
    else if (path.startsWith("/_nodes/_local")) response.end(JSON.stringify({ nodes }))
    else response.end(JSON.stringify({ nodes, version: 7 }))
  })
  const other = await standIn((response) => response.end(JSON.stringify({ nodes, version: 7 })))
  const client = new ClusterClient({ urls: [one.url, other.url] })
  const calls = (count: number) =>
    Array.from({ length: count }, () => client.call({ method: "GET", path: "/", timeLimit: 60_000 }))
  try {
    await Promise.all(calls(16))
    const failed = one.paths.length
    state = "frozen"
    const underWay: Array<Promise<unknown>> = []
    // The node is avoided for some seconds.
    while (one.paths.length === failed) {
      const some = calls(2)
      underWay.push(...some)
      await Promise.race(some)
    }
    await Promise.all(calls(100))
    assert.strictEqual(one.paths.length, failed + 1)
    state = "well"
    for (const response of held) response.end(JSON.stringify({ nodes, version: 7 }))
    await Promise.all(underWay)
    await Promise.all(calls(100))
    assert.isAbove(one.paths.length, failed + 10)
  } finally {
    await client.close()
    await one.stop()
    await other.stop()
  }
})

it("sends nothing to a node that was removed from its cluster and does not know it yet", async () => {
  let isFailing = true
  const nodes = { a: { name: "one" } }
  const one = await standIn((response) => {
    if (isFailing) response.destroy()
    else response.end(JSON.stringify({ nodes, version: 6 }))
  })
  // The cluster state has changed without the node.
  const other = await standIn((response) => response.end(JSON.stringify({ nodes, version: 7 })))
  const client = new ClusterClient({ urls: [one.url, other.url] })
  const call = () => client.call({ method: "GET", path: "/", timeLimit: 60_000 })
  try {
    await Promise.all([call(), call()])
    isFailing = false
    const failed = one.paths.length
    while (one.paths.length === failed) await call()
    assert.notInclude(one.paths.slice(failed), "/")
  } finally {
    await client.close()
    await one.stop()
    await other.stop()
  }
})

it("uses a node again that failed, while the cluster elects its manager", async () => {
  let isFailing = true
  const one = await standIn((response) => {
    if (isFailing) response.destroy()
    else response.end(JSON.stringify({ nodes: { a: { name: "one" } }, version: 7, cluster_manager_node: null }))
  })
  const client = new ClusterClient({ urls: [one.url] })
  const call = () => client.call({ method: "GET", path: "/", timeLimit: 2_000 })
  try {
    await call().catch(() => {})
    isFailing = false
    const { text } = await client.call({ method: "GET", path: "/", timeLimit: 600_000 })
    assert.include(text, '"version":7')
  } finally {
    await client.close()
    await one.stop()
  }
})

it.concurrent("repeats on another node a read that was answered by a frozen node which the cluster has removed", async () => {
  const frozenFor = 2_500
  const answerAs = (name: string, version: number) => (response: ServerResponse, path: string) => {
    const answer = path.startsWith("/_") ? { nodes: { [name]: { name } }, version } : { name }
    response.end(JSON.stringify(answer))
  }
  let isFrozen = true
  const awake: Array<() => void> = []
  const one = await standIn((response, path) => {
    const answer = () => answerAs("one", 6)(response, path)
    if (isFrozen) awake.push(answer)
    else answer()
  })
  const other = await standIn(answerAs("other", 7))
  const client = new ClusterClient({ urls: [one.url, other.url] })
  const search = async () => (await client.call({ method: "POST", path: "/credentials/_search" })).text
  try {
    const searches = Promise.all(Array.from({ length: 6 }, search))
    await sleep(frozenFor)
    isFrozen = false
    for (const answer of awake) answer()
    assert.deepStrictEqual(new Set(await searches), new Set(['{"name":"other"}']))
    assert.strictEqual(await search(), '{"name":"other"}')
  } finally {
    await client.close()
    await one.stop()
    await other.stop()
  }
})

it.concurrent("keeps using a node that learns of a change a little later than another one", async () => {
  const nodes = { a: { name: "one" }, b: { name: "other" } }
  let asked = 0
  const one = await standIn((response, path) => {
    if (path.includes("local=true")) response.end(JSON.stringify({ version: (asked += 1) < 3 ? 6 : 7 }))
    else if (path.startsWith("/_")) response.end(JSON.stringify({ nodes: { a: nodes.a } }))
    else if (one.paths.includes("/_nodes/_local?filter_path=nodes.*.name")) response.end('{"name":"one"}')
    else setTimeout(() => response.end('{"name":"one"}'), 2_100)
  })
  const other = await standIn((response, path) =>
    path.startsWith("/_") ? response.end(JSON.stringify({ nodes, version: 7 })) : response.destroy()
  )
  const client = new ClusterClient({ urls: [one.url, other.url] })
  try {
    const { text } = await client.call({ method: "POST", path: "/credentials/_search" })
    assert.strictEqual(text, '{"name":"one"}')
    assert.strictEqual(asked, 3)
  } finally {
    await client.close()
    await one.stop()
    await other.stop()
  }
})

it.concurrent("keeps using the cluster manager, which applies a change after the other nodes", async () => {
  const nodes = { a: { name: "one" }, b: { name: "other" } }
  const one = await standIn((response, path) => {
    if (path.startsWith("/_")) response.end(JSON.stringify({ nodes: { a: nodes.a }, version: 6 }))
    else if (one.paths.includes("/_nodes/_local?filter_path=nodes.*.name")) response.end('{"name":"one"}')
    else setTimeout(() => response.end('{"name":"one"}'), 2_100)
  })
  const other = await standIn((response, path) => {
    if (path.startsWith("/_")) response.end(JSON.stringify({ cluster_manager_node: "a", nodes, version: 7 }))
    else response.writeHead(503).end()
  })
  const client = new ClusterClient({ urls: [one.url, other.url] })
  try {
    const { text } = await client.call({ method: "POST", path: "/credentials/_search", timeLimit: 600_000 })
    assert.strictEqual(text, '{"name":"one"}')
  } finally {
    await client.close()
    await one.stop()
    await other.stop()
  }
})

it.concurrent("repeats a call with a slow answer once, and only if the cluster has changed", async () => {
  const nodes = { a: { name: "one" } }
  let version = 6
  let isBusy = true
  const node = await standIn((response, path) => {
    const state = () => response.end(JSON.stringify({ nodes, version }))
    if (path === "/slow/_search") setTimeout(() => response.end("{}"), 2_100)
    // No other node can answer instead.
    else if (isBusy) setTimeout(state, 2_600)
    else state()
    if (path !== "/slow/_search") isBusy = false
  })
  const client = new ClusterClient({ urls: [node.url] })
  const send = async () => {
    const { length } = node.paths
    await client.call({ method: "POST", path: "/slow/_search" })
    return node.paths.slice(length).filter((path) => path === "/slow/_search").length
  }
  try {
    // The client knows nothing about the cluster yet.
    assert.strictEqual(await send(), 2)
    assert.strictEqual(await send(), 1)
    version = 7
    assert.strictEqual(await send(), 2)
  } finally {
    await client.close()
    node.stop()
  }
})

it.concurrent("repeats a call as long as its caller waits", async () => {
  let answers = 0
  const node = await standIn((response) => {
    answers += 1
    response.writeHead(answers < 3 ? 503 : 200).end("{}")
  })
  const impatient = new ClusterClient({ urls: [node.url], callTimeLimit: 1 })
  const patient = new ClusterClient({ urls: [node.url] })
  const call = { method: "PUT", path: "/index/_doc/1", body: "{}" } as const
  const failure = await impatient.call(call).catch((cause: unknown) => cause)
  assert.instanceOf(failure, StoreUnavailable)
  assert.isBelow(answers, 3)
  assert.strictEqual((await patient.call(call)).status, 200)
  node.stop()
  await Promise.all([impatient.close(), patient.close()])
})

it.concurrent("ends calls in flight when it is closed", async () => {
  let received = () => {}
  const isReceived = new Promise<void>((resolve) => (received = resolve))
  const node = await standIn(() => received())
  const client = new ClusterClient({ urls: [node.url] })
  const ended = client.call({ method: "GET", path: "/", timeLimit: 3_600_000 }).then(
    () => assert.fail("it was answered"),
    (cause: unknown) => String(cause)
  )
  await isReceived
  await client.close()
  assert.include(await ended, "the program is shutting down")
  node.stop()
})

it.concurrent("reports that another server answered, such as a proxy that redirects", async () => {
  const proxy = await standIn((response) => response.writeHead(301, { location: "https://example.com/" }).end("<html>"))
  const client = new ClusterClient({ urls: [proxy.url] })
  try {
    const refusal = await client.call({ method: "GET", path: "/credentials/_search?size=1" }).catch(String)
    assert.strictEqual(
      refusal,
      "Error: OpenSearch cannot be used: GET /credentials/_search was answered with 301, and not by OpenSearch: check the URL, and any proxy before the cluster"
    )
  } finally {
    await client.close()
    proxy.stop()
  }
})

it.concurrent("reports what OpenSearch refuses, even if the error has no type", async () => {
  const error = "no handler found for uri [/_snapshot] and method [POST]"
  const node = await standIn((response) => response.writeHead(400).end(JSON.stringify({ error })))
  const client = new ClusterClient({ urls: [node.url] })
  try {
    const refusal = await client.call({ method: "POST", path: "/_snapshot" }).catch(String)
    assert.strictEqual(refusal, `Error: OpenSearch cannot be used: it refused POST /_snapshot with 400: ${error}`)
  } finally {
    await client.close()
    node.stop()
  }
})

const reasonOf = async (url: string, call: Partial<ClusterCall> = {}) => {
  const client = new ClusterClient({ urls: [url], user: "user", password: "planted-password" })
  const { isFirst = true } = call
  try {
    return await client.call({ method: "GET", path: "/", timeLimit: 600_000, ...call, isFirst }).then(
      () => assert.fail("it was answered"),
      (cause: unknown) => (cause instanceof Error ? cause.message : "")
    )
  } finally {
    await client.close()
  }
}

it.concurrent("says at once why the first call has no answer", async () => {
  const web = await standIn((response) => response.end("{}"))
  // TLS servers close a connection without TLS, with or without an alert.
  const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 0x46])
  let answer = (socket: Socket) => socket.destroy()
  const secure = createTcpServer((socket) => socket.once("data", () => answer(socket)))
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve))
  const address = secure.address()
  const port = typeof address === "object" ? address?.port : undefined
  assert.include(await reasonOf(`http://127.0.0.1:${port}`), "If it uses TLS, its URL begins with https://")
  answer = (socket) => socket.end(alert)
  assert.include(await reasonOf(`http://127.0.0.1:${port}`), "If it uses TLS, its URL begins with https://")
  secure.close()
  assert.include(await reasonOf(`http://127.0.0.1:${port}`), `nothing listens on 127.0.0.1:${port}`)
  assert.include(await reasonOf("http://absent.invalid:9200"), "the name of absent.invalid:9200 cannot be resolved")
  // The protocol does not change for later calls.
  const encrypted = reasonOf(web.url.replace("http:", "https:"), { isFirst: false })
  assert.include(await encrypted, "does not use TLS")
  web.stop()
})

it.concurrent("reports a refused user as that, however late it is refused", async () => {
  const node = await standIn((response) => setTimeout(() => response.writeHead(401).end("Unauthorized"), 2_100))
  const reason = await reasonOf(node.url)
  assert.include(reason, "refuses the user or the password (401)")
  assert.notInclude(reason, "planted-password")
  assert.deepStrictEqual(node.paths, ["/"])
  node.stop()
})

it("names the permission that a user lacks to check a node, and does not call it absent", async () => {
  for (const [refused, permission] of [
    ["/_nodes/_local", "cluster:monitor/nodes/info"],
    ["/_cluster/state", "cluster:monitor/state"]
  ] as const) {
    let isFailing = true
    const reason = `no permissions for [${permission}] and User [name=planted-user, roles=[]]`
    const node = await standIn((response, path) => {
      if (isFailing) response.destroy()
      else if (path.startsWith(refused)) {
        response.writeHead(403).end(JSON.stringify({ error: { type: "security_exception", reason } }))
      } else response.end(JSON.stringify({ nodes: { a: {} }, version: 7 }))
      isFailing = false
    })
    assert.include(
      await reasonOf(node.url, { isFirst: false }),
      `its user lacks the permission ${permission} (GET ${refused}`
    )
    node.stop()
  }
})

it("names the permission that a user lacks, and the index that is closed", async () => {
  const answers = {
    permission: [
      403,
      {
        type: "security_exception",
        reason: "no permissions for [indices:data/read/search] and User [name=planted-user, roles=[]]"
      }
    ],
    shard: [
      403,
      {
        type: "security_exception",
        reason: "no permissions for [indices:data/write/bulk[s], indices:data/read/mget[shard]] and User [name=x]"
      }
    ],
    hidden: [500, { type: "security_exception", reason: "Update is not supported when FLS is activated" }],
    closed: [400, { type: "index_closed_exception", reason: "closed", index: "some-events-v1" }]
  } as const
  const node = await standIn((response, path) => {
    const [status, error] = Object.entries(answers).find(([name]) => path === `/${name}`)?.[1] ?? assert.fail()
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ status, error }))
  })
  const permission = await reasonOf(node.url, { path: "/permission" })
  assert.include(permission, "its user lacks the permission indices:data/read/search (GET /permission)")
  assert.notInclude(permission, "planted-user")
  assert.include(
    await reasonOf(node.url, { path: "/shard" }),
    "its user lacks the permission indices:data/write/bulk[s], indices:data/read/mget[shard] (GET /shard)"
  )
  assert.include(await reasonOf(node.url, { path: "/hidden" }), "does not permit GET /hidden (500, security_exception)")
  assert.include(
    await reasonOf(node.url, { path: "/closed" }),
    "the index some-events-v1 is closed: open it with POST /some-events-v1/_open"
  )
  assert.lengthOf(node.paths, 4)
  node.stop()
})

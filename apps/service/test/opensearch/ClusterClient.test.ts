import { createServer, type ServerResponse } from "node:http"
import { assert, it } from "@effect/vitest"
import { ClusterClient } from "@threat-exposure/service/opensearch/ClusterClient"

/** A node that answers as it is told. */
const standIn = async (answer: (response: ServerResponse) => void) => {
  let calls = 0
  const server = createServer((_, response) => {
    calls += 1
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    calls: () => calls,
    stop: () => server.close().closeAllConnections()
  }
}

it("sends one call at a time to a node that failed, until it answers again", async () => {
  let state: "failing" | "frozen" | "well" = "failing"
  const held: Array<ServerResponse> = []
  const one = await standIn((response) => {
    if (state === "failing") response.destroy()
    else if (state === "frozen") held.push(response)
    else response.end("{}")
  })
  const other = await standIn((response) => response.end("{}"))
  const client = new ClusterClient({ urls: [one.url, other.url] })
  const calls = (count: number) =>
    Array.from({ length: count }, () => client.call({ method: "GET", path: "/", timeLimit: 60_000 }))
  try {
    await Promise.all(calls(16))
    const failed = one.calls()
    state = "frozen"
    const underWay: Array<Promise<unknown>> = []
    // It is avoided for some seconds.
    while (one.calls() === failed) {
      const some = calls(2)
      underWay.push(...some)
      await Promise.race(some)
    }
    await Promise.all(calls(100))
    assert.strictEqual(one.calls(), failed + 1)
    state = "well"
    for (const response of held) response.end("{}")
    await Promise.all(underWay)
    await Promise.all(calls(100))
    assert.isAbove(one.calls(), failed + 10)
  } finally {
    await client.close()
    one.stop()
    other.stop()
  }
})

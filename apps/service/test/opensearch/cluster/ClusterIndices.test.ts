/** The creation of an index whose answer is lost. */
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { ClusterClient } from "@threat-exposure/service/opensearch/cluster/ClusterClient"
import { createIndices } from "@threat-exposure/service/opensearch/cluster/ClusterIndices"
import { afterAll } from "vitest"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "an index", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const shape = (name: string) => ({ name, version: 1, properties: { word: { type: "keyword" } } })
  const losing = new Set<string>()
  const proxy = createServer((incoming, outgoing) => {
    void (async () => {
      const { headers, method = "GET", url: path = "" } = incoming
      const body = await text(incoming)
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { "content-type": headers["content-type"] ?? "application/json" },
        ...(body === "" ? {} : { body })
      })
      const answered = await answer.text()
      if (method === "PUT" && losing.delete(path)) return outgoing.destroy()
      return outgoing.writeHead(answer.status, { "content-type": "application/json" }).end(answered)
    })()
  })
  afterAll(() => proxy.close().closeAllConnections())

  it("counts as created if the answer was lost, and not if it was there", async () => {
    proxy.listen(0, "127.0.0.1")
    await once(proxy, "listening")
    const address = proxy.address()
    const client = new ClusterClient({
      urls: [`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`]
    })
    losing.add(`/${prefix}-lost-v1`)
    assert.isTrue(await createIndices(client, prefix, [shape("lost")]))
    assert.isFalse(losing.has(`/${prefix}-lost-v1`))
    // Another program has created it, and the first answer is lost.
    losing.add(`/${prefix}-lost-v1`)
    assert.isFalse(await createIndices(client, prefix, [shape("lost")]))
    assert.isFalse(await createIndices(client, prefix, [shape("lost")]))
    await client.close()
  })
})

/** The creation of an index whose answer is lost. */
import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"
import { passOn, startServer } from "@threat-exposure/programs/LocalServer"
import { ClusterClient } from "@threat-exposure/service/opensearch/cluster/ClusterClient"
import { createIndices } from "@threat-exposure/service/opensearch/cluster/ClusterIndices"

const node = await openSearchNode()

describe.skipIf("missing" in node)("missing" in node ? node.missing : "an index", () => {
  const { prefix, url } = "missing" in node ? { prefix: "", url: "" } : node
  const shape = (name: string) => ({ name, version: 1, properties: { word: { type: "keyword" } } })
  const losing = new Set<string>()
  it("counts as created if the answer was lost, and not if it was there", async () => {
    const proxy = await startServer(async (request, response) => {
      const { body, status } = await passOn(request, url)
      if (request.method === "PUT" && losing.delete(request.url ?? "")) return response.destroy()
      return response.writeHead(status, { "content-type": "application/json" }).end(body)
    })
    const client = new ClusterClient({ urls: [proxy.url] })
    losing.add(`/${prefix}-lost-v1`)
    assert.isTrue(await createIndices(client, prefix, [shape("lost")]))
    assert.isFalse(losing.has(`/${prefix}-lost-v1`))
    // Another program has created the index, and the first answer is lost.
    losing.add(`/${prefix}-lost-v1`)
    assert.isFalse(await createIndices(client, prefix, [shape("lost")]))
    assert.isFalse(await createIndices(client, prefix, [shape("lost")]))
    await client.close()
    await proxy.close()
  })

  it("is refused with the reason of the cluster, such as a template", async () => {
    const template = (method: string, body?: object) =>
      fetch(`${url}/_index_template/${prefix}-streams`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
      })
    await template("PUT", { index_patterns: [`${prefix}-of-stream*`], priority: 1, data_stream: {} })
    const client = new ClusterClient({ urls: [url] })
    const failure = await createIndices(client, prefix, [shape("of-stream")]).catch(String)
    await template("DELETE")
    await client.close()
    assert.include(String(failure), `it does not create ${prefix}-of-stream-v1: cannot create index with name`)
    assert.include(String(failure), `template [${prefix}-streams]`)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { openSearchNode } from "@threat-exposure/programs/OpenSearchNode"

const node = await openSearchNode()

describe.skipIf("missing" in node)(
  "missing" in node ? node.missing : "an OpenSearch node for the tests of a run",
  () => {
    it("is shared, has the modules that the service needs, and gives each test file its own prefix", async () => {
      const again = await openSearchNode()
      if ("missing" in node || "missing" in again) throw new Error("unreachable: the group is skipped")
      assert.strictEqual(again.url, node.url)
      assert.notStrictEqual(again.prefix, node.prefix)
      const ask = async (method: string, path: string, body?: unknown): Promise<unknown> =>
        (
          await fetch(node.url + path, {
            method,
            ...(body === undefined
              ? {}
              : { body: JSON.stringify(body), headers: { "content-type": "application/json" } })
          })
        ).json()
      const index = `/${node.prefix}-queries`
      const properties = { word: { type: "keyword" }, query: { type: "percolator" } }
      assert.deepInclude(await ask("PUT", index, { mappings: { properties } }), { acknowledged: true })
      await ask("PUT", `${index}/_doc/1?refresh=true`, { query: { term: { word: "leak" } } })
      const found = { query: { percolate: { field: "query", document: { word: "leak" } } } }
      assert.deepEqual(await ask("POST", `${index}/_search?filter_path=hits.hits._id`, found), {
        hits: { hits: [{ _id: "1" }] }
      })
      assert.deepInclude(await ask("POST", `${index}/_delete_by_query?refresh=true`, { query: { match_all: {} } }), {
        deleted: 1
      })
      assert.deepInclude(await ask("DELETE", index), { acknowledged: true })
    })
  }
)

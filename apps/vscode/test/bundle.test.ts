/** What went into the bundles, and how large they are. */
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { bundle, entries } from "../scripts/bundle.ts"

describe.each(entries)("$output", (entry) => {
  let files: ReadonlyMap<string, ReadonlyArray<string>>
  beforeAll(async () => {
    files = await bundle(entry)
  }, 60_000)

  it("is two files of at most 400 kB", () => {
    assert.sameMembers([...files.keys()], [entry.output, entry.later])
    for (const file of files.keys()) {
      const { size } = statSync(fileURLToPath(new URL(`../dist/${file}`, import.meta.url)))
      assert.isAtMost(size, 400_000, file)
    }
  })

  it("holds no server code, and detection only in the part that is loaded later", () => {
    const modules = [...files.values()].flat()
    assert.deepStrictEqual(
      modules.filter((path) => /apps\/service|effect\/dist\/sql|HttpServer/u.test(path)),
      []
    )
    const first = files.get(entry.output) ?? []
    assert.deepStrictEqual(
      first.filter((path) => /packages\/(?:detect|leak-check)|\/yaml\//u.test(path)),
      []
    )
  })

  it("asks a browser for nothing that only Node has", () => {
    if (entry.platform === "node") return
    const modules = [...files.values()].flat()
    assert.deepStrictEqual(
      modules.filter((path) => /^node:|platform-node|\/src\/node\//u.test(path)),
      []
    )
  })
})

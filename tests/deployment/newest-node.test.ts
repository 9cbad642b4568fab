/** Runs the service's tests of its database in the newest Node, where `node:sqlite` and zstd have changed. */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const require = createRequire(import.meta.url)
const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs")

describe(`the service in Node ${require("node26/package.json").version}`, () => {
  it("passes its tests of loads and of what becomes visible", () => {
    const suites = ["apps/service/test/sqlite/Publication.test.ts", "apps/service/test/load"]
    const { status, stderr, stdout } = spawnSync(
      require.resolve("node26/bin/node"),
      [vitest, "run", "--project", "service", ...suites],
      { cwd: root, encoding: "utf8", env: { ...process.env, NODE_COMPILE_CACHE: undefined } }
    )
    assert.strictEqual(status, 0, `${stdout}${stderr}`)
    assert.match(stdout, /Tests .*[1-9]\d* passed/u)
  })
})

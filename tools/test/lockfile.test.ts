import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const lockfile = readFileSync(join(root, "pnpm-lock.yaml"), "utf8")

describe("the workspace", () => {
  it("is checked against the Node that it installs, so that pnpm does not warn of each package on an older one", () => {
    const settings = readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")
    const version = /^ {2}node: (\S+)$/mu.exec(settings)?.[1]
    assert.isDefined(version)
    assert.strictEqual(/^nodeVersion: (\S+)$/mu.exec(settings)?.[1], version)
  })
})

describe("the lock file", () => {
  // Every command needs these packages. A package for another platform is optional: pnpm omits it if it cannot resolve it.
  it.each([
    ["oxfmt", "."],
    ["oxlint", "."],
    ["turbo", "."],
    ["typescript", "."],
    ["rolldown", "tools/bundling"]
  ])("has %s for every platform, not only for that on which it was written", (name, user) => {
    const manifest = createRequire(join(root, user, "package.json")).resolve(`${name}/package.json`)
    const { optionalDependencies }: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(manifest, "utf8")
    )
    const platforms = Object.entries(optionalDependencies)
    assert.isAbove(platforms.length, 4)
    assert.deepStrictEqual(
      platforms.filter(([platform, version]) => !lockfile.includes(`\n  '${platform}@${version}':\n`)),
      []
    )
  })
})

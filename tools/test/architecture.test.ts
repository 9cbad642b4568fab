/** ARCHITECTURE.md describes the parts as they are. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")

describe("ARCHITECTURE.md", () => {
  it("says why each dependency was chosen", () => {
    const rows = text.slice(text.indexOf("## Dependencies")).match(/^\| `.*$/gmu) ?? []
    const named = rows.flatMap((row) =>
      Array.from((row.split("|")[1] ?? "").matchAll(/`([^`]+)`/gu), ([, name]) => name)
    )
    const manifests = globSync("{packages,apps}/*/package.json", { cwd: root })
    const installed = manifests
      .flatMap((path) => Object.keys(JSON.parse(readFileSync(join(root, path), "utf8")).dependencies ?? {}))
      .filter((name) => !name.startsWith("@threat-exposure/"))
    // Bundled, and so a dependency of nobody who installs the command line.
    assert.sameMembers([...new Set(named)], [...new Set([...installed, "csv-parse", "csv-stringify"])])
  })

  it("names folders in the order that lint enforces", () => {
    const section = (part: string) => /^[^]*?(?=\n##)/u.exec(text.split(`\n### ${part}\n`)[1] ?? "")?.[0] ?? ""
    const { rules } = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8"))
    for (const [part, folder] of [
      ["detect", "packages/detect/src"],
      ["leak-check", "packages/leak-check/src"],
      ["service", "apps/service/src"],
      ["cli", "apps/cli/src"],
      ["vscode", "apps/vscode/src"]
    ] as const) {
      const order: ReadonlyArray<ReadonlyArray<string>> = rules["house/folder-order"][1][folder]
      const folders = new Set(order.flat().filter((name) => !name.includes(".")))
      // The first column of the table; a path such as `sqlite/Procedure.ts` is no folder.
      const rows = section(part).match(/^\| `[^|]*/gmu) ?? []
      const named = rows.flatMap((row) => Array.from(row.matchAll(/`([\w-]+)\/`/gu), ([, name = ""]) => name))
      assert.isAbove(named.length, 4, part)
      assert.deepStrictEqual(
        named.filter((name) => !folders.has(name)),
        [],
        `${part}: not in .oxlintrc.json`
      )
      const level = (name: string) => order.findIndex((names) => names.includes(name))
      const levels = named.map(level)
      assert.deepStrictEqual(
        levels,
        levels.toSorted((a, b) => a - b),
        part
      )
    }
  })
})

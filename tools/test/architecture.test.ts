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
    const section = (title: string) => text.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? ""
    const { rules } = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8"))
    for (const [title, app] of [
      ["The folders of the service", "service"],
      ["The folders of the command line", "cli"],
      ["The folders of the extension", "vscode"]
    ] as const) {
      const order: ReadonlyArray<ReadonlyArray<string>> = rules["house/folder-order"][1][`apps/${app}/src`]
      const folders = new Set(order.flat().filter((name) => !name.includes(".")))
      const named = Array.from(section(title).matchAll(/`([\w-]+)\/`/gu), ([, name = ""]) => name)
      assert.deepStrictEqual(
        named.filter((name) => !folders.has(name)),
        [],
        `${title}: not in .oxlintrc.json`
      )
      const level = (name: string) => order.findIndex((names) => names.includes(name))
      const levels = named.map(level)
      assert.deepStrictEqual(
        levels,
        levels.toSorted((a, b) => a - b),
        title
      )
    }
  })
})

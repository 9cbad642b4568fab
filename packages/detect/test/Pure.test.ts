import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const src = join(import.meta.dirname, "../src")

const importsOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  for (const [, specifier = ""] of readFileSync(join(src, file), "utf8").matchAll(
    /^import (?!type).* from "([^"]+)"/gm
  )) {
    if (seen.has(specifier)) continue
    seen.add(specifier)
    if (specifier.startsWith("./")) importsOf(specifier.slice(2), seen)
  }
  return seen
}

it("the text and the scanner ask nothing of Node, so that they run in a web worker", () => {
  for (const file of ["Text.ts", "Scanner.ts"]) {
    const outside = [...importsOf(file)].filter((specifier) => !specifier.startsWith("./"))
    assert.includeMembers(
      ["effect", "effect/process", "smol-toml", "@secretlint/secretlint-rule-preset-recommend"],
      outside
    )
  }
})

import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

const src = join(import.meta.dirname, "../src")

/** All packages that a module imports, directly or indirectly. */
const packagesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return new Set()
  seen.add(file)
  const packages = new Set<string>()
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(
    /^(?:import (?!type\b).*|\}) from "([^"]+)"/gm
  )) {
    if (!specifier.startsWith(".")) packages.add(specifier)
    else for (const each of packagesOf(join(dirname(file), specifier), seen)) packages.add(each)
  }
  return packages
}

it("the text and the scanner import nothing of Node, so that they run in a web worker", () => {
  for (const file of ["Text.ts", "Scanner.ts"]) {
    assert.includeMembers(["effect", "effect/process"], [...packagesOf(join(src, file))], file)
  }
  assert.include([...packagesOf(join(src, "Text.ts"))], "effect")
})

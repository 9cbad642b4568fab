import { assert, describe, it } from "@effect/vitest"
import { pathFilter, pathInside } from "@threat-exposure/detect/skip/PathFilter"

describe("a filter of paths", () => {
  it.each([
    ["everything without a pattern", undefined, undefined, ["a.ts", "src/a.ts", "src/.env", "docs/a.md"]],
    ["a folder with everything below it", ["src"], undefined, ["src/a.ts", "src/.env"]],
    ["a folder that is written with slashes", ["./src/"], undefined, ["src/a.ts", "src/.env"]],
    ["all files of a kind", ["**/*.ts"], undefined, ["a.ts", "src/a.ts"]],
    ["the root", ["."], undefined, ["a.ts", "src/a.ts", "src/.env", "docs/a.md"]],
    ["what one of several patterns names", ["*.ts", "docs"], undefined, ["a.ts", "docs/a.md"]],
    ["nothing that is excluded", undefined, ["src", "*.ts"], ["docs/a.md"]],
    ["nothing that is excluded from what is named", ["src"], ["**/*.ts"], ["src/.env"]]
  ] as const)("takes %s", (_, paths, exclude, taken) => {
    assert.deepStrictEqual(["a.ts", "src/a.ts", "src/.env", "docs/a.md"].filter(pathFilter(paths, exclude)), [...taken])
  })
})

describe("a path inside of the root", () => {
  it.each([
    ["a/b.ts", "a/b.ts"],
    ["./a//b.ts", "a/b.ts"],
    ["a\\b.ts", "a/b.ts"],
    ["a/../b.ts", "b.ts"],
    ["a/..", ""],
    [".", ""],
    ["..b/c", "..b/c"]
  ])("is %s as %j", (path, inside) => {
    assert.strictEqual(pathInside(path), inside)
  })

  it.each(["..", "../a", "a/../../b", "/a", "\\a", "~/a", "C:/a", "c:a"])("is not %s", (path) => {
    assert.isUndefined(pathInside(path))
  })
})

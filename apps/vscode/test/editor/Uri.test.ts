import { assert, it } from "@effect/vitest"
import { fileName, folderBelow, isInside, pathBelow } from "../../src/editor/Uri.ts"

it("decides whether a URI is in a folder, even the root of the file system, and its relative path", () => {
  assert.isTrue(isInside("file:///shop/a.ts", "file:///shop"))
  assert.isTrue(isInside("file:///shop", "file:///shop"))
  assert.isFalse(isInside("file:///shopping/a.ts", "file:///shop"))
  assert.isTrue(isInside("file:///a.ts", "file:///"))
  assert.strictEqual(pathBelow("file:///shop", "file:///shop/old%20files/a.ts"), "old files/a.ts")
  assert.strictEqual(pathBelow("file:///", "file:///a.ts"), "a.ts")
  assert.strictEqual(pathBelow("file:///shop", "file:///shop"), "")
  assert.strictEqual(folderBelow("file:///", "file:///"), "")
  assert.strictEqual(folderBelow("file:///", "file:///shop"), "shop/")
  assert.strictEqual(fileName("file:///shop/old%20files"), "old files")
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { filesBelow } from "../../src/detection/FolderFiles.ts"
import { EditorDouble } from "../EditorDouble.ts"

const found = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  { below = "", folder = "", limit = 100, links = [] }: Options = {}
) {
  const editor = new EditorDouble()
  for (const [path, text] of Object.entries(files)) editor.files.set(`file:///dist/${path}`, text)
  for (const path of links) editor.links.add(`file:///dist/${path}`)
  const skipped: Array<string> = []
  const skip = (reason: string, path: string) => void skipped.push(`${reason}: ${path}`)
  const all = yield* filesBelow(`file:///dist${folder}`, { below, limit, skip }).pipe(Effect.provide(editor.layer))
  return { paths: all.map(({ path }) => path), skipped }
})

interface Options {
  readonly below?: string
  readonly folder?: string
  readonly limit?: number
  readonly links?: ReadonlyArray<string>
}

describe("the files of a folder", () => {
  it.effect("are those that git does not ignore, by the patterns in every folder of the path", () =>
    Effect.gen(function* () {
      const files = {
        ".git/config": "",
        ".git/info/exclude": "*.bak\n",
        ".gitignore": "/build/\n*.log\n",
        "a.ts": "",
        "a.bak": "",
        "a.log": "",
        "build/b.ts": "",
        "shop/.gitignore": "!kept.log\n/local\n",
        "shop/kept.log": "",
        "shop/local": "",
        "shop/build/c.ts": "",
        "shop/web/local": ""
      }
      assert.deepStrictEqual(yield* found(files), {
        paths: [".gitignore", "a.ts", "shop/.gitignore", "shop/build/c.ts", "shop/kept.log", "shop/web/local"],
        skipped: ["ignored: a.bak", "ignored: a.log", "ignored: build/", "ignored: shop/local"]
      })
      // Patterns from above the open folder apply as well.
      assert.deepStrictEqual((yield* found({ ...files, "shop/x.log": "" }, { folder: "/shop" })).skipped, [
        "ignored: local",
        "ignored: x.log"
      ])
    })
  )

  it.effect("are those at or below one path, if one is given", () =>
    Effect.gen(function* () {
      const files = { "a.ts": "", "shop/b.ts": "", "shop/web/c.ts": "", "shopping/d.ts": "" }
      assert.deepStrictEqual((yield* found(files, { below: "shop" })).paths, ["shop/b.ts", "shop/web/c.ts"])
      assert.deepStrictEqual((yield* found(files, { below: "shop/web/c.ts" })).paths, ["shop/web/c.ts"])
    })
  )

  it.effect("exclude those behind a symbolic link, those of another repository, and those over the limit", () =>
    Effect.gen(function* () {
      const files = { ".git/config": "", "a.ts": "", "b.ts": "", "link/c.ts": "", "module/.git": "", "module/d.ts": "" }
      const links = ["link"]
      assert.deepStrictEqual(yield* found(files, { links }), {
        paths: ["a.ts", "b.ts"],
        skipped: ["symbolic-link: link", "submodule: module"]
      })
      assert.deepStrictEqual((yield* found(files, { links, limit: 1 })).paths, ["a.ts"])
    })
  )
})

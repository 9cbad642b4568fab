import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { repositoryOf } from "../../src/detection/Repository.ts"
import { EditorDouble } from "../EditorDouble.ts"

describe("the repository of a folder", () => {
  const config = '[remote "origin"]\n\turl = https://git.example.com/example/orchard.git\n'
  const files = [
    { name: "a clone", of: { "/orchard/.git/config": config }, folder: "/orchard", root: "/orchard" },
    {
      name: "a folder inside a clone",
      of: { "/orchard/.git/config": config },
      folder: "/orchard/shop/web",
      root: "/orchard"
    },
    {
      name: "a worktree",
      of: {
        "/tree/.git": "gitdir: /orchard/.git/worktrees/tree\n",
        "/orchard/.git/worktrees/tree/commondir": "../..\n",
        "/orchard/.git/config": config
      },
      folder: "/tree",
      root: "/tree"
    },
    {
      name: "a submodule",
      of: { "/shop/orchard/.git": "gitdir: ../.git/modules/orchard\n", "/shop/.git/modules/orchard/config": config },
      folder: "/shop/orchard",
      root: "/shop/orchard"
    }
  ]
  it.effect.each(files)("is found in $name", ({ folder, of, root }) => {
    const editor = new EditorDouble()
    for (const [path, text] of Object.entries(of)) editor.files.set(`file://${path}`, text)
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* repositoryOf(`file://${folder}`), { root: `file://${root}`, config })
      assert.isUndefined(yield* repositoryOf("file:///elsewhere"))
    }).pipe(Effect.provide(editor.layer))
  })
})

import { Context, Effect, Layer } from "effect"
import type { Tree } from "../Editor.ts"
import type { TreeNode } from "./TreeNode.ts"

/** All views' rows by id, for commands that a row's own click runs: the editor does not pass them the row. */
export class Trees extends Context.Service<
  Trees,
  {
    readonly add: (tree: Tree) => Effect.Effect<void>
    readonly row: (id: string) => TreeNode | undefined
  }
>()("threat-exposure/editor/tree/Trees") {
  static readonly layer = Layer.sync(Trees, () => {
    const trees: Array<Tree> = []
    return Trees.of({
      add: (tree) => Effect.sync(() => void trees.push(tree)),
      row: (id) => trees.map((tree) => tree.row(id)).find((node) => node !== undefined)
    })
  })
}

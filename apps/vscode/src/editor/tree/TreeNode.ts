import type { Effect } from "effect"
import type { Row } from "./Row.ts"
import type { Subject } from "./Subject.ts"

/** A row of a view, its subject, and the effect that returns its children. */
export class TreeNode {
  readonly row: Row
  readonly subject: Subject | undefined
  readonly children: Effect.Effect<ReadonlyArray<TreeNode>> | undefined
  /** Set when the parent's children are returned to the editor. */
  parent: TreeNode | undefined = undefined

  constructor(
    row: Row,
    { children, subject }: { readonly subject?: Subject; readonly children?: TreeNode["children"] } = {}
  ) {
    this.row = row
    this.subject = subject
    this.children = children
  }
}

/** The rows last returned to the editor, by id: the editor compares rows by identity. */
export class ShownRows {
  readonly #byId = new Map<string, TreeNode>()
  /** Ids of the children that were returned for a row, by its id. */
  readonly #under = new Map<string, ReadonlyArray<string>>()

  get(id: string): TreeNode | undefined {
    return this.#byId.get(id)
  }

  /**
   * Replaces the children of the parent and removes all former descendants, as the editor does. Returns the rows for
   * the editor.
   */
  replace(parent: TreeNode | undefined, children: ReadonlyArray<TreeNode>): ReadonlyArray<TreeNode> {
    if (parent === undefined) {
      this.#byId.clear()
      this.#under.clear()
    } else {
      this.#forgetUnder(parent.row.id)
    }
    const unique = new Map<string, TreeNode>()
    // Ids must be unique: the editor shows neither of two rows with one id.
    for (const child of children) if (!unique.has(child.row.id)) unique.set(child.row.id, child)
    for (const [id, child] of unique) {
      child.parent = parent
      this.#byId.set(id, child)
    }
    if (parent !== undefined) this.#under.set(parent.row.id, [...unique.keys()])
    return [...unique.values()]
  }

  /** The row after these, which have the same parent, or else the one before them. */
  beside(nodes: ReadonlyArray<TreeNode>): TreeNode | undefined {
    const ids = this.#under.get(nodes[0]?.parent?.row.id ?? "") ?? []
    const places = nodes.map(({ row }) => ids.indexOf(row.id))
    if (places.length === 0 || places.includes(-1)) return undefined
    return this.get(ids[Math.max(...places) + 1] ?? ids[Math.min(...places) - 1] ?? "")
  }

  #forgetUnder(id: string): void {
    const children = this.#under.get(id) ?? []
    this.#under.delete(id)
    for (const child of children) {
      // The row has moved to another parent and stays.
      if (this.#byId.get(child)?.parent?.row.id !== id) continue
      this.#forgetUnder(child)
      this.#byId.delete(child)
    }
  }
}

import type { Effect } from "effect"
import type { Row } from "./Row.ts"
import type { Subject } from "./Subject.ts"

/** A row of a view, what it represents, and how the rows below it are found. */
export class TreeNode {
  readonly row: Row
  readonly subject: Subject | undefined
  readonly children: Effect.Effect<ReadonlyArray<TreeNode>> | undefined
  /** Set when the parent hands the row out. */
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

/** The rows that the editor was given last, by id, because it compares rows by object identity. */
export class ShownRows {
  readonly #byId = new Map<string, TreeNode>()
  /** The ids of the rows that were handed out for a row, by its id. */
  readonly #under = new Map<string, ReadonlyArray<string>>()

  get(id: string): TreeNode | undefined {
    return this.#byId.get(id)
  }

  /** Forgets the rows that were below the parent, at every depth, as the editor does. Returns the rows for the editor. */
  replace(parent: TreeNode | undefined, children: ReadonlyArray<TreeNode>): ReadonlyArray<TreeNode> {
    if (parent === undefined) {
      this.#byId.clear()
      this.#under.clear()
    } else {
      this.#forgetUnder(parent.row.id)
    }
    const unique = new Map<string, TreeNode>()
    // The editor shows none of them where two have one id.
    for (const child of children) if (!unique.has(child.row.id)) unique.set(child.row.id, child)
    for (const [id, child] of unique) {
      child.parent = parent
      this.#byId.set(id, child)
    }
    if (parent !== undefined) this.#under.set(parent.row.id, [...unique.keys()])
    return [...unique.values()]
  }

  #forgetUnder(id: string): void {
    const children = this.#under.get(id) ?? []
    this.#under.delete(id)
    for (const child of children) {
      // A row that has moved to another parent stays.
      if (this.#byId.get(child)?.parent?.row.id !== id) continue
      this.#forgetUnder(child)
      this.#byId.delete(child)
    }
  }
}

import type { Effect } from "effect"
import type { Row } from "./Row.ts"
import type { Subject } from "./Subject.ts"

/** A row of a view, what it stands for, and how the rows under it are found. */
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

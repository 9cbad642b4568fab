import type { Effect } from "effect"
import type { Row } from "./Row.ts"
import type { Subject } from "./Subject.ts"

/** A row of a view, what it stands for, and how what is under it is found. */
export class TreeNode {
  readonly row: Row
  readonly subject: Subject
  readonly children: Effect.Effect<ReadonlyArray<TreeNode>> | undefined
  /** Set when the parent hands the row out. */
  parent: TreeNode | undefined = undefined

  constructor(row: Row, subject: Subject, children?: Effect.Effect<ReadonlyArray<TreeNode>>) {
    this.row = row
    this.subject = subject
    this.children = children
  }
}

/** The thing that a row represents. Each folder has one class per kind of row that its commands act on. */
import type { Effect } from "effect"

export interface Copied {
  readonly id: string
  readonly link?: string | undefined
  readonly json: unknown
}

export abstract class Subject {
  /** The data that can be copied from the row, without secrets; undefined if there is none. */
  get copied(): Copied | undefined {
    return undefined
  }
}

/** A row with an action, such as to retry or to load more. */
export class RowAction extends Subject {
  readonly run: Effect.Effect<void>

  constructor(run: Effect.Effect<void>) {
    super()
    this.run = run
  }
}

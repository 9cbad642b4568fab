/** The subject of a row. Each folder has a class for each kind of row that its commands act on. */
import type { Effect } from "effect"

export interface Copied {
  readonly id: string
  readonly link?: string | undefined
  readonly json: unknown
}

export abstract class Subject {
  /** The text that can be copied from the row, without secrets. */
  get copied(): Copied | undefined {
    return undefined
  }
}

/** A row that does something itself: it tries again, or loads what comes next. */
export class RowAction extends Subject {
  readonly run: Effect.Effect<void>

  constructor(run: Effect.Effect<void>) {
    super()
    this.run = run
  }
}

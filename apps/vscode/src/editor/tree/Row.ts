/** A row of a view, in plain values. */
export interface Icon {
  /** A product icon's name. */
  readonly id: string
  /** A theme colour's name. */
  readonly color?: string | undefined
}

export interface CommandLink {
  readonly name: string
  readonly title: string
  readonly args?: ReadonlyArray<unknown>
}

export interface Row {
  /** Unique in its view and stable over refreshes. */
  readonly id: string
  readonly label: string
  /** Ranges of `label`, as start and end. */
  readonly highlights?: ReadonlyArray<readonly [number, number]> | undefined
  readonly description?: string | undefined
  /** Shown as plain text; computed when the pointer rests on the row. Default: the label. */
  readonly tooltip?: (() => string) | undefined
  readonly icon?: Icon | undefined
  /** For resolved or ignored items: the label is dimmed. */
  readonly isDimmed?: boolean
  readonly state: "leaf" | "closed" | "open"
  /** The kinds that menus ask for; a row of `["event", "linked"]` has both. */
  readonly kinds?: ReadonlyArray<string> | undefined
  /** Run by a click; without arguments of its own, it gets the row, as from a menu. */
  readonly command?: CommandLink | undefined
  readonly accessibleLabel?: string | undefined
}

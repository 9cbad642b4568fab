/** A row of a view, in plain values. */
export interface Icon {
  /** Name of a product icon. */
  readonly id: string
  /** Name of a theme colour. */
  readonly color?: string | undefined
}

export interface CommandLink {
  readonly name: string
  readonly title: string
  readonly args?: ReadonlyArray<unknown>
}

export interface Row {
  /** Unique in its view and stable across refreshes. */
  readonly id: string
  readonly label: string
  /** Ranges of `label`, each with its start and end. */
  readonly highlights?: ReadonlyArray<readonly [number, number]> | undefined
  readonly description?: string | undefined
  /** Plain text, computed on hover. Default: the label. */
  readonly tooltip?: (() => string) | undefined
  readonly icon?: Icon | undefined
  /** Whether the label is dimmed, as for resolved or ignored items. */
  readonly isDimmed?: boolean
  readonly state: "leaf" | "closed" | "open"
  /** Kinds for the conditions of menus; a row of `["event", "linked"]` has both. */
  readonly kinds?: ReadonlyArray<string> | undefined
  /** Runs on a click. Without arguments of its own, it receives the row, as from a menu. */
  readonly command?: CommandLink | undefined
  readonly accessibleLabel?: string | undefined
}

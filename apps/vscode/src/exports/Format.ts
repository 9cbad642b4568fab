export interface Format<A> {
  readonly head: string
  readonly items: (items: ReadonlyArray<A>, areFirst: boolean) => string
  /** Text that completes the file after the items written so far. */
  readonly tail: () => string
  /**
   * Reads a file of this format without its tail, so that it can be continued. Returns the keys of its items; throws if
   * the file is invalid.
   */
  readonly takeUp: (text: string) => ReadonlyArray<string>
}

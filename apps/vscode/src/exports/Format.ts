/** A file format of an export. */
export interface Format<A> {
  readonly head: string
  readonly items: (items: ReadonlyArray<A>, areFirst: boolean) => string
  /** Ends the file after whatever was written. */
  readonly tail: () => string
  /** Reads a file of this format without its tail, and returns the keys of its items; throws if it is not valid. */
  readonly takeUp: (text: string) => ReadonlyArray<string>
}

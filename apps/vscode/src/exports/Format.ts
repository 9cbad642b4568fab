/** How items read in a file. */
export interface Format<A> {
  readonly head: string
  readonly items: (items: ReadonlyArray<A>, areFirst: boolean) => string
  /** Ends the file after whatever was written. */
  readonly tail: () => string
  /** Takes up a file of this format but for its tail, and gives the keys of the items in it; throws where it is none. */
  readonly takeUp: (text: string) => ReadonlyArray<string>
}

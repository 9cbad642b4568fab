/** The loaded events around one: the next in time, and others of its source. */
import { type AnyEvent, sourceOf, timeOf } from "../AnyEvent.ts"

export interface EventNeighbours {
  readonly newer: AnyEvent | undefined
  readonly older: AnyEvent | undefined
  /** The newest others of the same source. */
  readonly ofSource: ReadonlyArray<AnyEvent>
  /** How many others of the same source are loaded. */
  readonly sourceTotal: number
}

/** In one pass: there may be many thousands. */
export const neighboursOf = (event: AnyEvent | undefined, loaded: Iterable<AnyEvent>): EventNeighbours => {
  if (event === undefined) return { newer: undefined, older: undefined, ofSource: [], sourceTotal: 0 }
  const source = sourceOf(event)
  let newer: AnyEvent | undefined
  let older: AnyEvent | undefined
  let ofSource: ReadonlyArray<AnyEvent> = []
  let sourceTotal = 0
  for (const other of loaded) {
    if (other.metadata.uid === event.metadata.uid) continue
    if (isNewer(other, event)) {
      if (newer === undefined || isNewer(newer, other)) newer = other
    } else if (older === undefined || isNewer(other, older)) older = other
    if (sourceOf(other) !== source) continue
    sourceTotal++
    const last = ofSource.at(-1)
    if (ofSource.length < maxOfSource || (last !== undefined && isNewer(other, last)))
      ofSource = [...ofSource, other].toSorted((a, b) => (isNewer(a, b) ? -1 : 1)).slice(0, maxOfSource)
  }
  return { newer, older, ofSource, sourceTotal }
}

const maxOfSource = 5

/** Events of the same time are ordered by uid. */
const isNewer = (a: AnyEvent, b: AnyEvent): boolean => {
  const [one, other] = [timeOf(a), timeOf(b)]
  return one === other ? a.metadata.uid < b.metadata.uid : one > other
}

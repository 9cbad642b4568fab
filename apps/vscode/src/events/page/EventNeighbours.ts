/** Finds loaded events near an event: the next in time, and others of the same source. */
import { type AnyEvent, sourceOf, timeOf } from "../AnyEvent.ts"

export interface EventNeighbours {
  readonly newer: AnyEvent | undefined
  readonly older: AnyEvent | undefined
  /** The newest other events of the same source. */
  readonly ofSource: ReadonlyArray<AnyEvent>
  /** Number of other loaded events of the same source. */
  readonly sourceTotal: number
}

/** Uses a single pass, because many thousands of events may be loaded. */
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

/** Compares by time, then by uid. */
const isNewer = (a: AnyEvent, b: AnyEvent): boolean => {
  const [one, other] = [timeOf(a), timeOf(b)]
  return one === other ? a.metadata.uid < b.metadata.uid : one > other
}

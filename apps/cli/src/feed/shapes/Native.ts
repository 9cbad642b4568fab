/** The received item with the fields of the feed. */
import type { Passed } from "../Found.ts"

export const native = (passed: Passed) => ({
  uid: passed.uid,
  [passed.summary.changed === undefined ? "first_seen_by_feed" : "change_seen_by_feed"]: passed.passedAt,
  ...(passed.tlp === undefined ? {} : { tlp: passed.tlp }),
  ...statedContent(passed),
  [passed.kind]: passed.item
})

/** The changed annotations, and whether the item has the whole content of the event. */
export const statedContent = ({ content, summary: { changed } }: Passed) => ({
  ...(changed === undefined ? {} : { changed }),
  ...(content === undefined ? {} : { full: content.isFull }),
  ...(content?.isFull === false ? { reason: content.reason } : {})
})

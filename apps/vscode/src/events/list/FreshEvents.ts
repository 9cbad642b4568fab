/**
 * Tracks events that a background refresh found and that nobody has opened yet. The badge of the view counts the open
 * ones.
 */
import { Effect } from "effect"
import type { Tree } from "../../editor/Editor.ts"
import { count } from "../../words/Localisation.ts"
import { stateOf } from "../AnyEvent.ts"
import type { EventCache } from "../EventCache.ts"

export class FreshEvents {
  readonly #cache: EventCache["Service"]
  readonly #uids = new Set<string>()

  constructor(cache: EventCache["Service"]) {
    this.#cache = cache
  }

  readonly has = (uid: string) => this.#uids.has(uid)

  add(uid: string): void {
    this.#uids.add(uid)
  }

  /** Marks the event as opened; returns whether it was fresh. */
  readonly open = (uid: string): boolean => this.#uids.delete(uid)

  clear(): void {
    this.#uids.clear()
  }

  readonly showBadge = (tree: Tree): Effect.Effect<void> =>
    Effect.suspend(() => {
      const open = [...this.#uids].filter((uid) => {
        const event = this.#cache.get(uid)
        return event === undefined || stateOf(event) === "open"
      }).length
      const tooltip = count(open, "{0} new open event", "{0} new open events")
      return tree.setBadge(open === 0 ? undefined : { value: open, tooltip })
    })
}

import * as DateTime from "effect/DateTime"
import type { Draw } from "./Draw.ts"

/** Moments before a day, as the wire writes them: with microseconds, in UTC. */
export class Calendar {
  readonly #today: DateTime.Utc

  constructor(today: DateTime.Utc) {
    this.#today = today
  }

  /** `draw` decides about the microseconds. */
  before(days: number, draw: Draw): string {
    const moment = DateTime.subtract(this.#today, { milliseconds: Math.round(days * 86_400_000) })
    return DateTime.formatIso(moment).replace("Z", `${String(draw.between(0, 999)).padStart(3, "0")}Z`)
  }

  dayBefore(days: number): string {
    return DateTime.formatIsoDateUtc(DateTime.subtract(this.#today, { days: Math.round(days) }))
  }
}

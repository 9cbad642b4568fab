import * as DateTime from "effect/DateTime"
import type { SeededRandom } from "./SeededRandom.ts"

export class SampleDates {
  readonly #today: DateTime.Utc

  constructor(today: DateTime.Utc) {
    this.#today = today
  }

  /** The time so many days before today. `random` supplies the microseconds. */
  before(days: number, random: SeededRandom): string {
    const moment = DateTime.subtract(this.#today, { milliseconds: Math.round(days * 86_400_000) })
    return DateTime.formatIso(moment).replace("Z", `${String(random.integer(0, 999)).padStart(3, "0")}Z`)
  }

  dayBefore(days: number): string {
    return DateTime.formatIsoDateUtc(DateTime.subtract(this.#today, { days: Math.round(days) }))
  }
}

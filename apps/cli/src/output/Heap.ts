import { setFlagsFromString } from "node:v8"
import * as Effect from "effect/Effect"

/**
 * Bounds the memory of a long listing. V8 enlarges the young generation to more than 100 MB and lets the old one double,
 * although little of either is in use; its middle compiler takes 15 MB to save little time.
 */
export const limitHeap = Effect.sync(() => {
  setFlagsFromString("--semi-space-growth-factor=1")
  setFlagsFromString("--min-semi-space-size=2")
  setFlagsFromString("--heap-growing-percent=10")
  setFlagsFromString("--no-maglev")
})

/** How likely it is that a value whose form is that of a secret is one in use. */
import { isWeak } from "./Placeholder.ts"
import { randomness } from "./Randomness.ts"
import type { Source } from "../text/Source.ts"

/** What is made up, or shown to readers, has the form as well. */
export const lowered = ({ kind }: Source, confidence: number): number =>
  Math.max(0, confidence - (kind.madeUp ? 0.3 : 0) - (kind.format === "prose" ? 0.2 : 0))

/** Of a password that stands where nothing but one can stand; `base` is that of one which a person made up well. */
export const passwordConfidence = (value: string, base: number): number => {
  if (isWeak(value)) return base - 0.15
  const random = randomness(value)
  if (random >= 0.5) return base + 0.2
  if (/^[a-z]+$/i.test(value)) return value.length >= 8 ? base - 0.15 : base - 0.25
  return value.length < 6 ? base - 0.2 : base
}

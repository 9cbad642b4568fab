/** Milliseconds of a clock that never goes back, to measure durations in code without Effect or where speed matters. */
export const monotonicNow = (): number => performance.now()

/** Milliseconds that never go back, to measure durations: for code that runs without Effect, and for speed. */
export const monotonicNow = (): number => performance.now()

/** Measures how much time passes, whatever happens to the time of day. */
export { monotonicMillis } from "../transport/MonotonicTime.ts"

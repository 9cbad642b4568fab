/** Measures elapsed time, independent of changes to the system clock. */
export { monotonicMillis } from "../transport/MonotonicTime.ts"

/**
 * Bounds the memory of the commands that read long listings. It is imported before all other modules: V8 would enlarge the
 * young generation to 16 MB while these are loaded and let the old one double, although little of either is in use. V8's
 * middle compiler takes 15 MB to save little time.
 */
import { setFlagsFromString } from "node:v8"

const longListings = new Set(["accounts", "export", "feed"])

if (process.argv.some((word) => longListings.has(word))) {
  for (const flag of [
    "--semi-space-growth-factor=1",
    "--min-semi-space-size=2",
    "--heap-growing-percent=10",
    "--no-maglev"
  ]) {
    setFlagsFromString(flag)
  }
}

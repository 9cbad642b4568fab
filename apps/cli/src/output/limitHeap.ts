/**
 * Bounds the memory of the commands that read long listings. It is imported before all other modules: V8 would enlarge the
 * young generation to 16 MB while these are loaded and let the old one double, although little of either is in use. V8's
 * middle compiler takes 15 MB to save little time.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

const longListings = new Set(["accounts", "export", "feed"])

/** Two halves of 4 MB. A page of a listing that does not fit would survive, and fill the old generation. */
const youngGenerationBytes = 8 * 2 ** 20

/** V8 enlarges the young generation while its objects survive, by a factor, and to a limit that only its start can set. */
const enlargeYoungGeneration = () => {
  setFlagsFromString("--semi-space-growth-factor=4")
  const survivors: Array<ReadonlyArray<number>> = []
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0
  while (survivors.length < 8_000 && size() < youngGenerationBytes) survivors.push(Array.from({ length: 128 }, Number))
  setFlagsFromString("--semi-space-growth-factor=1")
}

if (process.argv.some((word) => longListings.has(word))) {
  enlargeYoungGeneration()
  for (const flag of ["--heap-growing-percent=10", "--no-maglev"]) setFlagsFromString(flag)
}

/**
 * Limits the memory of commands that read long listings. Must be imported before all other modules: while V8 loads
 * them, it would enlarge the young generation to 16 MB and let the old one double, although both are mostly empty. V8's
 * mid-tier compiler (Maglev) takes 15 MB and saves little time.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

const longListings = new Set(["accounts", "export", "feed"])

/** Two halves of 4 MB. Pages of a listing that do not fit would be promoted and fill the old generation. */
const youngGenerationBytes = 8 * 2 ** 20

/**
 * V8 enlarges the young generation only while its objects survive, by this factor. Its limit can be set only when V8
 * starts.
 */
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
  // V8 accepts the code that this run has compiled if it was written under the flags that the next one starts with.
  process.prependListener("exit", () => {
    for (const flag of ["--semi-space-growth-factor=2", "--heap-growing-percent=0", "--maglev"])
      setFlagsFromString(flag)
  })
}

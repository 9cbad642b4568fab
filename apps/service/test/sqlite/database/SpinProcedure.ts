import { procedure } from "@threat-exposure/service/sqlite/database/Procedure"
import type { Slice, SliceInput } from "@threat-exposure/service/sqlite/database/SlicedSearch"

/** Takes as many slices as the input says, each until its time limit, and returns their number. */
export const spin = procedure(
  "test.spin",
  (_database, { input, progress = 0, time }: SliceInput<number, number>): Slice<number, number> => {
    const end = performance.now() + time
    while (performance.now() < end);
    const slices = progress + 1
    return slices < input ? { isDone: false, progress: slices } : { isDone: true, output: slices }
  }
)

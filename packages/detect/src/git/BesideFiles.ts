/** Whether a place is that of a file, or of what git keeps beside files: see GitPlaces.ts. */
import type { Candidate } from "../Candidate.ts"

/** Whether a path is one of a message, a note or a stash: no file can be opened by it. */
export const isBesideFiles = (path: string): boolean => path.startsWith(".git/")

/** Whether no file has the line as it is now. */
export const isElsewhere = ({ path, removed = false }: Pick<Candidate["location"], "path" | "removed">): boolean =>
  removed || isBesideFiles(path)

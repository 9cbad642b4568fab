/** Tells file paths from paths of other content of a repository: see GitPlaces.ts. */
import type { Candidate } from "../Candidate.ts"

/** Whether the path stands for a message, a note or a stash, so that no file can be opened. */
export const isBesideFiles = (path: string): boolean => path.startsWith(".git/")

/** Whether no current file has the line. */
export const isElsewhere = ({ path, removed = false }: Pick<Candidate["location"], "path" | "removed">): boolean =>
  removed || isBesideFiles(path)

/**
 * Paths for content of a repository that is not a file of a commit. They begin with `.git/`, which git allows for no
 * file.
 */
import type { Candidate } from "../Candidate.ts"

/** The internal path of every message of a commit or tag, by which `exclude` can match it. */
export const messagePath = ".git/message.txt"

/** The path of content that only this reference reaches. */
export const placeOfReference = (name: string): string => `.git/${name}`

/** Maps paths of files to reported paths, by the id of a commit that only a stash or a note reaches. */
export type PlacesOfCommits = ReadonlyMap<string, (path: string) => string>

/** The candidate with the path that a report shows. */
export const withPlace = (candidate: Candidate, places: PlacesOfCommits = new Map()): Candidate => {
  const { commit, path } = candidate.location
  if (commit === undefined) return candidate
  const place = path === messagePath ? `.git/messages/${commit}` : places.get(commit)?.(path)
  return place === undefined ? candidate : relocate(place, candidate)
}

/** Clears `removed`: a message exists as long as its commit. */
export const relocate = (path: string, candidate: Candidate): Candidate => ({
  ...candidate,
  location: { ...candidate.location, path, removed: undefined }
})

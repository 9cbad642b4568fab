/** The paths of what git keeps beside the files of commits. They begin with `.git/`, as that of no file of a commit can. */
import type { Candidate } from "../Candidate.ts"

/** The path by which the message of a commit or a tag is read, and can be excluded. */
export const messagePath = ".git/message.txt"

/** The path of what a reference names that is no commit, and of what only it reaches. */
export const placeOfReference = (name: string): string => `.git/${name}`

/** The path of a file by the id of its commit, where only a stash or a note has that. */
export type PlacesOfCommits = ReadonlyMap<string, (path: string) => string>

/** The candidate with the place that a report shows. */
export const withPlace = (candidate: Candidate, places: PlacesOfCommits = new Map()): Candidate => {
  const { commit, path } = candidate.location
  if (commit === undefined) return candidate
  const place = path === messagePath ? `.git/messages/${commit}` : places.get(commit)?.(path)
  return place === undefined ? candidate : placedAt(place, candidate)
}

/** A message stays as long as its commit: it is not removed. */
export const placedAt = (path: string, candidate: Candidate): Candidate => ({
  ...candidate,
  location: { ...candidate.location, path, removed: undefined }
})

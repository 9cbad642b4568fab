/** Finds candidates in whole files. */
import { Effect, Stream } from "effect"
import type { Candidate } from "../Candidate.ts"
import type { ScanError } from "../ScanError.ts"
import type { ScanCounter } from "../skip/ScanCounter.ts"
import { skipByPath } from "../skip/Skipped.ts"
import type { TextOptions } from "../Text.ts"
import type { FileName, Files } from "./Files.ts"

/** Scans the given files of a folder, except those that are skipped because of their path. */
export const scanFiles = (
  files: Files["Service"],
  root: string,
  names: Stream.Stream<FileName, ScanError>,
  text: TextOptions,
  counter: ScanCounter
): Stream.Stream<Candidate, ScanError> => {
  const { folder = "" } = text
  const toRead = names.pipe(
    Stream.filter(({ path }) => {
      const reason = skipByPath(folder + path)
      if (reason !== undefined) counter.skip(reason, path)
      return reason === undefined
    }),
    Stream.runCollect,
    Effect.tap((all) => Effect.sync(() => void (counter.filesTotal = (counter.filesTotal ?? 0) + all.length)))
  )
  return Stream.fromIterableEffect(toRead).pipe(
    Stream.grouped(filesAtOnce),
    Stream.mapEffect((batch) => files.scan(root, batch, text), { concurrency: batchesAtOnce }),
    Stream.flattenIterable,
    Stream.map(({ allowed, bytes, candidates, path, skipped }) => {
      if (skipped !== "not-checked-out") counter.files++
      counter.bytes += bytes
      if (skipped !== undefined) counter.skip(skipped, path)
      for (const { candidate, commentLine } of allowed) {
        const reason = commentLine === undefined ? "allowlisted" : "allow-comment"
        counter.skip(reason, `${path}:${candidate.location.line}`)
      }
      return candidates
    }),
    Stream.flattenIterable
  )
}

const filesAtOnce = 64
const batchesAtOnce = 4

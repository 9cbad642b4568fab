import { Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import { leadsOut } from "../config/SettingValue.ts"

/** A symbolic link leads the file out of its folder. Nothing was written. */
export class LinkedOut extends Schema.TaggedError<LinkedOut>()("LinkedOut", { link: Schema.String }) {
  override get message() {
    return `the symbolic link ${this.link} leads it out of its folder: remove the link, or name another file`
  }
}

export interface ReportFile {
  /** Path relative to `folder`, or absolute. */
  readonly file: string
  /**
   * Links inside this folder are checked, because a change under review may add them; a file outside it was named
   * deliberately.
   */
  readonly folder: string
  readonly content: string
}

/** Writes a report, and creates missing folders. */
export const writeReport = Effect.fn("writeReport")(function* ({
  content,
  file,
  folder
}: ReportFile): Effect.fn.Return<void, LinkedOut | PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const full = path.resolve(folder, file)
  if (!leadsOut(path.relative(folder, full))) yield* refuseLinksOut(path.resolve(folder), full)
  // Not Node's recursive creation, which never ends below a folder such as /proc, where none can be created.
  const makeFolders = (folder: string): Effect.Effect<void, PlatformError.PlatformError> =>
    Effect.flatMap(files.exists(folder), (isThere) =>
      isThere ? Effect.void : Effect.andThen(makeFolders(path.dirname(folder)), makeFolder(folder))
    )
  // Another report may have created it in the meantime.
  const makeFolder = (folder: string) =>
    files
      .makeDirectory(folder)
      .pipe(Effect.catch((error) => (error.reason._tag === "AlreadyExists" ? Effect.void : Effect.fail(error))))
  yield* makeFolders(path.dirname(full))
  yield* files.writeFileString(full, content)
})

/**
 * Checks every link between `folder` and `full`, including dangling ones: writing through one would create its target.
 */
const refuseLinksOut = Effect.fnUntraced(function* (folder: string, full: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const top = yield* files.realPath(folder)
  for (let place = full; place !== folder; place = path.dirname(place)) {
    if (Option.isNone(yield* Effect.option(files.readLink(place)))) continue
    const target = yield* Effect.option(files.realPath(place))
    if (Option.isNone(target) || leadsOut(path.relative(top, target.value))) {
      return yield* new LinkedOut({ link: path.relative(folder, place) })
    }
  }
})

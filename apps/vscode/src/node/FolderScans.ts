/** Scans with the help of the machine: git, and files read without the editor between. */
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner, type Scan } from "@threat-exposure/detect/Scanner"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { Effect, Option, Stream } from "effect"
import { t } from "../Localisation.ts"
import type { FolderScans, Scanned } from "../leaks/LeakEngine.ts"

const collected = Effect.fnUntraced(function* ({ candidates, account }: Scan): Effect.fn.Return<Scanned, ScanError> {
  const found = yield* Stream.runCollect(candidates)
  const { notRead, shallow } = yield* account
  return {
    candidates: found,
    gaps: [
      ...notRead.map(({ path, reason }) => t("{0} was not read: {1}.", path, t(reason.replaceAll("-", " ")))),
      ...(shallow ? [t("The history of this clone is not whole, so that older commits were not read.")] : [])
    ]
  }
})

/** What a branch is compared with where the setting names nothing. */
const usualBases = ["origin/HEAD", "origin/main", "origin/master", "main", "master"]

export const folderScans: Effect.Effect<FolderScans> = Effect.map(Scanner, (scanner) => ({
  workspace: (root: string) => Effect.flatMap(scanner.tree({ root }), collected),
  changes: Effect.fnUntraced(function* (root: string, base: string) {
    const uncommitted = yield* Effect.flatMap(scanner.changes({ root }), collected)
    const tried = base === "" ? usualBases : [base]
    for (const revision of tried) {
      const found = yield* scanner.range({ root, base: revision, head: "HEAD" }).pipe(
        Effect.flatMap(collected),
        Effect.asSome,
        Effect.catchTag("RevisionMissing", (error) =>
          base === "" ? Effect.succeed(Option.none<Scanned>()) : Effect.fail(error)
        )
      )
      if (Option.isSome(found)) {
        return {
          candidates: [...uncommitted.candidates, ...found.value.candidates],
          gaps: [...uncommitted.gaps, ...found.value.gaps]
        }
      }
    }
    return uncommitted
  })
})).pipe(Effect.provide(NodeScanner.layer))

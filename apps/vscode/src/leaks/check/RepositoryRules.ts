/**
 * Loads the rules of a repository: its `.gitleaks.toml` and the files that this extends. Cached until one of them
 * changes.
 */
import type { Skipped } from "@threat-exposure/leak-check/Coverage"
import { Effect } from "effect"
import { Detection } from "../../detection/Detection.ts"
import { Editor } from "../../editor/Editor.ts"
import { LeakEngine } from "./LeakEngine.ts"
import { noRules, type Rules } from "./Scans.ts"

export const makeRepositoryRules = Effect.gen(function* () {
  const detection = yield* Detection
  const editor = yield* Editor
  const { load } = yield* LeakEngine
  const rules = new Map<string, { readonly files: ReadonlyMap<string, string | undefined>; readonly loaded: Rules }>()
  return Effect.fnUntraced(function* (root: string): Effect.fn.Return<Rules> {
    const { decode } = yield* detection.load
    const read = (path: string) =>
      Effect.orElseSucceed(Effect.map(editor.readBelow(root, path), decode), () => undefined)
    const known = rules.get(root)
    if (known !== undefined) {
      // `[extend]` refers to other files: the cache is valid only if all of them are unchanged.
      const isSame = ([path, text]: readonly [string, string | undefined]) =>
        Effect.map(read(path), (present) => present === text)
      if ((yield* Effect.forEach(known.files, isSame)).every(Boolean)) return known.loaded
    }
    const files = new Map<string, string | undefined>()
    const toml = yield* read(".gitleaks.toml")
    if (toml === undefined) return { ...noRules, root }
    const skipped: Array<Skipped> = []
    const gitleaks = yield* (yield* load).loadGitleaksConfig(
      (path) => Effect.tap(read(path), (text) => Effect.sync(() => files.set(path, text))),
      (reason, sentence) => skipped.push({ reason, count: 1, names: [sentence] })
    )
    const loaded = { ...noRules, root, gitleaks, skipped }
    rules.set(root, { files, loaded })
    return loaded
  })
})

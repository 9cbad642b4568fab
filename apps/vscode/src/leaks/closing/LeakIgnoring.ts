/** Adds an entry to the ignore file of a repository, and asks for the reason and the duration. */
import { Effect } from "effect"
import { type Call, ofKind } from "../../editor/Commands.ts"
import { type Cancelled, Editor } from "../../editor/Editor.ts"
import { form, stepsOf } from "../../editor/form/Form.ts"
import { filled } from "../../editor/form/Validation.ts"
import { type Failure, NotPossible } from "../../editor/Problem.ts"
import { t } from "../../words/Localisation.ts"
import { LeakChecks } from "../check/LeakChecks.ts"
import { nameOfLeak, outsideOfFolders } from "../LeakFinding.ts"
import { LeakSubject } from "../LeakTree.ts"

/** Ignores the leak of a row or with a fingerprint. */
export const ignoreLeak = Effect.fnUntraced(function* ({
  subjects,
  args: [given]
}: Call): Effect.fn.Return<void, Failure | Cancelled, Editor | LeakChecks> {
  const checks = yield* LeakChecks
  const editor = yield* Editor
  const row = ofKind(subjects, LeakSubject)[0]?.finding ?? checks.finding(given)
  if (row === undefined) return
  const { repository } = row
  if (repository === undefined) return yield* new NotPossible({ message: outsideOfFolders() })
  const { pick, text } = stepsOf<{ readonly reason: string; readonly days: number }>(
    editor,
    t("Ignore {0}", nameOfLeak(row))
  )
  const { days, reason } = yield* form(
    [
      text({
        question: ({ reason }) => ({
          prompt: t("Why can it be ignored? Others read this in the ignore file."),
          value: reason,
          check: filled
        }),
        set: (answers, reason) => ({ ...answers, reason })
      }),
      pick<number>({
        choices: () => [30, 90, 180, 365].map((count) => ({ label: t("{0} days", count), value: count })),
        get: ({ days }) => days,
        question: () => ({ placeholder: t("Ignore it for") }),
        set: (answers, days) => ({ ...answers, days })
      })
    ],
    { reason: "", days: 90 }
  )
  yield* checks.ignore({ ...row, repository }, reason.trim(), days)
  if (repository.hasRemote) return
  yield* Effect.forkDetach(
    editor.notify(
      "warning",
      t(
        "The entry may not apply elsewhere: without a remote named origin, the fingerprint depends on the name of the folder. Add the remote, check again and ignore the finding again."
      )
    )
  )
})

import { Effect } from "effect"
import { pageSize } from "../credentials/CredentialRequest.ts"
import { CredentialSearches } from "../credentials/CredentialSearches.ts"
import type { Call } from "../editor/Commands.ts"
import { Editor } from "../editor/Editor.ts"
import { form, stepsOf } from "../editor/form/Form.ts"
import { count, number, t } from "../words/Localisation.ts"
import { type CredentialFormat, credentialFormats } from "./CredentialFormats.ts"
import { Exports } from "./Exports.ts"

interface Answers {
  readonly maxItems: number
  readonly format: CredentialFormat
  readonly isClear: boolean
}

/** Exports the credentials of the search with the given id, by default of the latest. */
export const exportCredentials = Effect.fnUntraced(function* ({ args: [given] }: Call) {
  const editor = yield* Editor
  const exports = yield* Exports
  const searches = yield* CredentialSearches
  const { request } = yield* searches.current(given)
  const { pick } = stepsOf<Answers>(editor, t("Export Credentials"))
  const { format, isClear, maxItems } = yield* form<Answers>(
    [
      pick<number>({
        choices: () => [
          ...[100, 1000, 10_000].map((maxItems) => ({
            label: t("At most {0} credentials", number(maxItems)),
            description: count(maxItems / pageSize, "up to {0} unit of quota", "up to {0} units of quota"),
            value: maxItems
          })),
          {
            label: t("All credentials"),
            description: t("one unit of quota for every {0}", pageSize),
            value: Number.MAX_SAFE_INTEGER
          }
        ],
        get: ({ maxItems }) => maxItems,
        set: (answers, maxItems) => ({ ...answers, maxItems })
      }),
      pick<CredentialFormat>({
        choices: () => credentialFormats.map((each) => ({ label: each.toUpperCase(), value: each })),
        get: ({ format }) => format,
        set: (answers, format) => ({ ...answers, format })
      }),
      pick<boolean>({
        choices: () => [
          { label: t("Mask the secrets"), icon: "eye-closed", value: false },
          { label: t("Write secrets in plain text"), icon: "warning", value: true }
        ],
        get: ({ isClear }) => isClear,
        set: (answers, isClear) => ({ ...answers, isClear })
      })
    ],
    { maxItems: 100, format: credentialFormats[0], isClear: false }
  )
  if (isClear) {
    yield* editor.confirm(
      t("Write passwords in plain text?"),
      t(
        "Anyone who can read the file can use the passwords in it. Keep it out of shared folders and git, and delete it when you no longer need it."
      ),
      t("Write in Plain Text")
    )
  }
  const uri = yield* editor.whereToSave(`credentials.${format}`, format.toUpperCase(), format)
  yield* exports.start({ _tag: "Credentials", request, format, isClear }, { maxItems, uri })
})

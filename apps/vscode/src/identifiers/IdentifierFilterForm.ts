/** The question which identifiers to show. */
import { identifierTypes } from "@threat-exposure/core/domain/Identifier"
import { Effect } from "effect"
import { Editor } from "../editor/Editor.ts"
import { form, stepsOf } from "../editor/form/Form.ts"
import { iconOf } from "../register/IdentifierIcon.ts"
import { capitalized, t } from "../words/Localisation.ts"
import { nameOfType } from "../words/TypeNames.ts"
import type { IdentifierFilter } from "./IdentifierFilter.ts"

export const askIdentifierFilter = Effect.fnUntraced(function* (before: IdentifierFilter) {
  const { pick, pickMany } = stepsOf<IdentifierFilter>(yield* Editor, t("Filter Identifiers"))
  return yield* form(
    [
      pickMany<string>({
        choices: () =>
          identifierTypes.map((type) => ({ label: capitalized(nameOfType(type)), icon: iconOf(type).id, value: type })),
        get: ({ types }) => types,
        question: () => ({ placeholder: t("Types (none means all)") }),
        set: (answers, types) => ({ ...answers, types })
      }),
      pick<boolean | undefined>({
        choices: () => [
          { label: t("Enabled and disabled"), value: undefined },
          { label: t("Only enabled"), value: false },
          { label: t("Only disabled"), value: true }
        ],
        get: ({ is_disabled }) => is_disabled,
        set: ({ order_by, types }, is_disabled) => ({
          order_by,
          types,
          ...(is_disabled === undefined ? {} : { is_disabled })
        })
      })
    ],
    before
  )
})

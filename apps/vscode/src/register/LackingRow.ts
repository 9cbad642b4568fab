import { type Failure, problemOf } from "../editor/Problem.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { t } from "../words/Localisation.ts"

/**
 * The row below the `known` remembered entries that replace a list of the service, which answered with `refusal`. `view`
 * is the name of the view.
 */
export const lackingRow = (view: string, refusal: Failure, known: number, whatIsKnown: () => string): TreeNode => {
  const isForbidden = refusal._tag === "Forbidden"
  return new TreeNode({
    id: `${view}:lacking`,
    label: isForbidden ? problemOf(refusal).message : t("The service gives no list"),
    description: known === 0 ? "" : t("these are known here"),
    tooltip: () =>
      [
        isForbidden
          ? t("{0} Ask an administrator of your tenant for it.", problemOf(refusal).message)
          : t("The service does not offer this list."),
        whatIsKnown()
      ].join("\n"),
    icon: { id: "info" },
    state: "leaf"
  })
}

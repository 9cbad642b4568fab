import { TreeNode } from "../editor/tree/TreeNode.ts"
import { t } from "../words/Localisation.ts"

/** The row below remembered entries that replace a list of the service. `view` is the name of the view. */
export const lackingRow = (view: string, isForbidden: boolean, tooltip: () => string): TreeNode =>
  new TreeNode({
    id: `${view}:lacking`,
    label: isForbidden ? t("Your key lacks the necessary permission.") : t("The service gives no list"),
    description: t("these are known here"),
    tooltip,
    icon: { id: "info" },
    state: "leaf"
  })

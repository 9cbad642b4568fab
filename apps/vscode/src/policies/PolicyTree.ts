import { TreeNode } from "../editor/TreeNode.ts"
import { type Policy, ruleText } from "./Policy.ts"

export const policyNode = (
  prefix: string,
  row: Policy,
  options: {
    readonly isBusy?: boolean
    readonly children?: TreeNode["children"]
    readonly kinds?: ReadonlyArray<string>
  } = {}
): TreeNode =>
  new TreeNode(
    {
      id: `${prefix}${row.uuid}`,
      label: row.name ?? row.uuid,
      description: ruleText(row.policy),
      tooltip: () => [row.name ?? row.uuid, ruleText(row.policy), row.uuid].join("\n"),
      icon: { id: options.isBusy === true ? "loading~spin" : "law" },
      state: options.children === undefined ? "leaf" : "closed",
      kinds: ["policy", "copyable", ...(options.kinds ?? [])]
    },
    { _tag: "Policy", policy: row },
    options.children
  )

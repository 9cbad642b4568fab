/** The rows of policies. */
import { type Copied, Subject } from "../editor/Subject.ts"
import { TreeNode } from "../editor/TreeNode.ts"
import { type Policy, ruleText } from "./Policy.ts"

export class PolicySubject extends Subject {
  readonly policy: Policy

  constructor(policy: Policy) {
    super()
    this.policy = policy
  }

  override get copied(): Copied {
    return { id: this.policy.uuid, json: this.policy }
  }
}

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
    { subject: new PolicySubject(row), children: options.children }
  )

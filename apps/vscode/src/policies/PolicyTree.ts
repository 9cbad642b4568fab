import { type Copied, Subject } from "../editor/tree/Subject.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { type Policy, ruleText } from "./Policy.ts"

export class PolicySubject extends Subject {
  readonly policy: Policy
  /** Id of the identifier whose row is the parent; undefined for other rows. */
  readonly assignedTo: number | undefined

  constructor(policy: Policy, assignedTo?: number) {
    super()
    this.policy = policy
    this.assignedTo = assignedTo
  }

  override get copied(): Copied {
    return { id: this.policy.uuid, json: this.policy }
  }
}

export class AssignmentSubject extends Subject {
  readonly uuid: string
  readonly identifier: number

  constructor(uuid: string, identifier: number) {
    super()
    this.uuid = uuid
    this.identifier = identifier
  }
}

/** A row of a policy; with `identifier`, the row of its assignment to this identifier. */
export const policyNode = (
  prefix: string,
  row: Policy,
  options: {
    readonly children?: TreeNode["children"]
    readonly kinds?: ReadonlyArray<string>
    readonly identifier?: number
  } = {}
): TreeNode =>
  new TreeNode(
    {
      id: `${prefix}${row.uuid}`,
      label: row.name ?? row.uuid,
      description: ruleText(row.policy),
      tooltip: () => [row.name ?? row.uuid, ruleText(row.policy), row.uuid].join("\n"),
      icon: { id: "law" },
      state: options.children === undefined ? "leaf" : "closed",
      kinds: [
        "policy",
        "copyable",
        ...(options.kinds ?? []),
        ...(options.identifier === undefined ? [] : ["assignment"])
      ]
    },
    { subject: new PolicySubject(row, options.identifier), children: options.children }
  )

/** A tenant's actions on events and credentials: remediated ones are resolved, ignored ones are not relevant. */
import * as Schema from "effect/Schema"
import { oneOf } from "./schema/RequestField.ts"
import { struct } from "./schema/Struct.ts"

export const TriageAction = oneOf("TriageAction", ["ignore", "unignore", "remediate", "unremediate"])
export type TriageAction = typeof TriageAction.Type

/** The base of a class for the body of an action on 1 to `maxTargets` targets. */
export const actionOn =
  <Self>(identifier: string) =>
  <const Target extends Schema.Struct.Fields, Action extends Schema.Constraint>(
    target: Target,
    action: Action,
    maxTargets: number
  ) =>
    struct<Self>(identifier)({
      targets: Schema.Array(Schema.Struct(target)).check(
        Schema.makeFilter((targets) => targets.length >= 1 && targets.length <= maxTargets, {
          expected: `1 to ${maxTargets} targets`,
          representation: { id: "threat-exposure/Targets", payload: { maxTargets } }
        })
      ),
      action: Schema.Struct({ type: action })
    })

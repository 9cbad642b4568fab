/** The shapes of a line. To add one, write a module in `shapes/` and a member here. */
import { jsonText } from "../output/Output.ts"
import type { Passed } from "./Found.ts"
import { ecs } from "./shapes/Ecs.ts"
import { native } from "./shapes/Native.ts"
import { ocsf } from "./shapes/Ocsf.ts"
import { stix } from "./shapes/Stix.ts"

const shapers = { native, ecs, ocsf, stix }
export type Shape = keyof typeof shapers

/** Descriptions for the help of `--shape`. */
export const shapes: { readonly [shape in Shape]: string } = {
  native: "as received",
  ecs: "Elastic Common Schema 9",
  ocsf: "Open Cybersecurity Schema Framework 1.9",
  stix: "a STIX 2.1 bundle per item"
}

/** Formats an item as a line, without a line break. */
export const lineOf = (passed: Passed, shape: Shape): string => jsonText(shapers[shape](passed))

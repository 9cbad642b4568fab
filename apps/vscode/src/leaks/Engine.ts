/**
 * Detection and the leak check, in a part of the bundle that is loaded when the first check needs it: activation stays
 * quick.
 */
import { candidatesIn } from "@threat-exposure/detect/Text"
import { layer as cleanCache } from "@threat-exposure/leak-check/CleanCache"
import { empty as noIgnoreFile, parse as parseIgnoreFile } from "@threat-exposure/leak-check/IgnoreFile"
import { plan, run } from "@threat-exposure/leak-check/LeakCheck"
import { adviceFor } from "@threat-exposure/leak-check/report/Advice"
import { providerOf } from "@threat-exposure/leak-check/report/Providers"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { domainOf } from "@threat-exposure/leak-check/Target"
import { Layer } from "effect"
import { repositoryOf } from "./Repository.ts"
import * as rewriting from "./Rewriting.ts"
import * as scans from "./Scans.ts"
import * as occurrences from "./LeakOccurrence.ts"
import { Lines } from "../detection/Lines.ts"
import { secretsIn } from "../detection/SecretsInText.ts"

export const engine = {
  /** Computes fingerprints: in JavaScript, unless the host has something better. */
  scrypt: Layer.empty,
  candidatesIn,
  cleanCache,
  noIgnoreFile,
  parseIgnoreFile,
  plan,
  run,
  adviceFor,
  providerOf,
  defaults,
  domainOf,
  repositoryOf,
  rewriting,
  scans,
  occurrences,
  Lines,
  secretsIn
}
export type Engine = typeof engine

/** Planning and running of leak checks: a part of the bundle, which is loaded at the first check. */
import { layer as cleanCache } from "@threat-exposure/leak-check/CleanCache"
import { empty as noIgnoreFile, parse as parseIgnoreFile } from "@threat-exposure/leak-check/IgnoreFile"
import { plan, run } from "@threat-exposure/leak-check/LeakCheck"
import { adviceFor } from "@threat-exposure/leak-check/report/Advice"
import { providerOf } from "@threat-exposure/leak-check/report/Providers"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { domainOf } from "@threat-exposure/leak-check/Target"
import { Layer } from "effect"

export const engine = {
  /** Computes fingerprints: in JavaScript, unless the host has something better. */
  scrypt: Layer.empty,
  cleanCache,
  noIgnoreFile,
  parseIgnoreFile,
  plan,
  run,
  adviceFor,
  providerOf,
  defaults,
  domainOf
}
export type LeakCheckEngine = typeof engine

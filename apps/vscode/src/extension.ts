/** The extension on Node: activated and deactivated by the editor. */
import { env } from "node:process"
import type { ExtensionContext } from "vscode"
import * as Activation from "./Activation.ts"
import { profileIn } from "./connection/Profile.ts"
import { findProgram } from "./node/Programs.ts"
import { setContext } from "./host/Registrations.ts"

let end: (() => Promise<void>) | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  // When-clauses use this context key for features that need processes.
  setContext("git", true)
  const given = profileIn(env)
  end = await Activation.activate(context, {
    given,
    findProgram: (name) => findProgram(name, env["PATH"] ?? ""),
    start: async (registrations) => (await import("./node/main.ts")).start(context, registrations, given)
  })
}

export const deactivate = async (): Promise<void> => {
  await end?.()
}

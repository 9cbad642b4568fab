/** The extension in a web worker, without processes and environment variables. */
import type { ExtensionContext } from "vscode"
import * as Activation from "../Activation.ts"
import { loadWebParts } from "../host/WebParts.ts"

let end: (() => Promise<void>) | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  const parts = loadWebParts(context)
  const ended = await Activation.activate(context, {
    start: async (registrations) => (await import("./main.ts")).start(context, registrations)
  })
  end = async () => {
    await ended()
    parts.dispose()
  }
}

export const deactivate = async (): Promise<void> => {
  await end?.()
}

/** Runs inside the extension host: the marks that VS Code itself sets around the loading and activating of an extension. */
import { setTimeout as sleep } from "node:timers/promises"
import { answering } from "@threat-exposure/tools/real-vscode-inside"

export interface Activation {
  /** The time to require its main file, and of `activate` until its promise resolved, in milliseconds. */
  readonly loading: number
  readonly activating: number
  /** The extension's files that were loaded when activation ended. */
  readonly files: ReadonlyArray<string>
}

interface Marks {
  readonly getMarks: () => ReadonlyArray<{ readonly name: string; readonly startTime: number }>
}

const id = "threat-exposure.threat-exposure"

export const run = answering(async (require): Promise<Activation> => {
  const { extensions }: typeof import("vscode") = require("vscode")
  const extension = extensions.getExtension(id)
  if (extension === undefined) throw new Error("The extension is not there")
  await extension.activate()
  // The mark comes after the listeners.
  await sleep(100)
  const marks: Marks = Reflect.get(globalThis, "MonacoPerformanceMarks")
  const at = (name: string) =>
    marks.getMarks().find((mark) => mark.name === `code/extHost/${name}/${id}`)?.startTime ?? 0
  return {
    loading: at("didLoadExtensionCode") - at("willLoadExtensionCode"),
    activating: at("didActivateExtension") - at("willActivateExtension"),
    files: Object.keys(require.cache).filter((path) => path.startsWith(extension.extensionPath))
  }
})

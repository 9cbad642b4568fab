/** The extension in a web worker: no processes, no environment. */
import { Effect, Layer, ManagedRuntime } from "effect"
import type { ExtensionContext } from "vscode"
import * as App from "../App.ts"
import * as VsCode from "../VsCode.ts"
import * as WebLeakEngine from "./WebLeakEngine.ts"

let runtime: ManagedRuntime.ManagedRuntime<never, never> | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  runtime = ManagedRuntime.make(
    App.layer.pipe(Layer.provide(WebLeakEngine.layer), Layer.provide(VsCode.layer(context)))
  )
  await runtime.runPromise(Effect.void)
}

export const deactivate = async (): Promise<void> => {
  await runtime?.dispose()
}

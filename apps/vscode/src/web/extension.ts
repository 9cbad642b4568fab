/** The extension in a web worker: no processes, no environment. */
import { Effect, Layer, ManagedRuntime } from "effect"
import type { ExtensionContext } from "vscode"
import { Profiles } from "../connection/Profiles.ts"
import { Editor } from "../editor/Editor.ts"
import * as Activation from "../Activation.ts"
import * as VsCode from "../host/VsCode.ts"

const app = Effect.map(
  Effect.promise(() => import("./WebApp.ts")),
  ({ layer }) => layer
)

const parts = Layer.effectDiscard(Effect.flatMap(Editor, ({ loadParts }) => loadParts))

let runtime: ManagedRuntime.ManagedRuntime<never, never> | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  runtime = ManagedRuntime.make(
    Activation.layer(app).pipe(
      Layer.provideMerge(parts),
      Layer.provide(Profiles.layer),
      Layer.provide(VsCode.layer(context))
    )
  )
  await runtime.runPromise(Effect.void)
}

export const deactivate = async (): Promise<void> => {
  await runtime?.dispose()
}

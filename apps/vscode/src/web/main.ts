/** The whole extension for web workers, loaded at its first use. */
import { Effect, Layer, ManagedRuntime } from "effect"
import type { ExtensionContext } from "vscode"
import * as App from "../App.ts"
import { Profiles } from "../connection/Profiles.ts"
import type { Registrations } from "../host/Registrations.ts"
import * as VsCode from "../host/VsCode.ts"
import * as WebLeakEngine from "./WebLeakEngine.ts"

export const start = async (context: ExtensionContext, registrations: Registrations): Promise<() => Promise<void>> => {
  const runtime = ManagedRuntime.make(
    App.layer.pipe(
      Layer.provide(WebLeakEngine.layer),
      Layer.provide(Profiles.layer),
      Layer.provide(VsCode.layer(context, registrations))
    )
  )
  await runtime.runPromise(Effect.void)
  return () => runtime.dispose()
}

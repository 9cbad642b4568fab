/** The extension in an extension host on Node: one runtime, built on activation and disposed of at the end. */
import { Config, Effect, Layer, ManagedRuntime } from "effect"
import type { ExtensionContext } from "vscode"
import { GivenProfile } from "./connection/Connections.ts"
import * as App from "./App.ts"
import * as InPlace from "./node/InPlace.ts"
import * as NodeLeakEngine from "./node/NodeLeakEngine.ts"
import * as VsCode from "./VsCode.ts"

/** Codespaces, containers and the like hand the service to the process. */
const given = Layer.effect(
  GivenProfile,
  Config.all({
    baseUrl: Config.String("THREAT_EXPOSURE_BASE_URL"),
    token: Config.Redacted("THREAT_EXPOSURE_TOKEN"),
    pathPrefix: Config.String("THREAT_EXPOSURE_PATH_PREFIX").pipe(Config.withDefault("svc")),
    linkField: Config.String("THREAT_EXPOSURE_LINK_FIELD").pipe(Config.withDefault("svc_url")),
    name: Config.String("THREAT_EXPOSURE_PROFILE").pipe(Config.withDefault("environment"))
  }).pipe(
    Effect.map(({ token, ...profile }) => ({ profile, secret: token })),
    Effect.option
  )
)

let runtime: ManagedRuntime.ManagedRuntime<never, never> | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  runtime = ManagedRuntime.make(
    App.layer.pipe(Layer.provide([VsCode.layer(context), given, NodeLeakEngine.layer, InPlace.layer]))
  )
  await runtime.runPromise(Effect.void)
}

export const deactivate = async (): Promise<void> => {
  await runtime?.dispose()
}

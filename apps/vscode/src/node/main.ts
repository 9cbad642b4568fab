/** The whole extension on a machine, loaded when any of it is first used. */
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import type { ExtensionContext } from "vscode"
import * as App from "../App.ts"
import { Fetch } from "../connection/ProfileClient.ts"
import type { ProfileWithToken } from "../connection/Profile.ts"
import { GivenProfile, Profiles } from "../connection/Profiles.ts"
import type { Registrations } from "../host/Registrations.ts"
import * as VsCode from "../host/VsCode.ts"
import { nodeFetch } from "./NodeFetch.ts"
import * as NodeLeakEngine from "./NodeLeakEngine.ts"
import * as NodeWriteAt from "./NodeWriteAt.ts"

export const start = async (
  context: ExtensionContext,
  registrations: Registrations,
  given: ProfileWithToken | undefined
): Promise<() => Promise<void>> => {
  const givenProfile = Option.map(Option.fromUndefinedOr(given), ({ profile, token }) => ({
    profile,
    secret: Redacted.make(token)
  }))
  const runtime = ManagedRuntime.make(
    App.layer.pipe(
      Layer.provide([NodeLeakEngine.layer, NodeWriteAt.layer, Layer.succeed(Fetch, nodeFetch)]),
      Layer.provide(Profiles.layer),
      Layer.provide(Layer.succeed(GivenProfile, givenProfile)),
      Layer.provide(VsCode.layer(context, registrations))
    )
  )
  await runtime.runPromise(Effect.void)
  return () => runtime.dispose()
}

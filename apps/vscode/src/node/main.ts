/** The whole extension for Node, loaded at its first use. */
import { env } from "node:process"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import type { ExtensionContext } from "vscode"
import * as App from "../App.ts"
import { Fetch } from "../connection/ProfileClient.ts"
import type { ProfileWithToken } from "../connection/Profile.ts"
import { GivenProfile, Profiles } from "../connection/Profiles.ts"
import type { Registrations } from "../host/Registrations.ts"
import * as VsCode from "../host/VsCode.ts"
import { FindProgram } from "../connection/SignIn.ts"
import { nodeFetch } from "./NodeFetch.ts"
import * as NodeLeakEngine from "./NodeLeakEngine.ts"
import * as NodeWriteAt from "./NodeWriteAt.ts"
import { findProgram } from "./Programs.ts"

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
      Layer.provide([
        NodeLeakEngine.layer,
        NodeWriteAt.layer,
        Layer.succeed(Fetch, nodeFetch),
        Layer.succeed(FindProgram, (name) => findProgram(name, env["PATH"] ?? ""))
      ]),
      Layer.provide(Profiles.layer),
      Layer.provide(Layer.succeed(GivenProfile, givenProfile)),
      Layer.provide(VsCode.layer(context, registrations))
    )
  )
  await runtime.runPromise(Effect.void)
  return () => runtime.dispose()
}

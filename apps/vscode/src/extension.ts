/** The extension in an extension host on Node: one runtime, built on activation and disposed of at the end. */
import { ConfigProvider, Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import type { ExtensionContext } from "vscode"
import { GivenProfile, Profiles } from "./connection/Profiles.ts"
import { Editor } from "./editor/Editor.ts"
import * as Activation from "./Activation.ts"
import * as VsCode from "./host/VsCode.ts"

/** Codespaces, containers and the like hand the service to the process. Read without `Config`, which needs schemas. */
const given = Layer.effect(
  GivenProfile,
  Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    const read = (name: string) =>
      Effect.map(Effect.orDie(provider.load([`THREAT_EXPOSURE_${name}`])), (node) => node?.value)
    const [baseUrl, token] = [yield* read("BASE_URL"), yield* read("TOKEN")]
    if (baseUrl === undefined || token === undefined) return Option.none()
    const profile = {
      baseUrl,
      pathPrefix: yield* read("PATH_PREFIX"),
      linkField: yield* read("LINK_FIELD"),
      name: (yield* read("PROFILE")) ?? "environment"
    }
    return Option.some({ profile, secret: Redacted.make(token) })
  })
)

const app = Effect.map(
  Effect.promise(() => import("./node/NodeApp.ts")),
  ({ layer }) => layer
)

/** The when clauses of what needs processes ask for it. */
const git = Layer.effectDiscard(Effect.flatMap(Editor, (editor) => editor.setContext("git", true)))

let runtime: ManagedRuntime.ManagedRuntime<never, never> | undefined

export const activate = async (context: ExtensionContext): Promise<void> => {
  runtime = ManagedRuntime.make(
    Layer.merge(git, Activation.layer(app)).pipe(
      Layer.provide(Profiles.layer),
      Layer.provide(given),
      Layer.provide(VsCode.layer(context))
    )
  )
  await runtime.runPromise(Effect.void)
}

export const deactivate = async (): Promise<void> => {
  await runtime?.dispose()
}

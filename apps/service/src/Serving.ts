/** The command `serve`, which runs until it is interrupted. */
import { setFlagsFromString } from "node:v8"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { newToken, permissionWords } from "./keys/ApiKeys.ts"
import { KeyStore } from "./keys/KeyStore.ts"
import { LoadTargets } from "./load/LoadTarget.ts"
import { sampleKeyLabel, sampleTenant } from "./sample/SampleDeletion.ts"
import { loadSample } from "./sample/SampleLoad.ts"
import { type Address, Server } from "./Server.ts"
import { Services } from "./Services.ts"

/** With `isSample`, loads the sample data and prints a token for it. */
export const serveApi = ({ address, isSample }: { readonly address: Address; readonly isSample: boolean }) =>
  Effect.gen(function* () {
    yield* collectWithoutHelpers
    // Deletes the unpublished rows of killed loads.
    yield* Effect.forkScoped(Effect.repeat(recoverLoads, Schedule.spaced("1 minute")))
    const token = isSample ? yield* sampleKey : undefined
    const { url } = yield* Server
    yield* Console.log(`listening on ${url}`)
    if (token !== undefined) yield* Console.log(`token: ${token}`)
    yield* Effect.logInfo("serving").pipe(Effect.annotateLogs({ url }))
    return yield* Effect.never.pipe(Effect.onInterrupt(() => Effect.logInfo("stopping")))
  }).pipe(Effect.scoped, Effect.provide(Server.layer(address).pipe(Layer.provideMerge(Services))))

/** Waking other threads to help takes longer than a minor collection itself, and delays every running request. */
const collectWithoutHelpers = Effect.sync(() => setFlagsFromString("--no-parallel-scavenge"))

const recoverLoads = Effect.flatMap(LoadTargets, ({ recover }) => recover)

/** Creates the API key of the sample data. A later start replaces the key, and a forgotten one expires. */
const sampleKey = Effect.gen(function* () {
  const keys = yield* KeyStore
  yield* loadSample()
  const token = newToken()
  const now = yield* DateTime.now
  yield* keys.replace({
    token,
    tenantId: sampleTenant,
    permissions: Object.values(permissionWords),
    createdAt: DateTime.formatIso(now),
    expiresAt: DateTime.formatIso(DateTime.add(now, { days: 30 })),
    label: sampleKeyLabel
  })
  return token
})

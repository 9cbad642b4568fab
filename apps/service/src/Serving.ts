/** The command `serve`, which runs until it is interrupted. */
import { setFlagsFromString } from "node:v8"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newToken, permissionWords } from "./keys/ApiKeys.ts"
import { KeyStore } from "./keys/KeyStore.ts"
import { LoadTargets } from "./load/LoadTarget.ts"
import { sampleKeyLabel, sampleTenant } from "./sample/SampleDeletion.ts"
import { repeatRecovery } from "./requests/Recovery.ts"
import { loadSample } from "./sample/SampleLoad.ts"
import { type Address, Server } from "./Server.ts"
import { Services } from "./Services.ts"

/** With `isSample`, loads the sample data and prints a token for it. */
export const serveApi = ({ address, isSample }: { readonly address: Address; readonly isSample: boolean }) =>
  Effect.gen(function* () {
    yield* collectWithoutHelpers
    const { recover, mergeIndex } = yield* LoadTargets
    const { isIdle, url } = yield* Server
    yield* repeatRecovery(recover)
    const token = isSample ? yield* sampleKey : undefined
    yield* repeatRecovery(repeatWhenIdle(isIdle, mergeIndex))
    yield* Console.log(`listening on ${url}`)
    if (token !== undefined) yield* Console.log(`token: ${token}`)
    yield* Effect.logInfo("serving").pipe(Effect.annotateLogs({ url }))
    return yield* Effect.never.pipe(Effect.onInterrupt(() => Effect.logInfo("stopping")))
  }).pipe(Effect.scoped, Effect.provide(Server.layer(address).pipe(Layer.provideMerge(Services))))

/** Waking other threads to help takes longer than a minor collection itself, and delays every running request. */
const collectWithoutHelpers = Effect.sync(() => setFlagsFromString("--no-parallel-scavenge"))

/** Repeats parts of some work until nothing is left. Each part, and a pause for other processes, waits for requests. */
const repeatWhenIdle = Effect.fnUntraced(function* (isIdle: () => boolean, part: Effect.Effect<boolean>) {
  while (!isIdle() || (yield* part)) yield* Effect.sleep("30 millis")
})

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

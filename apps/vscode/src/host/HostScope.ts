/** Shared by all areas of the host: the extension context, and a runtime for effects that deactivation interrupts. */
import { Cause, Effect, FiberSet, Queue, Scope, Stream } from "effect"
import * as vscode from "vscode"
import type { Registrations } from "./Registrations.ts"

export interface HostScope {
  readonly context: vscode.ExtensionContext
  readonly registrations: Registrations
  readonly log: vscode.LogOutputChannel
  /** Runs an effect for the editor. */
  readonly run: <A>(effect: Effect.Effect<A>, options?: { readonly signal?: AbortSignal }) => Promise<A>
  /** Runs an effect in the background; failures are logged. */
  readonly start: <A>(effect: Effect.Effect<A>) => void
}

export const makeHostScope = (context: vscode.ExtensionContext, registrations: Registrations) =>
  Effect.gen(function* () {
    const log = yield* scoped(() => vscode.window.createOutputChannel("Threat Exposure", { log: true }))
    const run = yield* FiberSet.makeRuntimePromise()
    const start: HostScope["start"] = (effect) => {
      const logged = Effect.catchCause(effect, (cause) =>
        Effect.sync(() => {
          if (!Cause.hasInterruptsOnly(cause)) log.error(Cause.pretty(cause))
        })
      )
      // Rejects only on deactivation.
      run(logged).catch(() => {})
    }
    return { context, registrations, log, run, start } satisfies HostScope
  })

export const scoped = <A extends vscode.Disposable>(make: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), (disposable) =>
    Effect.sync(() => {
      disposable.dispose()
    })
  )

export const listen = <E, A>(event: vscode.Event<E>, read: (value: E) => A): Stream.Stream<A> =>
  Stream.callback<A>((queue) => scoped(() => event((value) => Queue.offerUnsafe(queue, read(value)))))

/** Shared by all areas of the host: the editor's context, and a runtime for effects that run until deactivation. */
import { Effect, FiberSet, Queue, Scope, Stream } from "effect"
import type * as vscode from "vscode"
import type { Registrations } from "./Registrations.ts"

export interface HostScope {
  readonly context: vscode.ExtensionContext
  readonly registrations: Registrations
  /** Runs what the editor asks for. */
  readonly run: <A>(effect: Effect.Effect<A>, options?: { readonly signal?: AbortSignal }) => Promise<A>
  /** Runs it without waiting for it. */
  readonly start: <A>(effect: Effect.Effect<A>) => void
}

export const makeHostScope = (context: vscode.ExtensionContext, registrations: Registrations) =>
  Effect.map(FiberSet.makeRuntimePromise(), (run): HostScope => ({
    context,
    registrations,
    run,
    start: (effect) => {
      run(effect).catch(() => {})
    }
  }))

export const scoped = <A extends vscode.Disposable>(make: () => A): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.sync(make), (disposable) =>
    Effect.sync(() => {
      disposable.dispose()
    })
  )

export const listen = <E, A>(event: vscode.Event<E>, read: (value: E) => A): Stream.Stream<A> =>
  Stream.callback<A>((queue) => scoped(() => event((value) => Queue.offerUnsafe(queue, read(value)))))

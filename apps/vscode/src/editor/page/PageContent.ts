/** Loads the part of a page that comes from the service, and draws the page after each change. */
import { Effect, Fiber, Result, type Scope } from "effect"
import { Editor } from "../Editor.ts"
import { type Failure, Stopped } from "../Problem.ts"

export interface PageContent<A> {
  /** Undefined while the first load has not finished. */
  readonly outcome: () => Result.Result<A, Failure> | undefined
  readonly draw: Effect.Effect<void>
  /** Loads again; the page keeps its content meanwhile. */
  readonly load: Effect.Effect<void>
  /** Loads again; the page shows progress meanwhile. */
  readonly loadAnew: Effect.Effect<void>
  /** Cancels the first load. */
  readonly cancel: Effect.Effect<void>
}

/** `name` appears in the log. */
export const makePageContent = Effect.fnUntraced(function* <A, R>(
  name: string,
  request: Effect.Effect<A, Failure, R>,
  drawOutcome: (outcome: Result.Result<A, Failure> | undefined) => Effect.Effect<void, never, R>
): Effect.fn.Return<PageContent<A>, never, Editor | R | Scope.Scope> {
  const editor = yield* Editor
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  let outcome: Result.Result<A, Failure> | undefined
  let loading: Fiber.Fiber<void> | undefined

  const draw = Effect.provideContext(
    Effect.suspend(() => drawOutcome(outcome)),
    context
  )
  const stop = Effect.suspend(() => (loading === undefined ? Effect.void : Fiber.interrupt(loading)))
  const show = (next: typeof outcome) =>
    Effect.suspend(() => {
      outcome = next
      return draw
    })
  const load = Effect.gen(function* () {
    yield* stop
    loading = yield* request.pipe(
      Effect.provideContext(context),
      Effect.tapError((failure) => editor.log("error", `${name} page: ${failure._tag}: ${failure.message}`)),
      Effect.result,
      Effect.flatMap(show),
      Effect.forkIn(scope)
    )
  })
  return {
    outcome: () => outcome,
    draw,
    load,
    loadAnew: Effect.andThen(stop, Effect.andThen(show(undefined), load)),
    cancel: Effect.suspend(() =>
      loading === undefined || outcome !== undefined
        ? Effect.void
        : Effect.andThen(stop, show(Result.fail(new Stopped())))
    )
  }
})

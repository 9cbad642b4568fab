/** What every view of the service's data does alike: its states, its failures, and keeping what is there. */
import { Clock, Effect, FiberHandle, type Scope, Stream } from "effect"
import { Profiles } from "../connection/Profiles.ts"
import type { ViewName } from "../Contribution.ts"
import { Editor, type Tree } from "../Editor.ts"
import { clockTime } from "../events/EventRow.ts"
import { t } from "../Localisation.ts"
import { type Failure, type Problem, problemOf } from "../Problem.ts"
import { TreeNode } from "./TreeNode.ts"
import { Trees } from "./Trees.ts"

export interface View {
  readonly tree: Tree
  /**
   * The rows under `owner`. A failure becomes a row that tries again, or, where the view has nothing else to show, what
   * the whole view says.
   */
  readonly under: (
    owner: string,
    rows: Effect.Effect<ReadonlyArray<TreeNode>, Failure>
  ) => Effect.Effect<ReadonlyArray<TreeNode>>
  /**
   * Runs a refresh that keeps what is shown, and draws `owners` again, or everything where none is named; a failure is
   * said above the rows, with how old they are.
   */
  readonly renew: (
    refresh: Effect.Effect<unknown, Failure>,
    asOf: () => number | undefined,
    ...owners: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** Forgets what stood in the way, and draws the view again. */
  readonly retry: Effect.Effect<void>
}

export const makeView = (options: {
  readonly name: ViewName
  readonly roots: (view: View) => Effect.Effect<ReadonlyArray<TreeNode>, Failure>
  /** Whether rows that the service gave are shown. */
  readonly hasContent: () => boolean
  /** The connection is another one: nothing that was loaded holds any more. */
  readonly reset: Effect.Effect<void>
}): Effect.Effect<View, never, Editor | Profiles | Scope.Scope | Trees> =>
  Effect.gen(function* () {
    const profiles = yield* Profiles
    const editor = yield* Editor
    const waiting = yield* FiberHandle.make()
    let blocked: Problem | undefined

    const roots = Effect.gen(function* () {
      const connection = yield* profiles.now
      if (connection._tag !== "SignedIn") {
        yield* tree.setState(connection._tag === "Expired" ? "expired" : "signedOut")
        return []
      }
      if (blocked !== undefined) return []
      return yield* options.roots(view).pipe(
        Effect.tap((rows) => tree.setState(rows.length === 0 ? "empty" : "ready")),
        Effect.catch((failure) => Effect.as(Effect.andThen(note(failure), block(problemOf(failure))), []))
      )
    })

    const tree: Tree = yield* editor.tree(
      options.name,
      Effect.suspend(() => roots)
    )
    yield* (yield* Trees).add(tree)

    const note = (failure: Failure) => editor.log("error", `${options.name}: ${failure._tag}: ${failure.message}`)

    /** The rows first: they would wait for a message that changes. */
    const draw = (...owners: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        blocked = undefined
        return tree
          .refresh(...owners)
          .pipe(Effect.andThen(FiberHandle.clear(waiting)), Effect.andThen(tree.setMessage(undefined)))
      })

    /** Says every second how long it still takes, and then tries again by itself. */
    const countDown = (seconds: number, message: string) =>
      FiberHandle.run(
        waiting,
        Effect.gen(function* () {
          for (let left = seconds; left > 0; left--) {
            yield* tree.setMessage(t("{0} Trying again in {1} s.", message, left))
            yield* Effect.sleep("1 second")
          }
          blocked = undefined
          yield* tree.refresh()
          yield* tree.setMessage(undefined)
        })
      ).pipe(Effect.asVoid)

    const block = Effect.fnUntraced(function* (problem: Problem) {
      blocked = problem
      yield* tree.setState(problem.state)
      if (problem.retryAfter !== undefined) yield* countDown(problem.retryAfter, problem.message)
    })

    const view: View = {
      tree,
      under: (owner, rows) =>
        rows.pipe(
          Effect.catch(
            Effect.fnUntraced(function* (failure) {
              yield* note(failure)
              const problem = problemOf(failure)
              if (problem.state === "signedOut" || problem.state === "expired") return []
              if (!options.hasContent()) {
                yield* block(problem)
                yield* tree.refresh()
                return []
              }
              if (problem.retryAfter !== undefined) yield* countDown(problem.retryAfter, problem.message)
              return [problemRow(owner, problem, tree.refresh(owner))]
            })
          )
        ),
      renew: Effect.fnUntraced(function* (refresh, asOf, ...owners) {
        if (!options.hasContent()) return yield* draw()
        // What the view said in place of rows gives way to the rows it has.
        const wasBlocked = blocked !== undefined
        blocked = undefined
        if (wasBlocked) yield* tree.refresh()
        yield* Effect.matchEffect(refresh, {
          onSuccess: () => draw(...owners),
          onFailure: Effect.fnUntraced(function* (failure) {
            yield* note(failure)
            const problem = problemOf(failure)
            const age = asOf() ?? (yield* Clock.currentTimeMillis)
            const stale = t("As of {0}. {1}", clockTime(age), problem.message)
            if (problem.retryAfter !== undefined) yield* countDown(problem.retryAfter, stale)
            else yield* tree.setMessage(stale)
          })
        })
      }),
      retry: draw()
    }

    yield* profiles.changes.pipe(
      Stream.runForEach(() => Effect.andThen(options.reset, draw())),
      Effect.forkScoped
    )
    return view
  })

const problemRow = (owner: string, problem: Problem, again: Effect.Effect<void>) =>
  new TreeNode(
    {
      id: `${owner}/problem`,
      label: problem.message,
      tooltip: () => problem.message,
      icon: { id: problem.state === "offline" ? "debug-disconnect" : "error" },
      state: "leaf",
      kinds: ["problem"]
    },
    { _tag: "Problem", again }
  )

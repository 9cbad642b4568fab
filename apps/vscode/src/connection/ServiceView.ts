/**
 * Shared behaviour of all views of the service's data: states, failures, and rows that stay visible during a refresh.
 */
import { isNotServed } from "@threat-exposure/core/client/ApiError"
import { Clock, Effect, Fiber, type Scope, Stream } from "effect"
import type { Connection } from "./Connection.ts"
import { Connections } from "./Connections.ts"
import { Profiles } from "./Profiles.ts"
import { Cancelled, Editor, type Tree } from "../editor/Editor.ts"
import { t } from "../words/Localisation.ts"
import { type Failure, needsSignIn, type Problem, problemOf, Stopped } from "../editor/Problem.ts"
import { masking, Settings } from "../editor/Settings.ts"
import { RowAction } from "../editor/tree/Subject.ts"
import { TreeNode } from "../editor/tree/TreeNode.ts"
import { clockTime, nextChange } from "../words/Dates.ts"

export interface ServiceView {
  readonly tree: Tree
  /**
   * Loads the rows under `owner`. A failure becomes a row with a retry action above the `loaded` rows, or the message
   * of the view if there are no other rows.
   */
  readonly under: (
    owner: string,
    rows: Effect.Effect<ReadonlyArray<TreeNode>, Failure>,
    loaded?: Effect.Effect<ReadonlyArray<TreeNode>>
  ) => Effect.Effect<ReadonlyArray<TreeNode>>
  /**
   * Refreshes the data without clearing the rows, then draws `owners` again, by default everything. A failure is shown
   * above the rows, with their age.
   */
  readonly renew: (
    refresh: Effect.Effect<unknown, Failure>,
    asOf: () => number | undefined,
    ...owners: ReadonlyArray<string>
  ) => Effect.Effect<void>
  /** Like `renew`, but shows progress that can be cancelled. */
  readonly refresh: ServiceView["renew"]
  /** Sets the progress message above the rows; undefined removes it. */
  readonly showProgress: (text: string | undefined) => Effect.Effect<void>
  /** Clears the failure, and draws the view again. */
  readonly retry: Effect.Effect<void>
  /** The rows under `owner` are drawn again when the age of one of them, which is of this time, changes. */
  readonly noteTime: (owner: string, time: string | null, now: number) => void
}

/** The view has its own progress bar; after this time a notification that can be cancelled appears as well. */
const waitBeforeNotification = "2 seconds"

export const makeServiceView = (options: {
  readonly name: string
  /** Title of the progress notification. */
  readonly loading: string
  readonly roots: (view: ServiceView) => Effect.Effect<ReadonlyArray<TreeNode>, Failure>
  /** Whether the view shows rows from the service. */
  readonly hasContent: () => boolean
  /** Discards the loaded data, because the connection has changed. */
  readonly reset: Effect.Effect<void>
}): Effect.Effect<ServiceView, never, Connections | Editor | Profiles | Scope.Scope | Settings> =>
  Effect.gen(function* () {
    const { healthChanges } = yield* Connections
    const profiles = yield* Profiles
    const settings = yield* Settings
    const editor = yield* Editor
    const scope = yield* Effect.scope
    let waiting: Fiber.Fiber<void> | undefined
    let blocked: Problem | undefined
    /** Repeats the last failed refresh, if the rows are older than it. */
    let missed: Effect.Effect<void> = Effect.void

    /** When an age under each owner changes. */
    const agedAt = new Map<string, number>()

    /** The message above the rows is the progress or, without one, the failure. */
    let progress: string | undefined
    let trouble: string | undefined
    const showMessage = Effect.suspend(() => tree.setMessage(progress ?? trouble))
    const setTrouble = (text: string | undefined) =>
      Effect.suspend(() => {
        trouble = text
        return showMessage
      })

    /** `isDrawn`: the editor has received rows. `isOfBefore`: the visible rows belong to the previous connection. */
    let isDrawn = false
    let isOfBefore = false

    const loading = <A, E>(effect: Effect.Effect<A, E>) =>
      editor
        .progress(options.loading, () => effect, waitBeforeNotification)
        .pipe(Effect.catchIf(Cancelled.is, () => Effect.fail(new Stopped())))

    const roots = Effect.gen(function* () {
      const connection = yield* profiles.now
      if (connection._tag !== "SignedIn") {
        yield* tree.setState(connection._tag === "Expired" ? "expired" : "signedOut")
        return []
      }
      if (blocked !== undefined) return []
      if (isOfBefore) {
        // The visible rows belong to another tenant, and the editor keeps them until it receives new ones.
        isOfBefore = false
        yield* tree.setState("ready")
        yield* Effect.forkIn(tree.refresh(), scope)
        return []
      }
      return yield* loading(options.roots(viewFor(connection))).pipe(
        Effect.tap((rows) => {
          isDrawn = rows.length > 0
          return tree.setState(isDrawn ? "ready" : "empty")
        }),
        Effect.catch((failure) =>
          Effect.as(
            Effect.flatMap(logFailure(failure), (problem) =>
              problem === undefined
                ? Effect.void
                : block(
                    isNotServed(failure) && problem.state === "failed" ? { ...problem, state: "notOffered" } : problem
                  )
            ),
            []
          )
        )
      )
    })

    const tree: Tree = yield* editor.tree(
      options.name,
      Effect.suspend(() => roots)
    )

    /** Logs the failure. Returns undefined if the connection has changed, because the view is then drawn again. */
    const logFailure = Effect.fnUntraced(function* (failure: Failure) {
      yield* editor.log("error", `${options.name}: ${failure._tag}: ${failure.message}`)
      const problem = problemOf(failure)
      return failure._tag === "Superseded" || needsSignIn(problem) ? undefined : problem
    })

    const stopWaiting = Effect.suspend(() => {
      const before = waiting
      waiting = undefined
      return before === undefined ? Effect.void : Fiber.interrupt(before)
    })

    /** Draws the rows before the message changes: the editor would delay them otherwise. */
    const draw = (...owners: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        blocked = undefined
        return tree.refresh(...owners).pipe(Effect.andThen(stopWaiting), Effect.andThen(setTrouble(undefined)))
      })

    /** Shows the remaining seconds above the rows, then retries. */
    const countDown = Effect.fnUntraced(function* (seconds: number, message: string, again: Effect.Effect<void>) {
      yield* stopWaiting
      waiting = yield* Effect.forkIn(
        Effect.gen(function* () {
          for (let left = seconds; left > 0; left--) {
            yield* setTrouble(
              left < 120
                ? t("{0} Trying again in {1} s.", message, left)
                : t("{0} Trying again in {1} min.", message, Math.ceil(left / 60))
            )
            yield* Effect.sleep("1 second")
          }
          waiting = undefined
          yield* again
        }),
        scope
      )
    })

    const block = Effect.fnUntraced(function* (problem: Problem) {
      blocked = problem
      yield* tree.setState(problem.state)
      if (problem.retryAfter !== undefined) yield* countDown(problem.retryAfter, problem.message, draw())
    })

    const view: ServiceView = {
      tree,
      under: (owner, rows, loaded = Effect.succeed([])) =>
        loading(rows).pipe(
          Effect.catch(
            Effect.fnUntraced(function* (failure) {
              const problem = yield* logFailure(failure)
              if (problem === undefined) return []
              // If one folder fails, the others stay visible.
              if (problem.state !== "failed" && !options.hasContent()) {
                yield* block(problem)
                yield* tree.refresh()
                return []
              }
              if (problem.retryAfter !== undefined) yield* countDown(problem.retryAfter, problem.message, draw(owner))
              const again = Effect.suspend(() => Effect.andThen(tree.refresh(owner), missed))
              return [problemRow(owner, problem, again), ...(yield* loaded)]
            })
          )
        ),
      renew: Effect.fnUntraced(function* (refresh, asOf, ...owners) {
        if (!options.hasContent()) return yield* draw()
        // The message of the empty view gives way to rows.
        const wasBlocked = blocked !== undefined
        blocked = undefined
        if (wasBlocked) yield* tree.refresh()
        yield* Effect.matchEffect(refresh, {
          onSuccess: () => {
            missed = Effect.void
            return draw(...owners)
          },
          onFailure: Effect.fnUntraced(function* (failure) {
            const problem = yield* logFailure(failure)
            if (problem === undefined) return
            yield* tree.refresh(...owners)
            missed = view.renew(refresh, asOf, ...owners)
            const now = yield* Clock.currentTimeMillis
            const stale = t("As of {0}. {1}", clockTime(asOf() ?? now, now), problem.message)
            yield* stopWaiting
            if (problem.retryAfter === undefined) yield* setTrouble(stale)
            else yield* countDown(problem.retryAfter, stale, missed)
          })
        })
      }),
      refresh: (refresh, asOf, ...owners) =>
        editor
          .progress(options.loading, () => view.renew(refresh, asOf, ...owners))
          .pipe(Effect.catchTag("Cancelled", () => Effect.void)),
      showProgress: (text) =>
        Effect.suspend(() => {
          progress = text
          return showMessage
        }),
      retry: draw(),
      noteTime: (owner, time, now) => {
        agedAt.set(owner, Math.min(agedAt.get(owner) ?? Number.POSITIVE_INFINITY, nextChange(time, now)))
      }
    }

    /**
     * Guards against rows of the previous connection, which the editor can still expand until it receives the new ones.
     */
    const viewFor = (connection: Connection): ServiceView => ({
      ...view,
      under: (owner, rows, loaded) =>
        view.under(owner, Effect.andThen(profiles.requireCurrent(connection), rows), loaded)
    })

    const drawAged = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const aged = [...agedAt].flatMap(([owner, at]) => (at <= now ? [owner] : []))
      if (aged.length === 0 || !(yield* tree.visible)) return
      for (const owner of aged) agedAt.delete(owner)
      yield* tree.refresh(...aged)
    })
    yield* Stream.tick("1 minute").pipe(
      Stream.runForEach(() => drawAged),
      Effect.forkScoped
    )
    yield* settings.changesOf(masking).pipe(
      Stream.runForEach(() => tree.refresh()),
      Effect.forkScoped
    )
    // The message that the service cannot be reached would be wrong by now.
    yield* healthChanges.pipe(
      Stream.filter((health) => health === "answering"),
      Stream.runForEach(() => (blocked?.state === "offline" ? draw() : missed)),
      Effect.forkScoped
    )
    yield* profiles.changes.pipe(
      Stream.runForEach(() => {
        missed = Effect.void
        isOfBefore = isDrawn
        isDrawn = false
        return Effect.andThen(options.reset, draw())
      }),
      Effect.forkScoped
    )
    return view
  })

const problemRow = (owner: string, problem: Problem, again: Effect.Effect<void>) =>
  new TreeNode(
    {
      id: `${owner}/problem`,
      label: problem.message,
      icon: { id: problem.state === "offline" ? "debug-disconnect" : "error" },
      state: "leaf",
      kinds: ["problem"],
      command: { name: "retry", title: t("Retry") }
    },
    { subject: new RowAction(again) }
  )

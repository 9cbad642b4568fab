/** Runs commands. Cancelling a question ends a command silently; a failure shows a message. */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { Cancelled } from "./Editor.ts"
import { Editor } from "./Editor.ts"
import { number, t } from "../words/Localisation.ts"
import { type Failure, needsSignIn, problemOf } from "./Problem.ts"
import type { Subject } from "./tree/Subject.ts"
import { TreeNode } from "./tree/TreeNode.ts"

/**
 * `subjects` are the row on which the command was chosen and all other selected rows; `args` are the raw arguments,
 * such as those of a link.
 */
export interface Call {
  readonly subjects: ReadonlyArray<Subject>
  readonly args: ReadonlyArray<unknown>
}

export class Commands extends Context.Service<
  Commands,
  {
    readonly on: (
      name: string,
      run: (call: Call) => Effect.Effect<unknown, Failure | Cancelled>
    ) => Effect.Effect<void, never, Scope.Scope>
  }
>()("threat-exposure/editor/Commands") {
  static readonly layer = Layer.effect(
    Commands,
    Effect.gen(function* () {
      const editor = yield* Editor

      const tell = Effect.fnUntraced(function* (name: string, failure: Failure) {
        yield* editor.log("error", `${name}: ${failure._tag}: ${failure.message}`)
        const problem = problemOf(failure)
        if (needsSignIn(problem)) {
          const answer = yield* editor.notify("warning", problem.message, t("Sign In"))
          if (Option.isSome(answer)) yield* editor.execute("threatExposure.signIn")
          return
        }
        const later = problem.retryAfter === undefined ? "" : ` ${t("Try again in {0} s.", number(problem.retryAfter))}`
        yield* say(`${problem.message}${later}`)
      })

      const say = Effect.fnUntraced(function* (message: string) {
        const answer = yield* editor.notify("error", message, t("Show Log"))
        if (Option.isSome(answer)) yield* editor.showLog
      })

      const sayLost = Effect.suspend(() =>
        Effect.forkDetach(
          editor.notify("info", t("Nothing was done, because the rows were being drawn again. Try again."))
        )
      )

      return Commands.of({
        on: (name, run) =>
          editor.command(name, (...args) =>
            (lacksRow(args) ? sayLost : run({ subjects: subjectsOf(args), args })).pipe(
              Effect.asVoid,
              Effect.catchTag("Cancelled", () => Effect.void),
              // Runs in the background, because a message stays until it is closed.
              Effect.catch((failure) => Effect.asVoid(Effect.forkDetach(tell(name, failure)))),
              Effect.catchDefect((defect) =>
                Effect.andThen(
                  editor.log("error", `${name}: ${defect instanceof Error ? defect.message : String(defect)}`),
                  Effect.forkDetach(say(t("Something went wrong. See the log for details.")))
                )
              )
            )
          )
      })
    })
  )
}

/** Whether a selected row is missing: the editor passes undefined for a row that it is drawing at that moment. */
const lacksRow = (args: ReadonlyArray<unknown>): boolean => {
  const selected = args[1]
  return Array.isArray(selected) && selected.includes(undefined)
}

/** A menu passes the row, then all selected rows. */
const subjectsOf = ([first, selected]: ReadonlyArray<unknown>): ReadonlyArray<Subject> => {
  const others: ReadonlyArray<unknown> = Array.isArray(selected) ? selected : []
  return [...new Set([first, ...others])].flatMap((node) => (node instanceof TreeNode ? (node.subject ?? []) : []))
}

export const ofKind = <A extends Subject>(
  subjects: ReadonlyArray<Subject>,
  kind: abstract new (...args: never) => A
): ReadonlyArray<A> => subjects.filter((subject): subject is A => subject instanceof kind)

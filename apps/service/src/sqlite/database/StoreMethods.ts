/** Stores whose methods run procedures. The interface of the store declares the types of arguments and results. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../Settings.ts"
import { Database } from "./Database.ts"
import { type OpenDatabase, type Procedure, procedure } from "./Procedure.ts"
import { searchInSlices, type SlicedProcedure } from "./SlicedSearch.ts"

/** Calls `build` for each layer, and once before, so that threads know the procedures. */
export const storeLayer =
  <Self, Shape>(store: Context.Service<Self, Shape>) =>
  (build: (methods: StoreMethods, calls: Calls) => Shape): Layer.Layer<Self, never, Database> => {
    const methodsOf = ({ lookUp, read, search, write }: Calls): StoreMethods => {
      const methodsBy =
        (call: Calls["read"]): MakeMethod =>
        <Given extends ReadonlyArray<unknown>, Output>(
          name: string,
          run: Run<Given, Output>,
          moved?: Procedure<Given, Output>["moved"]
        ) => {
          const made = procedure(`${store.key}.${name}`, (database, given: Given) => run(database, ...given), moved)
          return (...given: Given) => call(made, given)
        }
      return {
        lookUp:
          (run) =>
          (...given) =>
            lookUp((database) => run(database, ...given)),
        read: methodsBy(read),
        write: methodsBy(write),
        search: (name, run, moved) => {
          const made = procedure(`${store.key}.${name}`, run, moved)
          return (input) => search(made, input)
        }
      }
    }
    const buildWith = (calls: Calls) => build(methodsOf(calls), calls)
    const never = () => Effect.never
    buildWith({ lookUp: never, read: never, search: never, write: never, fork: never })
    return Layer.effect(
      store,
      Effect.gen(function* () {
        const database = yield* Database
        const { searchTimeLimit } = yield* Settings
        const scope = yield* Effect.scope
        return buildWith({
          lookUp: database.lookUp,
          read: database.read,
          search: (sliced, input) => searchInSlices(database, sliced, input, searchTimeLimit),
          write: database.write,
          fork: (work) => Effect.forkIn(work, scope)
        })
      })
    )
  }

interface StoreMethods {
  readonly lookUp: <Given extends ReadonlyArray<unknown>, Output>(run: Run<Given, Output>) => Method<Given, Output>
  readonly read: MakeMethod
  readonly write: MakeMethod
  /** A method that reads in slices, and fails at the time limit of searches. */
  readonly search: <Input, Progress, Output>(
    name: string,
    run: SlicedProcedure<Input, Progress, Output>["run"],
    moved?: SlicedProcedure<Input, Progress, Output>["moved"]
  ) => Method<[input: Input], Output>
}

/** Makes a method of a procedure. `name` is the name of the method. */
type MakeMethod = <Given extends ReadonlyArray<unknown>, Output>(
  name: string,
  run: Run<Given, Output>,
  moved?: Procedure<Given, Output>["moved"]
) => Method<Given, Output>

type Run<Given extends ReadonlyArray<unknown>, Output> = (database: OpenDatabase, ...given: Given) => Output

type Method<Given extends ReadonlyArray<unknown>, Output> = (...given: Given) => Effect.Effect<Output>

interface Calls extends Pick<Database["Service"], "lookUp" | "read" | "write"> {
  search<Input, Progress, Output>(
    procedure: SlicedProcedure<Input, Progress, Output>,
    input: Input
  ): Effect.Effect<Output>
  /** Continues the work after the method has returned, until the layer is closed. */
  fork(work: Effect.Effect<void>): Effect.Effect<unknown>
}

/** Stores whose methods run procedures. The interface of the store declares the types of arguments and results. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database } from "./Database.ts"
import { type OpenDatabase, type Procedure, procedure } from "./Procedure.ts"

/** Calls `build` for each layer, and once before, so that threads know the procedures. */
export const storeLayer =
  <Self, Shape>(store: Context.Service<Self, Shape>) =>
  (
    build: (methods: { readonly read: MakeMethod; readonly write: MakeMethod }) => Shape
  ): Layer.Layer<Self, never, Database> => {
    const methodsBy =
      (call: CallProcedure): MakeMethod =>
      <Arguments extends ReadonlyArray<unknown>, Output>(name: string, run: Run<Arguments, Output>) => {
        const made = procedure(`${store.key}.${name}`, (database, given: Arguments) => run(database, ...given))
        return (...given: Arguments) => call(made, given)
      }
    const registering = methodsBy(() => Effect.never)
    build({ read: registering, write: registering })
    return Layer.effect(
      store,
      Effect.map(Database, ({ read, write }) => build({ read: methodsBy(read), write: methodsBy(write) }))
    )
  }

/** Makes a method of a procedure. `name` is the name of the method. */
type MakeMethod = <Arguments extends ReadonlyArray<unknown>, Output>(
  name: string,
  run: Run<Arguments, Output>
) => (...given: Arguments) => Effect.Effect<Output>

type Run<Arguments extends ReadonlyArray<unknown>, Output> = (database: OpenDatabase, ...given: Arguments) => Output

type CallProcedure = <Input, Output>(procedure: Procedure<Input, Output>, input: Input) => Effect.Effect<Output>

/** Stores whose methods run procedures. The interface of the store declares the types of arguments and results. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database } from "./Database.ts"
import { type OpenDatabase, procedure } from "./Procedure.ts"

/** Calls `build` for each layer, and once before, so that threads know the procedures. */
export const storeLayer =
  <Self, Shape>(store: Context.Service<Self, Shape>) =>
  (build: (methods: StoreMethods, calls: Calls) => Shape): Layer.Layer<Self, never, Database> => {
    const methodsOf = ({ lookUp, read, write }: Calls): StoreMethods => {
      const methodsBy =
        (call: Calls["read"]): MakeMethod =>
        <Given extends ReadonlyArray<unknown>, Output>(name: string, run: Run<Given, Output>) => {
          const made = procedure(`${store.key}.${name}`, (database, given: Given) => run(database, ...given))
          return (...given: Given) => call(made, given)
        }
      return {
        lookUp:
          (run) =>
          (...given) =>
            lookUp((database) => run(database, ...given)),
        read: methodsBy(read),
        write: methodsBy(write)
      }
    }
    const buildWith = (calls: Calls) => build(methodsOf(calls), calls)
    const never = () => Effect.never
    buildWith({ lookUp: never, read: never, write: never })
    return Layer.effect(store, Effect.map(Database, buildWith))
  }

interface StoreMethods {
  readonly lookUp: <Given extends ReadonlyArray<unknown>, Output>(run: Run<Given, Output>) => Method<Given, Output>
  readonly read: MakeMethod
  readonly write: MakeMethod
}

/** Makes a method of a procedure. `name` is the name of the method. */
type MakeMethod = <Given extends ReadonlyArray<unknown>, Output>(
  name: string,
  run: Run<Given, Output>
) => Method<Given, Output>

type Run<Given extends ReadonlyArray<unknown>, Output> = (database: OpenDatabase, ...given: Given) => Output

type Method<Given extends ReadonlyArray<unknown>, Output> = (...given: Given) => Effect.Effect<Output>

type Calls = Pick<Database["Service"], "lookUp" | "read" | "write">

/** Node's own way to stop synchronous work, a regular expression included. */
import { Layer } from "effect"
import { createContext, Script } from "node:vm"
import { type Timed, TimeLimit } from "../config/TimeLimit.ts"

const makeRoom = () => {
  const context = { work: () => {} }
  createContext(context)
  return { context, script: new Script("work()") }
}

/** Created when first needed: few repositories have expressions. */
let room: ReturnType<typeof makeRoom> | undefined

export const timed: Timed = (milliseconds, work) => {
  room ??= makeRoom()
  const { context, script } = room
  let took = 0
  context.work = () => {
    const start = performance.now()
    work()
    took = performance.now() - start
  }
  try {
    script.runInContext(context, { timeout: Math.ceil(milliseconds) })
    return took
  } catch (cause) {
    if (isTimeout(cause)) return undefined
    throw cause
  }
}

/** An error of the context's own, so no instance of the one known here. */
const isTimeout = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"

export const layer: Layer.Layer<never> = Layer.succeed(TimeLimit, timed)

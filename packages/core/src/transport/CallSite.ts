/** Makes the stack of an error begin where the program called the client, instead of inside the client. */
import { type ApiError, isApiError } from "./ApiError.ts"

export interface CallSite {
  readonly stack: string
  /** Number of the client's own frames before that of the caller. */
  readonly ownFrames: number
}

/** True while a function of the client that has captured the call site calls another. */
let isCaptured = false

/** Called functions do not capture the site again, which would take as long as a small response. */
export const callInternally = <A>(call: () => A): A => {
  isCaptured = true
  try {
    return call()
  } finally {
    isCaptured = false
  }
}

/**
 * Undefined within {@link callInternally}. `ownFrames` is the number of the client's functions between this call and
 * the caller.
 *
 * The stack is read immediately: until then, V8 keeps the functions on it alive, with everything that they refer to.
 */
export const captureCallSite = (ownFrames: number): CallSite | undefined =>
  isCaptured ? undefined : { stack: new Error().stack ?? "", ownFrames: ownFrames + 1 }

export const showCallSite = <E>(error: E, site: CallSite | undefined): E => {
  if (site === undefined) return error
  const { stack, ownFrames } = site
  const frames = stack.split("\n").filter((line) => /^\s*at |@/u.test(line))
  const callers = frames.slice(ownFrames)
  if (isApiError(error) && callers.length > 0) writeStack(error, callers)
  return error
}

const writeStack = (error: ApiError, frames: ReadonlyArray<string>) => {
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n")
}

/** Makes the stack of an error begin where a program called the client, instead of in the client. */
import { type ApiError, isApiError } from "./ApiError.ts"

export interface CallSite {
  /** Its stack is formatted only when it is read. */
  readonly error: Error
  /** The frames of the client before that of the caller. */
  readonly ownFrames: number
}

/** `ownFrames` is how many functions of the client are between this call and the caller. */
export const captureCallSite = (ownFrames: number): CallSite => ({ error: new Error(), ownFrames: ownFrames + 1 })

export const showCallSite = <E>(error: E, { error: { stack = "" }, ownFrames }: CallSite): E => {
  const frames = stack.split("\n").filter((line) => /^\s*at |@/u.test(line))
  const callers = frames.slice(ownFrames)
  if (isApiError(error) && callers.length > 0) writeStack(error, callers)
  return error
}

const writeStack = (error: ApiError, frames: ReadonlyArray<string>) => {
  error.stack = [`${error.name}: ${error.message}`, ...frames].join("\n")
}

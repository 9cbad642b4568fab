/** Why a file or a stream failed, for messages that name it themselves: Node's own repeat the code, the call and its paths. */
import { getSystemErrorMessage } from "node:util"

export const fileFailure = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // Errors of zlib have numbers of their own, and no system call.
  return "syscall" in cause && "errno" in cause && typeof cause.errno === "number"
    ? getSystemErrorMessage(cause.errno)
    : cause.message
}

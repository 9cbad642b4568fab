/** Why a file failed, for messages that name it themselves: those of Node repeat the system call and the paths. */
import { getSystemErrorMessage } from "node:util"

export const fileFailure = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // Errors of zlib have their own numbers, and no system call.
  return "syscall" in cause && "errno" in cause && typeof cause.errno === "number"
    ? getSystemErrorMessage(cause.errno)
    : cause.message
}

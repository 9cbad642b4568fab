import { getSystemErrorMessage } from "node:util"
import type { PlatformError } from "effect/PlatformError"

/** Describes with the operating system's words why a file cannot be read or written. */
export const fileFailure = ({ _tag, cause, description }: PlatformError["reason"]): string =>
  cause instanceof Error && "errno" in cause && typeof cause.errno === "number"
    ? getSystemErrorMessage(cause.errno)
    : (description ?? _tag)

/** Says that a file cannot be written, why, and what to do. */
export const writeFailure = (reason: PlatformError["reason"]): string =>
  `cannot be written (${fileFailure(reason)}): check its folder, permissions and disk`

/** Failures of the service as messages for people. */
import type { ApiError } from "@threat-exposure/core/client/ApiError"

/** What went wrong, and what to do. */
export const failureText = (error: ApiError): string => {
  const what = withoutOperation(error)
  switch (error._tag) {
    case "Unauthorized":
      return `${what}: renew it`
    case "Forbidden":
      return `${what}: use a key that has it`
    case "Unavailable":
      return error.status === undefined ? `${what}; check its address, and that this machine can reach it` : what
    default:
      return what
  }
}

/**
 * The message without the name of the client's method, which does not help a person. A client option is named like the
 * flag and the input: `base-url`.
 */
export const withoutOperation = (error: ApiError): string => {
  if (error._tag === "RequestInvalid" && error.option !== undefined) {
    const { option, rule } = error
    return option.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`) + rule.slice(option.length)
  }
  const { message, operation } = error
  const said = message.startsWith(`${operation}: `) ? message.slice(operation.length + 2) : message
  return said.charAt(0).toUpperCase() + said.slice(1)
}

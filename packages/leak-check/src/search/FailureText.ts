/** Describes failures of the service to people. */
import type { ApiError, Unavailable } from "@threat-exposure/core/client/ApiError"

/** A message that says what went wrong and what to do. */
export const failureText = (error: ApiError): string => {
  const what = withoutOperation(error)
  switch (error._tag) {
    case "Unauthorized":
      return `${what}: renew it`
    case "Forbidden":
      return `${what}: use a key that has it, or an account with this feature`
    case "RateLimited":
      // The service's message says when the quota renews, but not always that it is a quota.
      if (error.isQuotaSpent) {
        const advice = renewal.test(what) || error.retryAfter !== undefined ? "" : "; wait until it renews"
        return `The search quota of the service is exhausted: ${what}${advice}`
      }
      if (error.status === undefined) return what
      return `The service limits the rate of calls: ${what}${error.retryAfter === undefined ? `; ${slowDown}` : ""}`
    case "TimedOut":
      return `The service did not answer in full within ${Math.ceil(error.deadline / 1000)} s; try again later, or ask for less at once`
    case "RequestInvalid":
      return `Nothing was sent, because the request is not valid: ${error.rule}`
    case "Unavailable":
      return error.status === undefined ? `${what}; ${connectionAdvice(error.cause?.message)}` : what
    case "ServiceFailure":
    case "V2Failure":
      // The rest of the message comes from the service.
      return `The service refused the request (${error.status})${what === "" ? "" : `: ${what}`}`
    default:
      return what
  }
}

const slowDown = "wait a minute, and run fewer programs with this account at once"

/** A time at which a quota renews, in the message of the service. */
const renewal = /\b\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)?\b/u

/** The same for reports, without the service's own message, which may contain part of a searched value. */
export const reportedFailure = (error: ApiError): string => {
  switch (error._tag) {
    case "RateLimited": {
      const { isQuotaSpent, message, retryAfter, status } = error
      const [renewed] = renewal.exec(message) ?? []
      if (isQuotaSpent)
        return `The search quota of the service is exhausted${renewed === undefined ? "" : ` until ${renewed}`}`
      if (status === undefined) return failureText(error)
      const advice = retryAfter === undefined ? slowDown : `try again in ${Math.ceil(retryAfter)} s`
      return `The service limits the rate of calls (429): ${advice}`
    }
    case "ServiceFailure":
    case "V2Failure":
    case "ValidationFailed":
      return `The service refused the request (${error.status})`
    case "Unavailable":
      return error.status === undefined ? failureText(error) : `The service failed (${error.status})`
    default:
      return failureText(error)
  }
}

/**
 * The error code if the certificate of the service, or of a proxy in front of it, was rejected; otherwise undefined.
 */
export const certificateFault = ({ cause }: Unavailable): string | undefined => faultIn(cause?.message)

/** Codes of OpenSSL and Node, which core appends to the reason in parentheses. */
const certificateFaults =
  /\((CERT_\w+|ERR_TLS_CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(?:GET|VERIFY)_\w+)\)/u

const faultIn = (reason: string | undefined) => certificateFaults.exec(reason ?? "")?.[1]

/** Advice for a server that does not respond. The reason ends with the error code in parentheses. */
export const connectionAdvice = (reason: string | undefined): string => {
  const fault = faultIn(reason)
  if (fault === undefined) return "check its address, and that this machine can reach it"
  return fault.startsWith("CERT_") || fault.startsWith("ERR_")
    ? "its certificate is not valid for this address or at this time"
    : "to trust its certificate, set NODE_USE_SYSTEM_CA=1 if this machine trusts it, or NODE_EXTRA_CA_CERTS to a file with its authority"
}

/**
 * The message without the client's method name, which does not help a person. Control characters and line breaks of the
 * service are replaced, so that they cannot control a terminal or fake a line.
 */
export const withoutOperation = (error: ApiError): string => {
  const { message, operation } = error
  const said = message.startsWith(`${operation}: `) ? message.slice(operation.length + 2) : message
  const line = said.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim()
  return line.charAt(0).toUpperCase() + line.slice(1)
}

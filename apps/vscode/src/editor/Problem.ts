/** Converts a failure into a message for the person, with the next step. */
import type { ApiError, ValidationFailed } from "@threat-exposure/core/client/ApiError"
import { certificateFault, withoutOperation } from "@threat-exposure/leak-check/search/FailureText"
import { Data, Schema } from "effect"
import type { ViewState } from "./Contribution.ts"
import type { FileFailure } from "./Editor.ts"
import { t } from "../words/Localisation.ts"
import type { Endless } from "../listing/Listing.ts"
import { fileName } from "./Uri.ts"

/** Not signed in, or the sign-in has expired. */
export class SignedOut extends Data.TaggedError("SignedOut")<{ readonly isExpired: boolean }> {
  override get message() {
    return this.isExpired ? t("Your sign-in has expired.") : t("You are not signed in.")
  }
}

/** The service did not answer within the timeout of views. */
export class TooSlow extends Data.TaggedError("TooSlow")<{ readonly seconds: number }> {
  override get message() {
    return t("The service did not answer within {0} seconds.", this.seconds)
  }
}

/** The person switched the profile, which ends the requests of the previous profile. */
export class Superseded extends Data.TaggedError("Superseded") {
  override get message() {
    return t("Stopped because you switched to another profile.")
  }
}

/** The person cancelled the loading of a view or page. */
export class Stopped extends Data.TaggedError("Stopped") {
  override get message() {
    return t("Loading was cancelled.")
  }
}

/** A command cannot start; the message gives the reason. */
export class NotPossible extends Data.TaggedError("NotPossible")<{ readonly message: string }> {}

/** The answer to a change was lost, so that nobody knows whether it was made. */
export class Unanswered extends Data.TaggedError("Unanswered")<{ readonly failure: Failure }> {
  override get message(): string {
    return this.failure.message
  }
}

export type Failure =
  | ApiError
  | Endless
  | SignedOut
  | Stopped
  | Superseded
  | TooSlow
  | FileFailure
  | NotPossible
  | Unanswered

export const lacksOperation = (failure: Failure): boolean => "lacksOperation" in failure && failure.lacksOperation

export interface Problem {
  readonly state: Exclude<ViewState, "ready" | "empty">
  /** One or two sentences without secrets. */
  readonly message: string
  /** Seconds until a retry makes sense. */
  readonly retryAfter?: number
}

/** An action that a webview offers if its content could not be loaded. */
export const Remedy = Schema.Union([
  Schema.TaggedStruct("Retry", {}),
  Schema.TaggedStruct("ShowLog", {}),
  Schema.TaggedStruct("SignIn", {})
])
export type Remedy = typeof Remedy.Type

/** Whether the person has to sign in. */
export const needsSignIn = ({ state }: Problem): boolean => state === "signedOut" || state === "expired"

export const signInTitle = ({ state }: Problem): string => (state === "expired" ? t("Sign In Again") : t("Sign In"))

/** Seconds to wait after a 429 without a time. */
const defaultPause = 10

export const problemOf = (failure: Failure): Problem => {
  if (lacksOperation(failure)) return { state: "failed", message: t("The service does not offer this.") }
  switch (failure._tag) {
    case "SignedOut":
      return { state: failure.isExpired ? "expired" : "signedOut", message: failure.message }
    case "Unauthorized":
      return { state: "expired", message: t("Your sign-in has expired.") }
    case "Forbidden":
      return {
        state: "forbidden",
        message:
          failure.permission === undefined
            ? t("Your key lacks the necessary permission.")
            : t("Your key lacks the permission {0}.", failure.permission)
      }
    case "RateLimited":
      return failure.isQuotaSpent
        ? { state: "quotaSpent", message: t("Your organisation's search quota is used up: {0}", failure.message) }
        : {
            state: "rateLimited",
            message: t("Too many requests."),
            retryAfter: Math.max(1, Math.ceil(failure.retryAfter ?? defaultPause))
          }
    case "Unavailable": {
      if (failure.status !== undefined) {
        return { state: "outOfOrder", message: t("The service returned an error (status {0}).", failure.status) }
      }
      const fault = certificateFault(failure)
      return {
        state: "offline",
        message:
          fault === undefined
            ? t("The service cannot be reached.")
            : t("The certificate of the service is not accepted ({0}).", fault)
      }
    }
    case "TimedOut":
    case "TooSlow":
      return { state: "slow", message: t("The service took too long to answer.") }
    case "FileFailure":
      return { state: "failed", message: fileProblem(failure) }
    case "NotFound":
      return { state: "failed", message: t("Not found.") }
    case "ValidationFailed":
      return { state: "failed", message: t("The service refused the request: {0}", faultsOf(failure)) }
    case "UnexpectedResponse":
      return {
        state: "failed",
        message: t(
          "Unexpected response from the service (status {0}). Check the address of the profile.",
          failure.status
        )
      }
    case "V2Failure":
    case "ServiceFailure":
    case "RequestInvalid":
    case "CursorLoop":
      return { state: "failed", message: withoutOperation(failure) }
    case "Unanswered": {
      const { message, ...problem } = problemOf(failure.failure)
      const advice = t("The change may have been made all the same: look before you make it again.")
      return { ...problem, message: `${message} ${advice}` }
    }
    case "Stopped":
    case "Superseded":
      return { state: "stopped", message: failure.message }
    case "Endless":
    case "NotPossible":
      return { state: "failed", message: failure.message }
  }
}

const fileProblem = ({ operation, reason, uri }: FileFailure) => {
  const name = fileName(uri)
  switch (operation) {
    case "read":
      return t("{0} could not be read: {1}", name, reason)
    case "write":
      return t("{0} could not be written: {1}", name, reason)
    case "list":
      return t("The files of {0} could not be listed: {1}", name, reason)
  }
}

/** The path of each fault, without the part of the request, and its message. */
const faultsOf = ({ detail }: ValidationFailed) =>
  detail.map(({ loc, msg }) => [loc.slice(1).join("."), msg].filter((part) => part !== "").join(": ")).join("; ")

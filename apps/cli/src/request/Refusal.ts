/** Says in the user's words why a request was refused: with the flag or the id that was given. */
import { type ApiError, isApiError, isUnknownResource } from "@threat-exposure/core/client/ApiError"
import * as Effect from "effect/Effect"
import { printable } from "../output/Output.ts"
import { UsageInvalid } from "./UsageInvalid.ts"

/** Names the item that an operation did not find; `noun` is singular, such as "event". */
export const namingMissing =
  (noun: string, id: string | number) =>
  <A, E, R>(operation: Effect.Effect<A, ApiError | E, R>) =>
    Effect.mapError(operation, (error) =>
      isUnknownResource(error)
        ? new UsageInvalid({
            message: `No ${noun} "${printable(String(id))}" was found: check it, the address of the service and the path prefix`
          })
        : error
    )

/** Maps members of a request to the flags or arguments that give them. */
export type Inputs = Readonly<Record<string, string>>

/** Says which flag or argument gave the refused member of a request; undefined if none is known. */
export const refusalText = (error: ApiError, inputs: Inputs): string | undefined => {
  const inputOf = (path: ReadonlyArray<string | number>) => {
    const at = path.findLastIndex((member) => Object.hasOwn(inputs, member))
    const input = inputs[path[at] ?? ""]
    const index = Number(path[at + 1] ?? Number.NaN)
    return input === undefined || Number.isNaN(index) ? input : `${input} (value ${index + 1})`
  }
  if (error._tag === "ValidationFailed") {
    const faults = error.detail.map(({ loc, msg }) => ({ input: inputOf(loc), msg }))
    return faults.length === 0 || faults.some(({ input }) => input === undefined)
      ? undefined
      : printable(faults.map(({ input, msg }) => `${input} is refused by the service: ${msg}`).join("; "))
  }
  if (error._tag !== "RequestInvalid") return undefined
  const [, path = "", rule] = /^([\w.]+): (.*)$/su.exec(error.rule) ?? []
  const input = inputOf(path.split("."))
  return input === undefined ? undefined : `${input}: ${rule}`
}

/** Fails with {@link refusalText} where it is known. */
export const namingInputs =
  (inputs: Inputs) =>
  <A, E, R>(operation: Effect.Effect<A, ApiError | E, R>) =>
    Effect.mapError(operation, (error) => {
      const message = isApiError(error) ? refusalText(error, inputs) : undefined
      return message === undefined ? error : new UsageInvalid({ message })
    })

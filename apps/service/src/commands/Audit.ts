import { userInfo } from "node:os"
import * as Effect from "effect/Effect"
import { type Fields, Log } from "../observability/Log.ts"

/** Call it after the action. Never pass a token or a value. */
export const audit = (action: string, fields: Fields) =>
  Effect.map(Log, (log) => log.write("info", "audit", { action, user: userName(), ...fields }))

/** The uid of a user without a name, as in a container that runs with an arbitrary uid. */
const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.())
  }
}

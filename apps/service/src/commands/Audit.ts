/** What operators did, in the same log as the requests. */
import { userInfo } from "node:os"
import * as Effect from "effect/Effect"
import { type Fields, Log } from "../observability/Log.ts"

/** After the action. A token or a value is never one of the fields. */
export const audit = (action: string, fields: Fields) =>
  Effect.map(Log, (log) => log.write("info", "audit", { action, user: userInfo().username, ...fields }))

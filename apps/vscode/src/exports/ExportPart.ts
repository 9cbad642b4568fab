/** Bundle part that the first export loads: questions, formats, and the files. */
import { Effect } from "effect"
import type { CredentialSearches } from "../credentials/CredentialSearches.ts"
import type { Call } from "../editor/Commands.ts"
import type { Cancelled, Editor } from "../editor/Editor.ts"
import type { Failure } from "../editor/Problem.ts"
import type { Settings } from "../editor/Settings.ts"
import type { Register } from "../register/Register.ts"
import { exportCredentials } from "./CredentialExport.ts"
import { exportEvents } from "./EventExport.ts"
import { Exports } from "./Exports.ts"

export { Exports }

type Run = (
  call: Call
) => Effect.Effect<unknown, Failure | Cancelled, CredentialSearches | Editor | Exports | Register | Settings>

export const exportCommands: Readonly<Record<"events.export" | "credentials.export" | "exports.resume", Run>> = {
  "events.export": exportEvents,
  "credentials.export": exportCredentials,
  "exports.resume": () => Effect.flatMap(Exports, ({ resume }) => resume)
}

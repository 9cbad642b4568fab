import { Schema } from "effect"
import { setting } from "../editor/Settings.ts"

export const timeoutSeconds = setting(
  "requests.timeoutSeconds",
  Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 180 }))
)

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 100 }))
/** Rate of the two global searches, which services limit more strictly than other requests. */
export const searchesPerSecond = setting("requests.searchesPerSecond", Rate)
export const callsPerSecond = setting("requests.callsPerSecond", Rate)

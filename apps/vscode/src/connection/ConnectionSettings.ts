import { Schema } from "effect"
import { setting } from "../editor/Settings.ts"

export const timeoutSeconds = setting(
  "requests.timeoutSeconds",
  Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 180 }))
)
export const searchesPerSecond = setting(
  "requests.searchesPerSecond",
  Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 100 }))
)

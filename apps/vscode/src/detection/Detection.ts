import { Context, Effect, Layer } from "effect"
import type { Detector } from "./Detector.ts"

export class Detection extends Context.Service<Detection, { readonly load: Effect.Effect<Detector> }>()(
  "threat-exposure/detection/Detection"
) {
  static readonly layer = Layer.succeed(Detection, {
    load: Effect.map(
      Effect.promise(() => import("./Detector.ts")),
      ({ detector }) => detector
    )
  })
}

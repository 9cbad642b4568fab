/** Fingerprints by Node's own scrypt, which computes several at once and leaves the event loop alone. */
import { scrypt } from "node:crypto"
import { Effect, Layer } from "effect"
import { parameters, Scrypt } from "../ignore/Fingerprint.ts"

export const layer: Layer.Layer<never> = Layer.succeed(Scrypt, (password, salt) =>
  Effect.callback((resume) => {
    const { dkLen, ...cost } = parameters
    scrypt(password, salt, dkLen, cost, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })
)

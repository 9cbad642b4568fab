/** Computes fingerprints with Node's scrypt, which runs several in parallel and does not block the event loop. */
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

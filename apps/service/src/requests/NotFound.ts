import * as Effect from "effect/Effect"
import { NotFound } from "@threat-exposure/core/domain/Failures"
import { withoutStack } from "../ExpectedFailure.ts"

export const orNotFound = <A>(found: Effect.Effect<A | undefined>): Effect.Effect<A, NotFound> =>
  Effect.flatMapEager(found, (value) => (value === undefined ? notFound() : Effect.succeed(value)))

export const requireNoneMissing = (missing: ReadonlyArray<number | string>): Effect.Effect<void, NotFound> =>
  missing.length === 0 ? Effect.void : notFound(missing.map(String))

export const requireFound = (found: Effect.Effect<boolean>): Effect.Effect<void, NotFound> =>
  Effect.flatMapEager(found, (isFound) => (isFound ? Effect.void : notFound()))

const notFound = (targets?: ReadonlyArray<string>) =>
  Effect.fail(withoutStack(() => new NotFound(targets === undefined ? {} : { targets })))

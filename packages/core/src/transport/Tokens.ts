/** The bearer token of one client. It is fetched once and cached; one caller renews it while the others wait. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"

export interface Token {
  readonly value: string
  /** Number of renewals, which distinguishes equal tokens. */
  readonly generation: number
}

export interface Tokens<E> {
  readonly current: Effect.Effect<Token, E>
  /** A token newer than `refused`, fetched unless another caller already has; null for a constant token. */
  readonly newerThan: ((refused: Token) => Effect.Effect<Token, E>) | null
}

export const keepToken = (value: string): Tokens<never> => ({
  current: Effect.succeed({ value, generation: 0 }),
  newerThan: null
})

/** `take` fetches a token, which is renewed after `lifetime` milliseconds. */
export const renewTokens = <E>(take: Effect.Effect<string, E>, lifetime: number): Tokens<E> => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  let latest: { readonly generation: number; readonly takenAt: number; readonly exit: Exit.Exit<Token, E> } | undefined

  // Callers that wait for a renewal share its outcome, even a failure: a hundred callers must not cause a hundred
  // renewals.
  const renew = Effect.suspend(() => {
    const seen = latest?.generation ?? 0
    return oneAtATime.withPermit(
      Effect.suspend(() => {
        if (latest !== undefined && latest.generation > seen) return latest.exit
        const generation = seen + 1
        return take.pipe(
          Effect.map((value): Token => ({ value, generation })),
          Effect.exit,
          Effect.flatMap((exit) => {
            if (Exit.isFailure(exit) && Exit.hasInterrupts(exit)) return exit
            return Effect.flatMap(Clock.currentTimeMillis, (takenAt) => {
              latest = { generation, takenAt, exit }
              return exit
            })
          })
        )
      })
    )
  })

  return {
    current: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      latest !== undefined && Exit.isSuccess(latest.exit) && now - latest.takenAt < lifetime
        ? Effect.succeed(latest.exit.value)
        : renew
    ),
    newerThan: (refused) =>
      Effect.suspend(() =>
        latest !== undefined && Exit.isSuccess(latest.exit) && latest.generation > refused.generation
          ? Effect.succeed(latest.exit.value)
          : renew
      )
  }
}

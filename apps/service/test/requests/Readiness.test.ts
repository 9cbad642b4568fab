import { assert, it } from "@effect/vitest"
import { repeatedEachSecond } from "@threat-exposure/service/requests/Readiness"
import { Clock, Effect } from "effect"

it.live("a check is repeated after a second, and shared until then, although the clock is set back", () =>
  Effect.gen(function* () {
    let checks = 0
    const ready = yield* repeatedEachSecond(
      Effect.suspend(() => {
        checks += 1
        return checks === 1 ? Effect.fail("unavailable") : Effect.succeed("ready")
      })
    )
    assert.strictEqual(yield* Effect.flip(ready), "unavailable")
    const clock = yield* Clock.Clock
    const setBack = { ...clock, currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - 86_400_000 }
    const later = Effect.provideService(ready, Clock.Clock, setBack)
    while ((yield* Effect.exit(later))._tag === "Failure") yield* Effect.sleep("50 millis")
    assert.strictEqual(checks, 2)
  })
)

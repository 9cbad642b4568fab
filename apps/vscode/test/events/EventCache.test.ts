import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Connections } from "../../src/connection/Connections.ts"
import { Profiles } from "../../src/connection/Profiles.ts"
import { Settings } from "../../src/editor/Settings.ts"
import { EventCache } from "../../src/events/EventCache.ts"
import { Register } from "../../src/register/Register.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { event } from "../Running.ts"

it.effect("keeps a bounded number of events: the ones that were seen last", () =>
  Effect.gen(function* () {
    const cache = yield* EventCache
    yield* cache.note([event(0)])
    const size = 20_000
    yield* cache.note(Array.from({ length: size - 1 }, (_, index) => event(index + 1)))
    assert.lengthOf([...cache.all()], size)
    // Seen again, it is no longer the oldest.
    yield* cache.note([event(0)])
    yield* cache.note([event(size)])
    assert.lengthOf([...cache.all()], size)
    assert.isUndefined(cache.get("leak/somewhere/1"))
    for (const id of [0, 2, size]) assert.isDefined(cache.get(`leak/somewhere/${id}`))
  }).pipe(
    Effect.provide(
      EventCache.layer.pipe(
        Layer.provide(Register.layer),
        Layer.provide(Connections.layer),
        Layer.provide(Profiles.layer),
        Layer.provide(Settings.layer),
        Layer.provide(new EditorDouble().layer)
      )
    )
  )
)

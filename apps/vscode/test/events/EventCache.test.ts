import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Connections } from "../../src/connection/Connections.ts"
import { Profiles } from "../../src/connection/Profiles.ts"
import { Settings } from "../../src/editor/Settings.ts"
import { EventCache } from "../../src/events/EventCache.ts"
import { Register } from "../../src/register/Register.ts"
import { EditorDouble } from "../EditorDouble.ts"
import { event, ofTenant } from "../Running.ts"

const size = 20_000
const cacheLayer = EventCache.layer.pipe(
  Layer.provide(Register.layer),
  Layer.provide(Connections.layer),
  Layer.provide(Profiles.layer),
  Layer.provide(Settings.layer),
  Layer.provide(new EditorDouble().layer)
)

it.effect("keeps a bounded number of events: the ones that were seen last", () =>
  Effect.gen(function* () {
    const cache = yield* EventCache
    yield* cache.note([event(0)])
    yield* cache.note(Array.from({ length: size - 1 }, (_, index) => event(index + 1)))
    assert.lengthOf([...cache.all()], size)
    assert.deepStrictEqual(cache.dropped(), { ofTenant: false, others: false })
    // The event is noted again, so it is no longer the oldest.
    yield* cache.note([event(0)])
    yield* cache.note([event(size)])
    assert.lengthOf([...cache.all()], size)
    assert.isUndefined(cache.get("leak/somewhere/1"))
    for (const id of [0, 2, size]) assert.isDefined(cache.get(`leak/somewhere/${id}`))
    assert.deepStrictEqual(cache.dropped(), { ofTenant: false, others: true })
  }).pipe(Effect.provide(cacheLayer))
)

it.effect("drops no event of the tenant while it has others", () =>
  Effect.gen(function* () {
    const cache = yield* EventCache
    yield* cache.note([ofTenant(0)])
    yield* cache.note(Array.from({ length: size }, (_, index) => event(index + 1)))
    assert.lengthOf([...cache.all()], size)
    assert.isDefined(cache.get("leak/somewhere/0"))
    assert.deepStrictEqual(cache.dropped(), { ofTenant: false, others: true })
    yield* cache.note(Array.from({ length: size }, (_, index) => ofTenant(size + 1 + index)))
    assert.isUndefined(cache.get("leak/somewhere/0"))
    assert.deepStrictEqual(cache.dropped(), { ofTenant: true, others: true })
  }).pipe(Effect.provide(cacheLayer))
)

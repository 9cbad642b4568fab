import { assert, describe, it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Unavailable } from "@threat-exposure/core/client/ApiError"
import { outputFlags } from "@threat-exposure/cli/output/Output"
import { collect, printListing } from "@threat-exposure/cli/request/Listing"
import { Console, Effect, Stream } from "effect"

const failure = new Unavailable({ operation: "Events.search", attempts: 5, status: 503, cause: undefined })

const [json, color, quiet] = outputFlags

/** Prints a listing whose pages fail after the given ones. */
const listed = Effect.fnUntraced(function* (...pages: ReadonlyArray<ReadonlyArray<string>>) {
  const written = { out: new Array<string>(), err: new Array<string>() }
  const stream = Stream.concat(
    Stream.fromIterable(pages.map((items, at) => ({ items, next: String(at + 1) }))),
    Stream.fail(failure)
  )
  const ended = yield* Effect.flip(
    Effect.flatMap(collect(stream, 100), (found) =>
      printListing(found, { noun: "event", columns: [], shownOf: (uid) => ({ uid }), rowOf: () => [] })
    )
  ).pipe(
    Effect.provideService(json, true),
    Effect.provideService(color, false),
    Effect.provideService(quiet, false),
    Effect.provideService(
      Console.Console,
      Object.assign(Object.create(console), {
        log: (line: string) => written.out.push(line),
        error: (line: string) => written.err.push(line)
      })
    ),
    Effect.provide(NodeServices.layer)
  )
  return { ...written, ended }
})

describe("a listing that fails after some pages", () => {
  it.effect("is printed as far as it was read, because its pages may have cost quota, and then fails", () =>
    Effect.gen(function* () {
      const { ended, err, out } = yield* listed(["a", "b"], ["c"])
      assert.deepStrictEqual(out, ['{"uid":"a"}', '{"uid":"b"}', '{"uid":"c"}'])
      assert.deepStrictEqual(err, ["3 events, and not all: the rest could not be read."])
      assert.strictEqual(ended, failure)
    })
  )

  it.effect("does not say that there are none if it fails at once", () =>
    Effect.gen(function* () {
      const { ended, err, out } = yield* listed()
      assert.deepStrictEqual([out, err, ended], [[], [], failure])
    })
  )
})

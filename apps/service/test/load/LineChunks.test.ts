import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { chunkBytes, lineChunks, linesOf, maximumLineBytes } from "@threat-exposure/service/load/LineChunks"
import { Effect, Schema } from "effect"

const linesIn = async (pieces: Iterable<Buffer>) => {
  const lines: Array<readonly [number, string]> = []
  for await (const chunk of lineChunks(Readable.from(pieces))) {
    for (const { line, number } of linesOf(chunk)) lines.push([number, line])
  }
  return lines
}

const pieces = (text: Buffer, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.subarray(at * size, (at + 1) * size))

describe("lineChunks", () => {
  it.effect.prop("gives every line and its number, wherever the pieces end", [Schema.Array(Schema.String)], ([any]) =>
    Effect.promise(async () => {
      const text = any.map((line) => line.toWellFormed()).join("\n")
      const expected = text.split("\n").flatMap((line, at) => (line.trim() === "" ? [] : [[at + 1, line] as const]))
      for (const size of [1, 7, 1_000]) assert.deepEqual(await linesIn(pieces(Buffer.from(text), size)), expected)
    })
  )

  it.effect("numbers on over chunks, and keeps characters whole that a chunk's end cuts", () =>
    Effect.promise(async () => {
      const line = `${"é".repeat(500)}\u{1F600}`
      const count = Math.ceil((chunkBytes * 2.5) / (Buffer.byteLength(line) + 1))
      const text = Buffer.from(Array.from({ length: count }, () => `${line}\n\n`).join(""))
      const lines = await linesIn(pieces(text, 65_537))
      assert.strictEqual(lines.length, count)
      assert.isTrue(lines.every(([number, found], at) => number === at * 2 + 1 && found === line))
    })
  )

  it.effect("does not fill the memory with a line that never ends", () =>
    Effect.promise(async () => {
      let read = 0
      const endless = function* () {
        yield Buffer.from("one\n")
        for (;;) {
          read += 1_048_576
          yield Buffer.alloc(1_048_576, "a")
        }
      }
      const failure = await linesIn(endless()).then(
        () => "read",
        (cause) => String(cause)
      )
      assert.include(failure, "line 2 ")
      assert.isBelow(read, maximumLineBytes * 2)
    })
  )
})

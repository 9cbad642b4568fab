import { Readable } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { chunkBytes, lineChunks, linesOf, maximumLineBytes } from "@threat-exposure/service/load/LineChunks"
import { Effect, Schema } from "effect"

const linesIn = async (pieces: Iterable<Buffer>) => {
  const lines: Array<readonly [number, string]> = []
  for await (const chunk of lineChunks(Readable.from(pieces))) {
    for (const line of linesOf(chunk)) lines.push([line.number, "text" in line ? line.text : `(${line.fault})`])
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

  it.effect("leaves out a line that is longer than is read, whatever its length, and goes on after it", () =>
    Effect.promise(async () => {
      const long = function* () {
        yield Buffer.from("one\n")
        for (let read = 0; read < maximumLineBytes * 3; read += 1_048_576) yield Buffer.alloc(1_048_576, "a")
        yield Buffer.from("a\nthree")
      }
      assert.deepEqual(await linesIn(long()), [
        [1, "one"],
        [2, "(it is longer than 16 MiB)"],
        [3, "three"]
      ])
      // None of it is handed to another thread only to be refused there.
      for await (const { text } of lineChunks(Readable.from(long()))) assert.isAtMost(text?.length ?? 0, 10)
    })
  )

  it.effect("says which line is not UTF-8, and reads the others", () =>
    Effect.promise(async () => {
      const text = Buffer.concat([Buffer.from("é\n\n"), Buffer.from([0x70, 0xe9, 0x0a]), Buffer.from("ü\n")])
      assert.deepEqual(await linesIn([text]), [
        [1, "é"],
        [3, "(it is not UTF-8)"],
        [4, "ü"]
      ])
    })
  )
})

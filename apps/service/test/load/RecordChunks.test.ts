import { randomBytes } from "node:crypto"
import { Readable } from "node:stream"
import { constants, gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { chunkBytes, maximumRecordBytes, recordsOf } from "@threat-exposure/service/load/RecordChunks"
import { readRecords, type RecordSchema } from "@threat-exposure/service/load/RecordReader"
import { Effect, Result, Schema } from "effect"

/** A schema that accepts every value. */
const anything: RecordSchema<unknown> = {
  read: (json) => Result.succeed(json),
  ofCells: (cells) => Object.fromEntries(cells)
}

const columns = ["id", "name"]

/** The records, the positions of refused ones with their reasons, or what the content seems to be. */
const read = async (pieces: Iterable<Buffer>, csvColumns?: ReadonlyArray<string>) => {
  const records: Array<unknown> = []
  const refused: Array<string> = []
  const found = await recordsOf(Readable.from(pieces, { objectMode: true }), csvColumns)
  if (typeof found === "string") return found
  for await (const chunk of found) {
    const refusedOfChunk = readRecords(chunk, anything, (record) => records.push(record))
    refused.push(...refusedOfChunk.map(({ position, reason }) => `${position}: ${reason}`))
  }
  return { records, refused }
}

const pieces = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

const Json = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  more: Schema.Array(Schema.NullOr(Schema.Struct({ text: Schema.String })))
})

/** A CSV cell as a spreadsheet writes it. */
const cell = (text: string) => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A skippable frame with this content, as parallel compressors write it. */
const skippable = (content: string) => {
  const header = Buffer.alloc(8)
  header.writeUInt32LE(0x184d2a50)
  header.writeUInt32LE(content.length, 4)
  return Buffer.concat([header, Buffer.from(content)])
}

/** Several frames, with and without a checksum, and an empty frame. */
const zstdFrames = (text: string) => {
  const bytes = Buffer.from(text)
  const middle = Math.floor(bytes.length / 2)
  return Buffer.concat([
    skippable("four"),
    zstdCompressSync(bytes.subarray(0, middle), { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    skippable(""),
    zstdCompressSync(""),
    zstdCompressSync(bytes.subarray(middle), { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } })
  ])
}

describe("recordsOf", () => {
  it.effect.prop(
    "returns every record of every format, compressed or not, wherever chunks end",
    [Schema.Array(Json)],
    ([any]) =>
      Effect.promise(async () => {
        const records = any.map((record) => JSON.parse(JSON.stringify(record).toWellFormed()))
        const formats = [
          records.map((record) => `${JSON.stringify(record)}\n`).join("\n"),
          records.map((record) => JSON.stringify(record)).join("\r\n"),
          JSON.stringify(records),
          JSON.stringify(records, null, 2),
          records.map((record) => JSON.stringify(record, null, "\t")).join("\n"),
          `\uFEFF${records.map((record) => JSON.stringify(record)).join("\n")}`
        ]
        for (const text of formats) {
          for (const bytes of [Buffer.from(text), gzipSync(text), zstdCompressSync(text), zstdFrames(text)]) {
            for (const size of [1, 7, 1_000]) {
              assert.deepEqual(await read(pieces(bytes, size), columns), { records, refused: [] }, text)
            }
          }
        }
      }),
    { arbitrary: { runs: process.env["LONG_PROPERTIES"] === "true" ? 30 : 5 } }
  )

  it("returns every record of zstd frames with stored, repeated and compressed blocks", async () => {
    const records = [
      { text: randomBytes(300_000).toString("base64") },
      { text: " ".repeat(1_000_000) },
      { text: randomBytes(300_000).toString("latin1") }
    ]
    const bytes = Buffer.concat(records.map((record) => zstdCompressSync(`${JSON.stringify(record)}\n`)))
    for (const size of [1_000, 65_536, bytes.length]) {
      assert.deepEqual(await read(pieces(bytes, size)), { records, refused: [] })
    }
  })

  it("fails where a zstd file is cut off or continues with something else", async () => {
    const bytes = Buffer.concat([zstdCompressSync('{"id":1}\n'), zstdCompressSync('{"id":2}\n')])
    const failure = async (damaged: Buffer) => {
      try {
        await read([damaged])
        return "none"
      } catch (cause) {
        return String(cause)
      }
    }
    const first = zstdCompressSync('{"id":1}\n').length
    for (let end = 1; end < bytes.length; end++) {
      if (end < 4 || end === first) continue
      const reason = end > first && end < first + 4 ? "not a zstd frame" : "inside a zstd frame"
      assert.include(await failure(bytes.subarray(0, end)), reason, `${end} of ${bytes.length} bytes`)
    }
    assert.include(await failure(Buffer.concat([bytes, Buffer.from("{}")])), "not a zstd frame")
    assert.include(await failure(Buffer.concat([bytes, skippable("four").subarray(0, 6)])), "inside a zstd frame")
    assert.include(await failure(Buffer.concat([bytes, skippable("four").subarray(0, 10)])), "inside a zstd frame")
  })

  it.effect.prop("returns every row of CSV, wherever chunks end", [Schema.Array(Schema.String)], ([any]) =>
    Effect.promise(async () => {
      const names = any.map((name) => name.toWellFormed().replaceAll("'", "")).filter((name) => name.trim() !== "")
      const text = `id,name\r\n${names.map((name, id) => `${id},${cell(name)}\r\n`).join("")}`
      const records = names.map((name, id) => ({ id: String(id), name }))
      for (const size of [1, 7, 1_000]) {
        assert.deepEqual(await read(pieces(Buffer.from(text), size), columns), { records, refused: [] })
      }
    })
  )

  it.effect("names an invalid row of CSV, and removes the apostrophe before a formula", () =>
    Effect.promise(async () => {
      const text = `name;id\n"a;\n""b""";1\nc\n"d"e;4\n'=f;5\n'g;6\n`
      assert.deepEqual(await read([Buffer.from(text)], columns), {
        records: [
          { name: 'a;\n"b"', id: "1" },
          { name: "=f", id: "5" },
          { name: "'g", id: "6" }
        ],
        refused: [
          "row 3: its number of cells is 1, but the header has 2",
          "row 4: a quoted cell is not closed, or continues after its closing quote"
        ]
      })
    })
  )

  it.effect("says what a file of another kind seems to be", () =>
    Effect.promise(async () => {
      for (const [content, found] of [
        ["PK\u0003\u0004…", "a zip archive"],
        ["SQLite format 3\0", "an SQLite database"],
        ["BZh91AY&SY", "a bzip2 file"],
        ["%PDF-1.7", "a PDF document"],
        ["<!doctype html>", "HTML or XML"],
        ["a\0b", "binary data"],
        ["jane@example.com:hunter2\n", "plain text"],
        ["identity_name,imported_at\ra@example.com,\r", "text whose lines end with CR, not LF or CRLF"],
        ["mail,password\na,b\n", "CSV without a header that names id and name"]
      ] as const) {
        assert.strictEqual(await read([Buffer.from(content)], columns), found)
        assert.strictEqual(await read([gzipSync(content)], columns), found)
      }
      assert.strictEqual(await read([Buffer.from("id,name\n1,a\n")]), "CSV")
      assert.strictEqual(await read([Buffer.from("\uFEFF{}", "utf16le")], columns), "UTF-16 text")
      assert.deepEqual(await read([], columns), { records: [], refused: [] })
    })
  )

  it.effect("reads lines after a damaged first line, and reports lines that are not JSON by number", () =>
    Effect.promise(async () => {
      const lines = ["nonsense", '{"id":1}', "", "{", '{"id":2}'].join("\n")
      const notJson = "it is not JSON"
      assert.deepEqual(await read([Buffer.from(lines)], columns), {
        records: [{ id: 1 }, { id: 2 }],
        refused: [`line 1: ${notJson}`, `line 4: ${notJson}`]
      })
      assert.deepEqual(await read([Buffer.from('[{"id":1}, {"id":nonsense}, {"id":2}] trailing')], columns), {
        records: [{ id: 1 }, { id: 2 }],
        refused: [`record 2: ${notJson}`, `record 4: ${notJson}`]
      })
    })
  )

  it.effect("continues numbering over chunks, and joins characters that a chunk's end cuts", () =>
    Effect.promise(async () => {
      const name = `${"é".repeat(500)}\u{1F600}`
      const line = JSON.stringify({ name })
      const count = Math.ceil((chunkBytes * 2.5) / (Buffer.byteLength(line) + 1))
      const text = Buffer.from(`${`${line}\n\n`.repeat(count)}last`)
      const found = await read(pieces(text, 65_537), columns)
      assert.deepEqual(found, {
        records: Array.from({ length: count }, () => ({ name })),
        refused: [`line ${count * 2 + 1}: it is not JSON`]
      })
    })
  )

  it.effect("leaves out a record over the maximum length, and continues after it", () =>
    Effect.promise(async () => {
      const long = function* () {
        yield Buffer.from('{"id":1}\n"')
        for (let read = 0; read < maximumRecordBytes * 3; read += 1_048_576) yield Buffer.alloc(1_048_576, "a")
        yield Buffer.from('a"\n{"id":3}')
      }
      assert.deepEqual(await read(long(), columns), {
        records: [{ id: 1 }, { id: 3 }],
        refused: ["line 2: it is longer than 16 MiB"]
      })
    })
  )

  it.effect("reports a line that is not UTF-8, and reads the others", () =>
    Effect.promise(async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"id":"é"}\n\n'),
        Buffer.from([0x22, 0xe9, 0x22, 0x0a]),
        Buffer.from('"ü"\n')
      ])
      assert.deepEqual(await read([bytes], columns), {
        records: [{ id: "é" }, "ü"],
        refused: ["line 3: it is not UTF-8"]
      })
    })
  )
})

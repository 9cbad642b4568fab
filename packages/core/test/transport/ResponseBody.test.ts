import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Body, makeFileReader, readBody } from "../../src/transport/ResponseBody.ts"

/** The text in chunks of `length` bytes. */
const arriving = (text: string, length: number, encoding?: string, maxBytes = 1e9): Promise<Body> => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return readBody(
    new ReadableStream({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(at, at + length))
        at += length
      }
    }),
    maxBytes,
    encoding
  )
}

/** Repeats the same chunk endlessly; `canceled` tells whether the reader canceled the stream. */
const endless = (beginning: string, chunk: string) => {
  let sent = 0
  let isCanceled = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new TextEncoder().encode(sent === 0 ? beginning : chunk))
      sent++
    },
    cancel: () => {
      isCanceled = true
    }
  })
  return { stream, sent: () => sent, isCanceled: () => isCanceled }
}

/** A page that is long enough to be parsed in several parts. */
const pageOf = <Item>(item: (index: number) => Item) => ({
  items: Array.from({ length: 1_500 }, (_, index) => item(index)),
  next: "a cursor"
})

const item = (index: number) => ({
  id: index,
  name: `Zoë ${"x".repeat(index % 60)}`,
  source: { id: "s", tags: ["a", "b"], url: null }
})

describe("a body", () => {
  it("of a page is parsed correctly, whatever the chunks", async () => {
    const page = pageOf(item)
    const spaced = JSON.stringify(page).replaceAll("},{", "}, {").replace('{"items":[', '\n{ "items" : [')
    for (const text of [JSON.stringify(page), spaced, JSON.stringify(page, null, 2)]) {
      for (const length of [7, 4_096, 65_536, text.length * 2]) {
        assert.deepStrictEqual(await arriving(text, length), Result.succeed(page))
      }
    }
  })

  it("without an end is refused at the limit, and given up", async () => {
    for (const [beginning, chunk] of [
      ['{"items":[', `"${"a".repeat(65_000)}",`],
      ['{"items":[{}', ",{}".repeat(20_000)],
      ["<html>", "a".repeat(65_000)],
      ["[", "[".repeat(65_000)]
    ] as const) {
      const { isCanceled, sent, stream } = endless(beginning, chunk)
      const body = await readBody(stream, 1_000_000)
      assert.match(Result.getOrThrow(Result.flip(body)), /^its body has more than/u)
      assert.isTrue(isCanceled())
      assert.isAtMost(sent(), 30)
    }
  })

  it("of exactly the limit is read", async () => {
    const text = JSON.stringify(pageOf(item))
    const { length } = new TextEncoder().encode(text)
    assert.isTrue(Result.isSuccess(await arriving(text, 4_096, undefined, length)))
    assert.isTrue(Result.isFailure(await arriving(text, 4_096, undefined, length - 1)))
  })

  it("keeps the members before and after the items", async () => {
    const { items } = pageOf(item)
    for (const body of [
      { items, next: null, total: 5 },
      { next: "first", items },
      { meta: { items: [{}, {}] }, items }
    ]) {
      assert.deepStrictEqual(await arriving(JSON.stringify(body), 4_096), Result.succeed(body))
    }
  })

  it("is not misled by text that looks like the end of an item", async () => {
    const misleading: ReadonlyArray<(index: number) => unknown> = [
      (index) => ({ id: index, text: "},{" }),
      (index) => ({ id: index, text: '"},{"id":1},{"' }),
      (index) => ({ id: index, within: [{ a: 1 }, { b: 2 }, { c: { d: [{}, {}] } }] }),
      (index) => (index === 1_490 ? { id: index, within: [{ a: 1 }, { text: "x".repeat(200_000) }] } : item(index)),
      (index) => [{ id: index }, { id: index }],
      (index) => `},{${index}`
    ]
    for (const each of misleading) {
      const page = pageOf(each)
      for (const length of [4_096, 65_536]) {
        assert.deepStrictEqual(await arriving(JSON.stringify(page), length), Result.succeed(page))
      }
    }
  })

  it.prop(
    "of a page is parsed correctly, whatever the items contain",
    [
      Arbitrary.schema(Schema.Array(Schema.Json)),
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 70_000 })))
    ],
    async ([values, length]) => {
      // Repeats the values, so that the page is parsed in several parts.
      const page = pageOf((index) => ({ id: index, values: values[index % Math.max(1, values.length)] ?? null }))
      const text = JSON.stringify(page)
      assert.deepStrictEqual(await arriving(text, length), Result.succeed(JSON.parse(text)))
    },
    { arbitrary: { runs: 30 } }
  )

  it("that is cut off, or broken within its first items, is not JSON", async () => {
    const text = JSON.stringify(pageOf(item))
    for (const broken of [text.slice(0, -1), text.slice(0, 90_000), text.replace('"id":40,', '"id":,'), `${text}]`]) {
      assert.deepStrictEqual(await arriving(broken, 65_536), Result.fail("its body is not JSON, or was cut off"))
    }
  })

  it("is reported if it is empty, HTML or compressed", async () => {
    assert.deepStrictEqual(await arriving(" \n", 1), Result.fail("its body is empty"))
    assert.include(Result.getOrThrow(Result.flip(await arriving("<!doctype html><p>", 5))), "HTML")
    const compressed = "\u001F\uFFFD\b"
    assert.include(
      Result.getOrThrow(Result.flip(await arriving(compressed, 100, "gzip"))),
      "its body is not text but gzip"
    )
    assert.include(Result.getOrThrow(Result.flip(await arriving(compressed, 100))), "its body is not text: ")
    assert.include(Result.getOrThrow(Result.flip(await arriving(`<html>${"},{".repeat(20_000)}`, 100_000))), "HTML")
  })
})

describe("a file", () => {
  const bytes = new Uint8Array([1, 2, 3])

  it("is whole if it has as many bytes as the header says, and is refused otherwise", () => {
    for (const [contentLength, isWhole] of [
      ["3", true],
      [undefined, true],
      ["100", false]
    ] as const) {
      const reader = makeFileReader(10, contentLength)
      assert.isTrue(reader.take(bytes))
      assert.deepStrictEqual(
        reader.end(),
        isWhole ? Result.succeed(bytes) : Result.fail("its body was cut off after 3 bytes")
      )
    }
  })

  it.each([
    ["", /^its body is empty$/u],
    [" \r\n", /^its body is empty$/u],
    ["\u{feff}\n<!doctype html><p>Sign in", /^its body is HTML or XML/u],
    ['{"error":{"code":"BUSY"}}', /^its body is JSON, not a file$/u],
    ["[]", /^its body is JSON, not a file$/u],
    ["null", /^its body is JSON, not a file$/u]
  ])("is refused if the body %j is what other servers and failures answer", (body, reason) => {
    const reader = makeFileReader(100, undefined)
    reader.take(new TextEncoder().encode(body))
    assert.match(Result.getOrThrow(Result.flip(reader.end())), reason)
  })

  it.each(["uid,type,title\n", "%PDF-1.7\n", "PK\u0003\u0004"])("may begin with %j", (body) => {
    const bytes = new TextEncoder().encode(body)
    const reader = makeFileReader(100, undefined)
    reader.take(bytes)
    assert.deepStrictEqual(reader.end(), Result.succeed(bytes))
  })
})

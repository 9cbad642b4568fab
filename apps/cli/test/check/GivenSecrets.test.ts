import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { namedSecrets } from "../../src/check/GivenSecrets.ts"

const valuesOf = (text: string) => namedSecrets(text)?.map(({ name, value }) => [name, Redacted.value(value)] as const)

describe("named secrets of a dotenv file", () => {
  it.each([
    ["A=plain", "plain"],
    ["export A = spaced ", "spaced"],
    ["A=two words", "two words"],
    ["A=pa#ss", "pa#ss"],
    ["A=pass # rotated in May", "pass"],
    ["A=pass\t# rotated", "pass"],
    ["A=# nothing yet", "# nothing yet"],
    ["A= # nothing yet", ""],
    ['A="in # quotes" # a comment', "in # quotes"],
    ["A='in # quotes'", "in # quotes"],
    ["A=`back`", "back"],
    [String.raw`A="it\"s\n\\n"`, 'it"s\n\\n'],
    [String.raw`A='it\n'`, String.raw`it\n`],
    ['A="-----BEGIN KEY-----\nabc=\n-----END KEY-----"', "-----BEGIN KEY-----\nabc=\n-----END KEY-----"],
    ['A=a"b"c', 'a"b"c'],
    ['A="unclosed', '"unclosed']
  ])("reads %j", (text, value) => {
    for (const whole of [text, `# first\n\n${text}\nB=after\n`, `${text}\r\nB=after`]) {
      const [first, ...rest] = valuesOf(whole) ?? []
      assert.deepStrictEqual(first, ["A", value])
      assert.deepStrictEqual(rest, whole === text ? [] : [["B", "after"]])
    }
  })

  it("are none if a line is not an assignment", () => {
    for (const text of ["a word", "A=1\nand a sentence\n", "# comments\n# alone\n"]) assert.isUndefined(valuesOf(text))
  })
})

describe("named secrets of a JSON object", () => {
  it.each([
    [
      '{"A":"x","PORT":5432,"TLS":true,"NOTE":null,"RATIO":0.5}',
      [
        ["A", "x"],
        ["PORT", "5432"]
      ]
    ],
    [
      '{"request_id":"1","lease_duration":3600,"data":{"pin":483920,"a":"x"}}',
      [
        ["pin", "483920"],
        ["a", "x"]
      ]
    ],
    ['{"data":{"data":{"a":"x","on":false},"metadata":{"version":3}}}', [["a", "x"]]],
    ['{"data":null}', []]
  ] as const)("reads the texts and whole numbers of %s", (text, expected) => {
    assert.deepStrictEqual(
      valuesOf(text),
      expected.map((pair) => [...pair])
    )
  })

  it("are none if the object is not flat", () => {
    for (const text of ["[1]", '{"a":["x"]}', '{"a":{"b":"x"}}', '"x"']) assert.isUndefined(valuesOf(text))
  })
})

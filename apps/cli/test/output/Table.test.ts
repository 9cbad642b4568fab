import { assert, describe, it } from "@effect/vitest"
import { table } from "@threat-exposure/cli/output/Table"
import { displayWidth } from "effect/cli/CliOutput"

const columns = [
  { title: "SEVERITY", rank: 0 },
  { title: "CREATED", rank: 2 },
  { title: "TITLE", rank: 1, isFlexible: true },
  { title: "UID", rank: 0 }
]
const uid = "ransomleak/slow_comet/tfgxgj6v2rpkxtvl"
const rows = [
  ["high", "2026-11-27", "Example Corp customer accounts, with card 🔑 numbers", uid],
  ["critical", "2026-11-27", "設定を含む本番環境の漏洩データ", "bot/nightjar_bazaar/s0o4h4tgujyoocr4"]
]

describe("a table", () => {
  it("is not wider than the terminal, and cuts neither a severity nor a uid", () => {
    for (let width = 50; width <= 160; width += 1) {
      const lines = table(columns, rows, { colors: false, width })
      for (const line of lines) assert.isAtMost(displayWidth(line), Math.max(width, 48), line)
      assert.include(lines[1], uid)
      assert.match(lines[1] ?? "", /^high /u)
      const starts = lines.slice(1).map((line) => displayWidth(line.slice(0, line.search(/(?:ransomleak|bot)\//u))))
      assert.strictEqual(new Set(starts).size, 1, lines.join("\n"))
    }
  })

  it("leaves out the least important columns first", () => {
    const heads = [120, 80, 70, 55].map((width) => table(columns, rows, { colors: false, width })[0]?.split(/ +/u))
    assert.deepStrictEqual(heads, [
      ["SEVERITY", "CREATED", "TITLE", "UID"],
      ["SEVERITY", "CREATED", "TITLE", "UID"],
      ["SEVERITY", "TITLE", "UID"],
      ["SEVERITY", "UID"]
    ])
  })

  it("leaves out no column for a uid that is wider than the terminal, and does not cut it", () => {
    const long = `paste/${"x".repeat(200)}`
    const lines = table(columns, [...rows, ["low", "2026-11-27", "A paste", long]], { colors: false, width: 80 })
    assert.deepStrictEqual(lines.slice(0, 3), table(columns, rows, { colors: false, width: 80 }))
    assert.isTrue(lines[3]?.endsWith(`  ${long}`))
    const [head] = table(columns, [["low", "2026-11-27", "A paste", long]], { colors: false, width: 80 })
    assert.deepStrictEqual(head?.split(/ +/u), ["SEVERITY", "CREATED", "TITLE", "UID"])
  })

  it("does not make all rows as wide as a value that is wider than the terminal", () => {
    const columns = [
      { title: "ACCOUNT", rank: 0 },
      { title: "PASSWORD", rank: 0 },
      { title: "IMPORTED", rank: 1 }
    ]
    const rows = [
      ["jane@example.com", "clear", "2026-11-27"],
      ["joe@example.com", "hashed", "2026-11-27"]
    ]
    const expected = table(columns, rows, { colors: false, width: 80 })
    for (const [width, length] of [
      [80, 200],
      [80, 68],
      [undefined, 200]
    ] as const) {
      const long = "x".repeat(length)
      const lines = table(columns, [...rows, [long, "clear", "2026-11-27"]], { colors: false, width })
      assert.deepStrictEqual(lines, [...expected, `${long}  clear     2026-11-27`])
    }
  })

  it("takes more rows than a call takes arguments", () => {
    const many = Array.from({ length: 150_000 }, () => ["a@example.com"])
    assert.strictEqual(table([{ title: "ACCOUNT", rank: 0 }], many, { colors: false, width: 80 }).length, 150_001)
  })

  it("is complete where there is no terminal", () => {
    const lines = table(columns, rows, { colors: false, width: undefined })
    assert.include(lines[1], "Example Corp customer accounts, with card 🔑 numbers")
  })
})

/** No prefix of three letters may turn a long random value into something other than a candidate. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"
import { seededRandom } from "../../testing/ValueGenerators.ts"

const letters = "abcdefghijklmnopqrstuvwxyz"
const alphabet = `${letters}${letters.toUpperCase()}0123456789`

const formats: ReadonlyArray<readonly [path: string, line: (value: string) => string]> = [
  ["deploy/live.env", (value) => `SERVICE_TOKEN=${value}`],
  ["config/app.yml", (value) => `api_token: ${value}`],
  ["src/client.ts", (value) => `const apiToken = "${value}"`],
  ["config/app.json", (value) => `"apiToken": "${value}",`],
  ["conf/app.properties", (value) => `service.token=${value}`],
  ["main.tf", (value) => `  api_token = "${value}"`],
  ["conf/app.xml", (value) => `<apiToken>${value}</apiToken>`],
  ["conf/app.toml", (value) => `token = "${value}"`],
  ["deploy/login.ps1", (value) => `$apiToken = '${value}'`],
  ["deploy/Dockerfile", (value) => `ENV API_TOKEN=${value}`],
  ["src/app.php", (value) => `define('API_TOKEN', '${value}');`],
  ["deploy/compose.yml", (value) => `      - DB_PASSWORD=${value}`]
]

/** With LONG_PROPERTIES=true, each format is tested with every prefix; otherwise, the formats share the prefixes. */
const isLong = process.env["LONG_PROPERTIES"] === "true"

describe("a long value drawn at random behind three letters", () => {
  it.each(formats)("%s", (path, lineWith) => {
    const random = seededRandom(7)
    const lost: Array<string> = []
    const turn = formats.findIndex(([other]) => other === path)
    for (const [firstIndex, first] of Array.from(letters).entries()) {
      // Each file has few lines, because many uses of a name near each other are taken for a table.
      for (const [secondIndex, second] of Array.from(letters).entries()) {
        if (!isLong && (firstIndex + secondIndex) % formats.length !== turn) continue
        const values = Array.from(letters, (third, index) => {
          const prefix = `${first}${second}${third}`
          const drawn = Array.from({ length: 32 }, () => random.pick(alphabet)).join("")
          return [prefix, prefix.toUpperCase(), `${first.toUpperCase()}${second}${third}`][index % 3] + drawn
        })
        const found = new Set(
          [values.slice(0, 13), values.slice(13)].flatMap((some) =>
            candidatesIn(some.map(lineWith).join("\n"), { path }).map(({ value }) => Redacted.value(value))
          )
        )
        lost.push(...values.filter((value) => !found.has(value)))
      }
    }
    assert.deepStrictEqual(lost, [])
  })
})

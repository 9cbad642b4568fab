import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { generateCorpus } from "@threat-exposure/detect/testing/Corpus"
import { measureLive, measureStrong } from "@threat-exposure/detect/testing/Measure"

const templates = (half: string) => readFileSync(join(import.meta.dirname, `../corpus/${half}.txt`), "utf8")

const tiny = `==== words
user: app
==== «#user»/settings.yml
user: «#user»
password: «alphanumeric»
weak: «?weak»
encoded: «typed|base64»
id: «!uuid»
==== src/settings_test.go (tests)
password := "«alphanumeric»"
`

describe("generateCorpus", () => {
  it("labels each planted value with its position, and generates the same files for the same seed", () => {
    const [file] = generateCorpus(tiny, { seed: 3, copies: 1 })
    assert.strictEqual(file?.path, "app/settings.yml")
    assert.deepStrictEqual(
      file?.labels.map(({ kind, strength }) => `${kind} ${strength}`),
      ["password strong", "password weak", "password strong", "look-alike none"]
    )
    const written = file?.labels.map(({ end, start }) => file.text.slice(start, end)) ?? []
    const values = file?.labels.map(({ value }) => value) ?? []
    assert.deepStrictEqual(values, [written[0], written[1], atob(written[2] ?? ""), written[3]])
    assert.deepStrictEqual(generateCorpus(tiny, { seed: 3, copies: 1 })[0], file)
    assert.notDeepEqual(generateCorpus(tiny, { seed: 4, copies: 1 })[0], file)
  })

  it("refuses a mark that names nothing", () => {
    assert.throws(() => generateCorpus("==== words\n==== a\n«nothing»\n", { seed: 1, copies: 1 }), "«nothing»")
  })

  it("understands every template of both halves, which share none", () => {
    const halves = ["development", "held-out"].map((half) => generateCorpus(templates(half), { seed: 1, copies: 1 }))
    for (const files of halves) {
      assert.isAbove(files.length, 40)
      for (const kind of ["password", "token", "key", "json-web-key", "url", "command-line", "sql", "jwt"]) {
        assert.isTrue(files.some(({ labels }) => labels.some((label) => label.kind === kind)))
      }
    }
    const linesOf = (half: string) =>
      new Set(
        templates(half)
          .split("\n")
          .filter((line) => line.length > 30)
      )
    const shared = [...linesOf("development")].filter((line) => linesOf("held-out").has(line))
    assert.isAtMost(shared.length, 3)
  })
})

describe("measure", () => {
  const files = generateCorpus(tiny, { seed: 3, copies: 1 })
  const all = () => files.flatMap(({ labels }) => labels.map(({ value }) => value))

  it("counts values that are found, missed and sent in vain", () => {
    const live = measureLive(files.slice(0, 1), all)
    assert.strictEqual(live.recall, 1)
    // The look-alike, and the password in the other file.
    assert.deepStrictEqual([live.sent, live.inVain.length], [5, 2])
    const nothing = measureLive(files, () => [])
    assert.deepStrictEqual([nothing.recall, nothing.missed.length], [0, 2])
  })

  it("counts a password of a test as sent in vain, and expects it if paths are ignored", () => {
    const inTest = files.slice(1)
    const find = () => inTest.flatMap(({ labels }) => labels.map(({ value }) => value))
    assert.strictEqual(measureLive(inTest, find).precision, 0)
    const strong = measureStrong(inTest, (_, path) => {
      assert.strictEqual(path, "settings.go")
      return find()
    })
    assert.deepStrictEqual([strong.precision, strong.recall], [1, 1])
  })
})

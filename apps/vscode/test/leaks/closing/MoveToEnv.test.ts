import { assert, describe, it } from "@effect/vitest"
import { Lines } from "../../../src/detection/Lines.ts"
import { referenceTo, replacementIn, setsVariable, variableName } from "../../../src/leaks/closing/EnvReference.ts"
import { ignoresEnv, lineAtEnd, namesVariable, variableLine } from "../../../src/leaks/closing/MoveToEnv.ts"

describe("a variable of .env", () => {
  it("is quoted if necessary, and added on its own line", () => {
    assert.strictEqual(variableLine("B", "plain/value"), "B=plain/value")
    assert.strictEqual(variableLine("B", 'a "quoted" $value'), `B='a "quoted" $value'`)
    assert.strictEqual(variableLine("B", "it's $5"), String.raw`B="it's \$5"`)
    assert.deepStrictEqual(lineAtEnd("A=1", "B=2"), {
      span: { start: { line: 0, character: 3 }, end: { line: 0, character: 3 } },
      text: "\nB=2\n"
    })
    assert.strictEqual(lineAtEnd("A=1\r\n", "B=2").text, "B=2\r\n")
    assert.isTrue(namesVariable("A=1\nexport B=2\n", "B"))
    assert.isTrue(namesVariable("B = 2\n", "B"))
    assert.isFalse(namesVariable("AB=1\n", "B"))
  })

  it("is ignored by git if the last pattern that matches .env says so", () => {
    assert.isFalse(ignoresEnv("dist"))
    assert.isTrue(ignoresEnv("/.env\n"))
    assert.isTrue(ignoresEnv(".env*\n"))
    assert.isFalse(ignoresEnv(".env\n!.env\n"))
  })

  it("takes its name from the text before the value", () => {
    assert.strictEqual(variableName('const paymentsToken = "'), "PAYMENTS_TOKEN")
    assert.strictEqual(variableName("  db.password: '"), "PASSWORD")
    assert.strictEqual(variableName("AWS_SECRET_ACCESS_KEY="), "AWS_SECRET_ACCESS_KEY")
    assert.strictEqual(variableName("https://user:"), "USER")
    assert.strictEqual(variableName("???"), "SECRET")
  })
})

describe("a reference to it", () => {
  const file = (languageId: string, name = "shop") => ({ uri: `file:///orchard/${name}`, languageId })

  it("is known for languages that can read the environment, and for no other format", () => {
    assert.strictEqual(referenceTo("A", file("typescript"))?.text, "process.env.A")
    assert.strictEqual(referenceTo("A", file("python"))?.text, 'os.environ["A"]')
    assert.strictEqual(referenceTo("A", file("shellscript"))?.text, "${A}")
    for (const languageId of ["json", "jsonc", "yaml", "dotenv", "properties", "ini", "plaintext", "xml"]) {
      assert.isUndefined(referenceTo("A", file(languageId)), languageId)
    }
  })

  it("never gives a variable its own value", () => {
    for (const name of [".env", ".env.local", "staging.env", ".envrc"]) {
      assert.isUndefined(referenceTo("A", file("shellscript", name)), name)
    }
    assert.isTrue(setsVariable("export A='", "A", file("shellscript")))
    assert.isFalse(setsVariable("export SHOP_A=", "A", file("shellscript")))
    assert.isFalse(setsVariable("  - A=", "A", file("dockercompose")))
  })

  const within = (text: string, languageId: string) => {
    const span = new Lines(text).nearest("amber", { line: 0, character: 0 })
    const reference = referenceTo("A", file(languageId))
    const change = span === undefined || reference === undefined ? undefined : replacementIn(text, span, reference)
    if (change === undefined) return undefined
    const lines = new Lines(text)
    return text.slice(0, lines.offset(change.span.start)) + change.text + text.slice(lines.offset(change.span.end))
  }

  it("replaces the value with its quotes, and does nothing if the code would break", () => {
    assert.strictEqual(within('const a = "amber"', "typescript"), "const a = process.env.A")
    assert.isUndefined(within('url = "https://user:amber@host"', "python"))
    assert.isUndefined(within('{ "token": "amber" }', "json"))
  })

  it("is expanded by the shell, which expands nothing in single quotes", () => {
    assert.strictEqual(within("A=https://user:amber@host", "shellscript"), "A=https://user:${A}@host")
    assert.strictEqual(within("token='amber'", "shellscript"), 'token="${A}"')
    assert.strictEqual(within('token="amber"', "shellscript"), 'token="${A}"')
    assert.isUndefined(within("curl 'https://user:amber@host'", "shellscript"))
  })
})

import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

/** A synthetic random value. */
const drawn = "Vq7mXt92LkPw"

const found = (text: string, path: string) =>
  candidatesIn(text, { path }).map(({ location, value }) => `${location.line}:${Redacted.value(value)}`)

it("settings in a text of several lines are read as a file of settings", () => {
  for (const [path, text] of [
    ["a.py", `CONFIG = """\n[db]\npassword = ${drawn}\n"""\n`],
    ["a.py", `write(path, '''\n[db]\npassword = ${drawn}\n''')\n`],
    ["a.py", `config = r"""\ndb:\n  password: ${drawn}\n"""\n`],
    ["A.java", `var settings = """\n  # of the database\n  db.password=${drawn}\n  """;\n`],
    ["a.py", `write(\n  """\nPASSWORD=${drawn}\n"""\n)\n`],
    ["a.py", `config = """{\n  "user": "bob",\n  "password": "${drawn}"\n}"""\n`],
    ["a.py", `config = """<a>\n<user>bob</user>\n<password>${drawn}</password>\n</a>"""\n`],
    ["a.ts", `const env = \`\n# of the database\nDB_PASSWORD=${drawn}\n\`\n`]
  ] as const) {
    assert.deepStrictEqual(found(text, path), [`3:${drawn}`], text)
  }
})

it("documentation is none", () => {
  for (const text of [
    `def f():\n    """\n    password = ${drawn}\n    """\n`,
    `EXAMPLES = r'''\n- name: a\n  login_password: ${drawn}\n'''\n`,
    `text = """\nThe password is what you like.\nSo is password = ${drawn}.\n"""\n`
  ]) {
    assert.deepStrictEqual(found(text, "a.py"), [], text)
  }
})

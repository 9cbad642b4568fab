import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Nobody's. */
const typed = "Winter-Jam42"
const other = "Copper!Falcon71"

describe("users of a system and of a database", () => {
  const cases: ReadonlyArray<readonly [what: string, path: string, text: string, values: ReadonlyArray<string>]> = [
    ["a statement in double quotes", "a.sql", `GRANT ALL ON a.* TO 'me'@'%' IDENTIFIED BY "${typed}";`, [typed]],
    [
      "users of cloud-init",
      "a.yml",
      `chpasswd:\n  expire: false\n  list: |\n    root:${typed}\n    me:${other}\nhostname: h`,
      [typed, other]
    ],
    ["an entry of LDIF", "a.ldif", `userPassword:: ${Buffer.from(typed).toString("base64")}\nuid: me`, [typed]],
    ["a hash in an entry of LDIF", "a.ldif", `userPassword:: ${Buffer.from("{SSHA}" + typed).toString("base64")}`, []],
    ["users of cloud-init, as a list", "a.yml", `chpasswd:\n  list:\n    - me:${typed}`, [typed]],
    [
      "answers of an installer",
      "a.cfg",
      `d-i passwd/root-password password ${typed}\nd-i passwd/make-user boolean false`,
      [typed]
    ]
  ]
  for (const [what, path, text, expected] of cases) {
    it(what, () => assert.deepStrictEqual(values(text, path), expected))
  }
})

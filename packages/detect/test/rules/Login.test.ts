import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

const values = (text: string, path: string) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))

/** Synthetic passwords. */
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
      "a block that a server asks",
      "a.rb",
      `use Rack::Auth::Basic do |user, pass|\n  user == "me" && pass == "${typed}"\nend`,
      [typed]
    ],
    [
      "a block that compares in constant time",
      "a.rb",
      `authenticate_or_request_with_http_basic { |n, p| n == "me" && secure_compare(p, "${typed}") }`,
      [typed]
    ],
    ["a map of users", "a.tfvars", `users = { alice = "${typed}", bob = "${other}" }`, [typed, other]],
    ["a map of users in source", "a.py", `USERS = {"alice": "${typed}"}`, [typed]],
    ["a map of users to other things", "a.py", `users = {"alice": "admin", "bob": "7f3a9c05be61d24873f0ac5e"}`, []],
    [
      "a map of users to addresses",
      "a.py",
      `accounts = {"alice": "https://a1.example.net/x", "bob": "b2@acme.io"}`,
      []
    ],
    ["no hash in slapd.conf", "slapd.conf", `rootpw {SSHA}${"q7Zr2Vx9LtWk4Np8Yd3BHs6Jc1Mf0Gu5"}`, []],
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

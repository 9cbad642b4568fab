import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

/** A synthetic random value. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"

const found = (text: string, path = "handover.md") =>
  candidatesIn(text, { path }).map(({ location, value }) => `${location.line}:${Redacted.value(value)}`)

it("the column of passwords is read, and no other", () => {
  const table = `| host | user | password |\n| --- | --- | :-: |\n| db1 | me | ${drawn}1 |\n| db2 | \`me\` | \`${drawn}2\` |\n\ntext\n`
  assert.deepStrictEqual(found(table), [`3:${drawn}1`, `4:${drawn}2`])
  assert.deepStrictEqual(found(table.replace("password", "commit")), [])
  assert.deepStrictEqual(found(`| password |\n| --- |\n| at least 12 characters |\n| \`required\` |\n`), [])
})

it("tables of Org, reStructuredText and AsciiDoc, and without bars around them, are read", () => {
  assert.deepStrictEqual(found(`host | password\n--- | ---\ndb1 | ${drawn}\n`), [`3:${drawn}`])
  assert.deepStrictEqual(found(`| host | password |\n|------+------|\n| db1 | ${drawn} |\n`, "a.org"), [`3:${drawn}`])
  assert.deepStrictEqual(
    found(
      `+---+------+\n| a | password |\n+===+======+\n| b | ${drawn}1 |\n+---+------+\n| c | ${drawn}2 |\n+---+------+\n`,
      "a.rst"
    ),
    [`4:${drawn}1`, `6:${drawn}2`]
  )
  assert.deepStrictEqual(found(`|===\n|Host |Password\n\n|db1 |${drawn}\n|===\n|x |${drawn}\n`, "a.adoc"), [
    `4:${drawn}`
  ])
})

it("simple tables of reStructuredText are read by the columns of their rulers", () => {
  const table = `==== ======  ========\nHost User    Password\n==== ======  ========\ndb1  me      ${drawn}1\ndb2  my self ${drawn}2\n==== ======  ========\ndb3  me      ${drawn}3\n`
  assert.deepStrictEqual(found(table, "a.rst"), [`4:${drawn}1`, `5:${drawn}2`])
  assert.deepStrictEqual(found(table.replace("Password", "Revision"), "a.rst"), [])
  assert.deepStrictEqual(
    found("======== =====\nPassword count\n======== =====\nrequired 1\n======== =====\n", "a.rst"),
    []
  )
})

it("tables of MediaWiki are read, whether a row is one line or several", () => {
  const head = `{| class="wikitable"\n|+ Servers\n`
  assert.deepStrictEqual(
    found(
      `${head}! Host !! Password\n|-\n| db1 || ${drawn}1\n|-\n| db2 || style="a" | ${drawn}2\n|}\n| x || ${drawn}\n`,
      "a.wiki"
    ),
    [`5:${drawn}1`, `7:${drawn}2`]
  )
  assert.deepStrictEqual(
    found(`${head}|-\n! scope="col" | Host\n! scope="col" | Password\n|-\n| db1\n| ${drawn}\n|}\n`, "a.mediawiki"),
    [`8:${drawn}`]
  )
  assert.deepStrictEqual(found(`${head}! Host !! Commit\n|-\n| db1 || ${drawn}\n|}\n`, "a.wiki"), [])
})

it("the first cell of a row names the value of the second", () => {
  assert.deepStrictEqual(
    found(
      `| setting | value |\n|---|---|\n| API token | \`${drawn}\` |\n| **Password** | Vq7mXt92LkPw |\n| Commit | ${drawn} |\n`
    ),
    [`3:${drawn}`, "4:Vq7mXt92LkPw"]
  )
  assert.deepStrictEqual(
    found(
      "| option | default |\n|---|---|\n| password | string |\n| apiKey | v1.2.0 |\n| Password policy | Strong2Policy9 |\n| max tokens | 4096 |\n"
    ),
    []
  )
})

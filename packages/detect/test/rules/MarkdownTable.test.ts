import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { candidatesIn } from "../../src/Text.ts"

/** A synthetic random value. */
const drawn = "q7Zr2Vx9LtWk4Np8Yd3B"

const found = (text: string) =>
  candidatesIn(text, { path: "handover.md" }).map(({ location, value }) => `${location.line}:${Redacted.value(value)}`)

it("the column of passwords is read, and no other", () => {
  const table = `| host | user | password |\n| --- | --- | :-: |\n| db1 | me | ${drawn}1 |\n| db2 | \`me\` | \`${drawn}2\` |\n\ntext\n`
  assert.deepStrictEqual(found(table), [`3:${drawn}1`, `4:${drawn}2`])
  assert.deepStrictEqual(found(table.replace("password", "commit")), [])
  assert.deepStrictEqual(found(`| password |\n| --- |\n| at least 12 characters |\n| \`required\` |\n`), [])
})

import { assert, it } from "@effect/vitest"
import { addedIn } from "../../src/git/AddedLines.ts"
import type { Piece } from "../../src/git/Patch.ts"
import { makeScanCounter } from "../../src/skip/ScanCounter.ts"

const body = Array.from({ length: 6 }, (_, line) => `MIIEpAIBAAKCAQEA7Zr2Vx9LtWk4Np8Yd3B${line}q7Zr2Vx9LtWk4Np8Yd3Bx`)
const marks = (word: string) => ["-----", word, " RSA PRIVATE", " KEY-----"].join("")
const key = [marks("BEGIN"), ...body, marks("END")]

/** A piece with the lines of a commit, of which the given ones are added. */
const pieceOf = (lines: ReadonlyArray<string>, added: ReadonlyArray<number>): Piece => ({
  path: "config.env",
  commit: "c0ffee",
  text: lines.join("\n"),
  lines: lines.map((_, index) => index + 101),
  added: lines.map((_, index) => added.includes(index)),
  content: new TextEncoder().encode(lines.join("\n"))
})

const found = (piece: Piece) =>
  addedIn(piece, { heedsAddedComments: true }, makeScanCounter(), new Map())
    .filter(({ candidate }) => candidate.kind === "private-key")
    .map(({ candidate: { location } }) => [location.line, location.endLine])

it("a key in one line, with escaped line feeds, belongs to that line only", () => {
  const lines = ["# old", `KEY="${key.join("\\n")}"`, "# new"]
  assert.deepStrictEqual(found(pieceOf(lines, [2])), [])
  assert.deepStrictEqual(found(pieceOf(lines, [1])), [[102, 102]])
})

it("a key of several lines is added with any of them", () => {
  const lines = ["# old", ...key, "# new"]
  assert.deepStrictEqual(found(pieceOf(lines, [3])), [[102, 109]])
  assert.deepStrictEqual(found(pieceOf(lines, [9])), [])
})

/**
 * Counts which character follows which in source code, and writes the table that randomness is judged by.
 *
 * `node bench/DetectBigrams.ts FOLDER…` reads every source file below the folders and writes
 * packages/detect/src/scoring/CodeBigrams.ts. Long runs that no person typed (hashes, data in base64) are not counted.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { classOf, classes } from "@threat-exposure/detect/scoring/CharacterClass"

const extensions = new Set(
  ".c .cc .cpp .cs .css .go .h .html .java .js .json .jsx .kt .md .mjs .php .pl .properties .py .rb .rs .scala .sh .sql .swift .tf .toml .ts .tsx .xml .yaml .yml".split(
    " "
  )
)
const maxFileSize = 300_000
const longestRun = 40

const counts = new Float64Array(classes * classes)
let bytes = 0

const count = (text: string) => {
  for (const [run] of text.matchAll(/[A-Za-z0-9_\-./+=]{3,}/g)) {
    if (run.length > longestRun) continue
    for (let i = 1; i < run.length; i++) {
      const cell = classOf(run.charCodeAt(i - 1)) * classes + classOf(run.charCodeAt(i))
      counts[cell] = (counts[cell] ?? 0) + 1
    }
  }
}

const walk = (folder: string) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) walk(path)
    else if (
      entry.isFile() &&
      extensions.has(extname(entry.name)) &&
      !/\.min\.|testdata|lock/.test(path) &&
      statSync(path).size < maxFileSize
    ) {
      const text = readFileSync(path, "utf8")
      bytes += text.length
      count(text)
    }
  }
}

const folders = process.argv.slice(2)
if (folders.length === 0)
  throw new Error("Give at least one folder of source code: node bench/DetectBigrams.ts FOLDER…")
for (const folder of folders) walk(folder)

const cells: Array<string> = []
for (let before = 0; before < classes; before++) {
  const row = counts.subarray(before * classes, (before + 1) * classes)
  const total = row.reduce((sum, n) => sum + n, 0) + classes
  for (const n of row) {
    const bits = -Math.log2((n + 1) / total)
    cells.push(String.fromCharCode(0x30 + Math.min(75, Math.round(bits * 5))))
  }
}
const table = cells.join("")
const lines = Array.from({ length: Math.ceil(table.length / 100) }, (_, i) => table.slice(i * 100, i * 100 + 100))

writeFileSync(
  new URL("../packages/detect/src/scoring/CodeBigrams.ts", import.meta.url),
  `/**
 * How surprising each character is after the one before it, in source code: written by bench/DetectBigrams.ts from
 * ${Math.round(bytes / 1e6)} MB of public code (the Go standard library and npm packages), never by hand. Row after row of
 * CharacterClass.ts, one character a cell: its code less 48, in fifths of a bit.
 */
export const codeBigrams =
  ${lines.map((line) => JSON.stringify(line)).join(" +\n  ")}
`
)
process.stdout.write(`${Math.round(bytes / 1e6)} MB counted\n`)

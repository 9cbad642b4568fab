/** The statements of docs/cli.md about reading an export, with the programs that it names. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { csvCell } from "@threat-exposure/leak-check/report/Escape"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { installPython } from "./PythonPackages.ts"

const document = readFileSync(resolve(import.meta.dirname, "../../docs/cli.md"), "utf8")

/** Values that a program changes where it guesses the types of columns. Each column has one kind of them. */
const columns = {
  numbers: ["0012", "0x10", "1e5"],
  infinities: ["inf", "nan", "NULL"],
  dates: ["2024-02-30", "1999-12-01", "2001-01-01"],
  names: ["april", "june", "may"],
  durations: ["5m", "2h", "12:30"],
  texts: ["a;b", 'say "x", then y', ""]
}
const rows = [0, 1, 2].map((row) => Object.values(columns).map((values) => values[row] ?? ""))

/**
 * By the name in the table: an expression in Python that gives the rows that the command reads. ClickHouse is too large to be
 * installed here, and Miller comes from no registry of packages.
 */
const around: Readonly<Record<string, (command: string) => string>> = {
  DuckDB: (command) => `__import__("duckdb").sql(${JSON.stringify(command)}).fetchall()`,
  Polars: (command) => `(${command}).rows()`,
  pandas: (command) => `(${command}).values.tolist()`,
  csvkit: (command) =>
    `[list(row.values()) for row in json.loads(subprocess.check_output(${JSON.stringify(command)}, shell=True))]`
}

/** Prints the rows as JSON. Whether an empty cell is an empty text or none is up to the program. */
const programAround = (expression: string): string => `
import json, subprocess, importlib
polars, pandas = map(importlib.import_module, ("polars", "pandas"))
print(json.dumps([["" if cell is None else cell for cell in row] for row in ${expression}]))`

describe("an export, read as docs/cli.md says", () => {
  let folder: string
  let bin: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "threat-exposure-readers-"))
    const quoted = (text: string) => (/[",]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
    const lines = [Object.keys(columns), ...rows].map((row) => row.map((cell) => quoted(csvCell(cell))).join(","))
    writeFileSync(join(folder, "c.csv"), `${lines.join("\n")}\n`)
    bin = await installPython(folder, "duckdb==2.0.1", "polars==2.1.0", "pandas==3.1.1", "csvkit==2.2.0")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(Object.keys(around))("%s changes no value", (name) => {
    const command = new RegExp(`^\\| ${name} +\\| \`(.+)\` +\\|$`, "mu").exec(document)?.[1]
    assert.isDefined(command)
    const printed = execFileSync(join(bin, "python"), ["-c", programAround(around[name]?.(command) ?? "")], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` }
    })
    assert.deepStrictEqual(JSON.parse(printed), rows)
  })
})

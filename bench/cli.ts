/**
 * The command line as an installed package starts it: its start over `node -e 0`, and what a pre-commit hook runs,
 * `check --staged --offline`, in a repository of 5,000 files of which ten are staged.
 */
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { TestRepository } from "@threat-exposure/leak-check/testing/TestRepository"
import { setup } from "@threat-exposure/tests/build"
import { median, printTable, quantile } from "./Table.ts"

const program = fileURLToPath(new URL("../apps/cli/bin/threat-exposure.mjs", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "bench-cli-"))
const caches = mkdtempSync(join(tmpdir(), "bench-cli-caches-"))

const milliseconds = (...args: ReadonlyArray<string>) => {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, XDG_CACHE_HOME: caches }
  })
  if (status !== 0) throw new Error(stderr)
  return performance.now() - start
}

setup()
try {
  const repository = new TestRepository(folder)
  repository.git("init", "--quiet", "--initial-branch=main")
  const fileOf = (n: number) => join(folder, `src/d${n % 50}/f${n}.ts`)
  for (let n = 0; n < 5000; n++) {
    mkdirSync(dirname(fileOf(n)), { recursive: true })
    writeFileSync(fileOf(n), `export const value${n} = ${n}\n// a line of words, as code has many\n`.repeat(20))
  }
  repository.commit({ "README.md": "# 5,000 files\n" })
  for (let n = 0; n < 10; n++) appendFileSync(fileOf(n), `export const changed = ${n}\n`)
  appendFileSync(join(folder, "prod.env"), "DB_PASSWORD=kR7vQ2pLx9wZz4abc\n")
  repository.git("add", "--all")

  const starts: Array<number> = []
  const bare: Array<number> = []
  const checks: Array<number> = []
  for (let n = 0; n < 42; n++) {
    bare.push(milliseconds("-e", "0"))
    starts.push(milliseconds(program, "--version"))
    checks.push(milliseconds(program, "check", "--staged", "--offline"))
  }
  // The first of each fills the caches of the machine.
  const [empty, start] = [median(bare.slice(2)), median(starts.slice(2))]
  const slowest = quantile(checks.slice(2), 0.95)
  printTable("Command line", [
    {
      what: "start, `--version`",
      ours: `${start.toFixed(0)} ms`,
      peer: `node -e 0: ${empty.toFixed(0)} ms`,
      ratio: `${(start - empty).toFixed(0)} ms over it`,
      target: "120 ms over it",
      reached: start - empty <= 120
    },
    {
      what: "`check --staged --offline`, 5,000 files, 40 runs, p95",
      ours: `${slowest.toFixed(0)} ms`,
      peer: `median ${median(checks.slice(2)).toFixed(0)} ms`,
      ratio: "",
      target: "300 ms",
      reached: slowest <= 300
    }
  ])
} finally {
  for (const made of [folder, caches]) rmSync(made, { recursive: true, force: true })
}

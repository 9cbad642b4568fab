/** `npm run bench`: every measurement in a process of its own, one after the other; names after `--` choose some. */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { refuse } from "@threat-exposure/tools/Arguments"

const notMeasurements = new Set(["main.ts", "Table.ts"])
const all = readdirSync(import.meta.dirname)
  .filter((file) => /^[a-z][\w-]*\.ts$/u.test(file) && !notMeasurements.has(file))
  .map((file) => file.slice(0, -3))
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  refuse(
    `No measurement is called ${unknown.join(", ")}. There are: ${all.join(", ")}`,
    "Usage: npm run bench -- [MEASUREMENT…]"
  )
}

console.log(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
)
const failed = (chosen.length > 0 ? chosen : all).filter(
  (name) => spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: "inherit" }).status !== 0
)
if (failed.length > 0) {
  console.error(`These measurements could not be made: ${failed.join(", ")}`)
  process.exitCode = 1
}

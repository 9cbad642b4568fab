/**
 * Checks types and builds declarations, like `tsc -b`, with the TypeScript that has Effect's diagnostics in it: one pass
 * over each program gives both. Arguments name projects; without any, the whole repository is checked.
 */
import { spawnSync } from "node:child_process"

/** Undefined where it has no build for this system. */
const compilerWithDiagnostics = (): string | undefined => {
  const { status, stdout } = spawnSync("effect-tsgo", ["get-exe-path"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

const compiler = compilerWithDiagnostics()
if (compiler === undefined)
  console.error("Effect's diagnostics are left out: there is no build of them for this system")
// More checkers repeat most of what the first does. The garbage collector takes a quarter of the CPU time, unless it may
// wait for more memory.
const { error, status } = spawnSync(compiler ?? "tsc", ["-b", "--checkers", "1", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { GOGC: "400", ...process.env }
})
if (error !== undefined) throw error
process.exitCode = status ?? 1

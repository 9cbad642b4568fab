/** Builds the command line once, before the first test file. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const setup = (): void => {
  const part = fileURLToPath(new URL("../../../apps/cli/", import.meta.url))
  execFileSync(`${part}node_modules/.bin/rolldown`, ["-c", "rolldown.config.ts"], { cwd: part, stdio: "pipe" })
}

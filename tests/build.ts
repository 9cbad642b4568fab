/**
 * Builds what is published, before the first test file: no test writes to a `dist` that another one runs. `npm test` runs it
 * once before its two runs of vitest, which then find nothing to build.
 */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const published = ["core", "detect", "leak-check", "service", "cli"]

/** Starts the service as it is built, with less than half of the CPU time that its sources take. */
export const serviceFile = fileURLToPath(new URL("../apps/service/bin/threat-exposure-service.mjs", import.meta.url))

export const setup = (): void => {
  const filters = published.map((part) => `--filter=@threat-exposure/${part}`)
  execFileSync(`${root}node_modules/.bin/turbo`, ["run", "build", ...filters], { cwd: root, stdio: "pipe" })
}

if (import.meta.main) setup()

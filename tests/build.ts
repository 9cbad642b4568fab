/** Builds what is published, before the first test file: no test writes to a `dist` that another one runs. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const published = ["core", "detect", "leak-check", "service", "cli"]

export const setup = (): void => {
  const filters = published.map((part) => `--filter=@threat-exposure/${part}`)
  execFileSync(`${root}node_modules/.bin/turbo`, ["run", "build", ...filters], { cwd: root, stdio: "pipe" })
}

// Runs a command with the repository's own Node and tools, after installing whatever is missing.
// This file alone runs on the machine's Node (20 or later) before anything is installed.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const [command, ...args] = process.argv.slice(2)
const stamp = join(root, "node_modules", ".installed")
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const wanted = createHash("sha256")
  .update(readFileSync(join(root, "pnpm-lock.yaml")))
  .update(readFileSync(join(root, "pnpm-workspace.yaml")))
  .digest("hex")

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) install()

const env = {
  // Compiled sources are kept, so that the second run of anything starts sooner.
  NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "node"),
  ...process.env,
  PATH: join(root, "node_modules", ".bin") + delimiter + process.env.PATH
}
const child = spawn(command, args, {
  stdio: "inherit",
  // In `npm run X -- PATH`, the path is relative to the caller's working directory.
  env: { ...env, THREAT_EXPOSURE_CALLED_FROM: process.env.INIT_CWD ?? process.cwd() },
  cwd: root,
  shell: process.platform === "win32"
})
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
stopWithNpm()
child.on("error", (error) => {
  console.error(`${command} could not be started: ${error.message}`)
  process.exitCode = 1
})
child.on("exit", (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 128 + (signal === "SIGINT" ? 2 : 15)
})

// npm sends a signal to the shell between it and this process, which ends without passing it on.
function stopWithNpm() {
  const shell = process.ppid
  if (process.env.npm_lifecycle_event === undefined) return
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    child.kill("SIGTERM")
  }, 200)
  watch.unref()
}

function install() {
  console.error(`Installing the dependencies with ${manifest.packageManager} (once; about a minute) …`)
  const { status } = spawnSync(
    "npx",
    ["--yes", manifest.packageManager, "install", "--frozen-lockfile", "--reporter=append-only"],
    // Standard output belongs to the command itself.
    { cwd: root, stdio: ["ignore", process.stderr, process.stderr], shell: process.platform === "win32" }
  )
  if (status !== 0) {
    console.error(
      "The dependencies could not be installed; what pnpm said is above. Fix that, then run the command again."
    )
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, wanted)
}

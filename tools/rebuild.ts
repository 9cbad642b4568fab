/**
 * Builds the files of a release again from a commit, as a second machine would: in a folder of its own, with another
 * locale and time zone. Compares them byte by byte with those of a release, or with a second build.
 *
 *     npm run rebuild -- [COMMIT] [--against SHA256SUMS]
 *
 * Exits with 1 where a file differs, is missing, or is not in the release.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { argumentsOf, refuse } from "./Arguments.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const {
  positionals: [name = "HEAD"],
  values: { against }
} = argumentsOf("npm run rebuild -- [COMMIT] [--against SHA256SUMS]", {
  most: 1,
  options: { against: { type: "string" } }
})
/** `npm run` changes to the root. */
const calledFrom = process.env["INIT_CWD"] ?? process.cwd()

const sumsFile = against === undefined ? undefined : resolve(calledFrom, against)
if (sumsFile !== undefined && !existsSync(sumsFile))
  refuse(`${sumsFile} does not exist: give the SHA256SUMS of a release`)

/** The commit that both builds use, even if another one is made meanwhile. */
const commit = (() => {
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim()
  } catch {
    return refuse(`${name} is no commit of this clone: fetch it first, as with \`git fetch --tags\``)
  }
})()

/** SHA-256 by file. */
type Sums = ReadonlyMap<string, string>

const sumsIn = (file: string): Sums =>
  new Map(
    Array.from(readFileSync(file, "utf8").matchAll(/^([0-9a-f]{64}) [ *](.+)$/gmu), ([, sum = "", name = ""]) => [
      name,
      sum
    ])
  )

const build = (name: string, env: Readonly<Record<string, string>>): Sums => {
  const folder = mkdtempSync(join(tmpdir(), name))
  const run = (step: string, command: string, ...args: ReadonlyArray<string>) => {
    console.error(`${folder}: ${step}`)
    try {
      execFileSync(command, args, { cwd: folder, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    } catch (error) {
      const { stderr, stdout } = Object(error)
      console.error(`error: ${step} of ${commit} failed in ${folder}:\n${String(stdout)}${String(stderr)}`)
      process.exit(1)
    }
  }
  run("clone", "git", "clone", "--quiet", root, ".")
  run(`check out ${commit}`, "git", "checkout", "--quiet", "--detach", commit)
  run("build", "npm", "run", "--silent", "build")
  run("package", "npm", "run", "--silent", "package")
  const files = ["apps/vscode/threat-exposure.vsix", "apps/cli/dist/threat-exposure.mjs"]
  run("collect", "npm", "run", "--silent", "release", "--", "release", ...files)
  const sums = sumsIn(join(folder, "release/SHA256SUMS"))
  rmSync(folder, { recursive: true })
  return sums
}

const expected = sumsFile === undefined ? build("a-first-", { TZ: "UTC", LC_ALL: "C" }) : sumsIn(sumsFile)
const rebuilt = build("a-second-build-elsewhere-", { TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8" })

let differing = 0
for (const file of [...new Set([...expected.keys(), ...rebuilt.keys()])].toSorted()) {
  const isSame = expected.get(file) === rebuilt.get(file)
  if (!isSame) differing++
  const state = isSame ? "same" : !rebuilt.has(file) ? "not rebuilt" : !expected.has(file) ? "not expected" : "differs"
  console.log(`${isSame ? "✓" : "✗"} ${state.padEnd(12)} ${file}`)
}
console.log(
  differing === 0 ? `${expected.size} files, the same bytes` : `${differing} of ${expected.size} files differ`
)
process.exitCode = differing === 0 && expected.size > 0 ? 0 : 1

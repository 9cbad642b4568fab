/** The linters of GitHub workflows, in pinned versions, installed below node_modules/.cache on first use. */
import { execFile } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { goEnv } from "@threat-exposure/programs/GoCompiler"
import { type SystemProgram, systemProgram } from "@threat-exposure/programs/SystemProgram"

const run = promisify(execFile)
const cache = fileURLToPath(new URL("../node_modules/.cache/workflow-linters/", import.meta.url))

/** https://docs.zizmor.sh, from PyPI. */
export const zizmor = (): Promise<SystemProgram> =>
  installLinter("zizmor", "1.32.0", ["python3"], ["python3", "python3-pip"], (python, version, folder) =>
    run(python, ["-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, `zizmor==${version}`])
  )

/** https://github.com/rhysd/actionlint, a Go module. */
export const actionlint = (): Promise<SystemProgram> =>
  installLinter("actionlint", "1.7.12", ["go"], ["golang-go"], (go, version, folder) =>
    run(go, ["install", `github.com/rhysd/actionlint/cmd/actionlint@v${version}`], {
      env: { ...goEnv, GOBIN: join(folder, "bin") }
    })
  )

const installLinter = async (
  name: string,
  version: string,
  programs: ReadonlyArray<string>,
  packages: ReadonlyArray<string>,
  install: (program: string, version: string, folder: string) => Promise<unknown>
): Promise<SystemProgram> => {
  const folder = join(cache, `${name}-${version}`)
  const path = join(folder, "bin", name)
  if (existsSync(path)) return { path }
  const program = await systemProgram(programs, packages)
  if ("missing" in program) return { missing: `${name} could not be installed: ${program.missing}` }
  try {
    await install(program.path, version, folder)
    return { path }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : ""
    return { missing: `${name} ${version} could not be installed: ${reason}` }
  }
}

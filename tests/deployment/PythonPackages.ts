/** Packages of Python that a test runs, in an environment of their own. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Installs them below a folder; gives the folder of their programs. */
export const installPython = async (folder: string, ...packages: ReadonlyArray<string>): Promise<string> => {
  // The pip of the system installs them: a pip of their own takes as long as they do.
  await run("python3", ["-m", "venv", "--without-pip", "venv"], { cwd: folder })
  const bin = join(folder, "venv/bin")
  const target = ["--python", join(bin, "python3"), "--disable-pip-version-check"]
  // Compiling all modules takes longer than the rest, and few are imported.
  await run("python3", ["-m", "pip", ...target, "install", "--quiet", "--no-compile", ...packages], { cwd: folder })
  return bin
}

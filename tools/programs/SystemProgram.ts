/** Programs that tests need from the machine: found on the PATH, or installed with apt where this runs as root. */
import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

export type SystemProgram = { readonly path: string } | { readonly missing: string }

/** `names` are tried in order; `packages` are Debian packages, the first of which contains the program. */
export const systemProgram = async (
  names: ReadonlyArray<string>,
  packages: ReadonlyArray<string>
): Promise<SystemProgram> => {
  const found = find(names)
  if (found !== undefined) return { path: found }
  const [name] = names
  if (process.getuid?.() !== 0) return { missing: `${name} was not found, and installing it needs root` }
  try {
    // The lists of packages may be missing or old.
    await install(packages).catch(async () => {
      await apt("update")
      await install(packages)
    })
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim().split("\n").at(-1) : cause
    return { missing: `${name} was not found, and apt could not install it: ${said}` }
  }
  const installed = find(names)
  return installed === undefined ? { missing: `apt installed no ${name}` } : { path: installed }
}

/** Installs packages without manual pages: rebuilding their index takes longer than most installations. */
const install = (packages: ReadonlyArray<string>) =>
  apt("install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--path-exclude=/usr/share/man/*", ...packages)

/** Test files run side by side, and apt fails at once while another apt runs: each waits for its turn. */
const apt = (...args: ReadonlyArray<string>) =>
  run(
    "flock",
    [join(tmpdir(), "threat-exposure-apt.lock"), "apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", ...args],
    {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      maxBuffer: 64 * 1024 * 1024
    }
  )

/** Services are installed where an ordinary user's PATH does not lead. */
const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]

const find = (names: ReadonlyArray<string>): string | undefined =>
  folders.flatMap((folder) => names.map((name) => join(folder, name))).find(executable)

const executable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

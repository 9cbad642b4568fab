/** A Chromium for the tests that need a browser: the machine's own, or one installed where that can be done. */
import { execFile } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type Browser as Chromium, chromium } from "playwright-core"

const run = promisify(execFile)

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]

const find = (): string | undefined => {
  const chosen = process.env["THREAT_EXPOSURE_BROWSER"]
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
  return [...(chosen === undefined ? [] : [chosen]), ...onPath].find(executable)
}

const executable = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type Browser = { readonly path: string } | { readonly missing: string }

/** The path of a browser, or why there is none. Installs one with apt where this runs as root. */
export const browser = async (): Promise<Browser> => {
  const found = find()
  if (found !== undefined) return { path: found }
  if (process.getuid?.() !== 0) return { missing: "no Chromium was found, and installing one needs root" }
  try {
    await run("apt-get", ["update", "-qq"])
    await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      maxBuffer: 64 * 1024 * 1024
    })
  } catch {
    return { missing: "no Chromium was found, and apt could not install one" }
  }
  const installed = find()
  return installed === undefined ? { missing: "apt installed no Chromium" } : { path: installed }
}

export const launch = (path: string): Promise<Chromium> => chromium.launch({ executablePath: path, args: flags })

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

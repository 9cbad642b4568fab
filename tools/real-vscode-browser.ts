/** A Chromium for the tests that need a browser: the machine's own, or one installed where that can be done. */
import { type Browser as Chromium, chromium } from "playwright-core"
import { type SystemProgram, systemProgram } from "@threat-exposure/programs/SystemProgram"

/** The headless shell draws no window, which halves the CPU time of the browser process and the GPU process. */
const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]

/** The path of a browser, or why there is none. */
export const browser = async (): Promise<SystemProgram> => {
  const chosen = process.env["THREAT_EXPOSURE_BROWSER"]
  return chosen === undefined
    ? systemProgram(names, ["chromium-headless-shell", "fonts-dejavu-core"])
    : { path: chosen }
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

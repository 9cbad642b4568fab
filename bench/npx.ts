/**
 * The time that a new user waits: `npx` from an empty folder, with an empty cache of npm, to the first answer of the service with
 * sample data. npm reads the package from a file here, as `pnpm pack` writes it; over a network, its size counts as well.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { setup } from "@threat-exposure/tests/build"
import { median, printTable } from "./Table.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "bench-npx-"))

/** The packages in the order in which they are built. */
const parts = ["packages/core", "packages/detect", "packages/leak-check", "apps/service", "apps/cli"]

/** Seconds to the first answer. */
const firstAnswer = async (tarball: string): Promise<number> => {
  const empty = mkdtempSync(join(folder, "empty-"))
  const cache = mkdtempSync(join(folder, "cache-"))
  const start = performance.now()
  const npx = spawn(
    "npx",
    ["--yes", "--package", tarball, "threat-exposure-service", "serve", "--sample", "--port=0"],
    {
      cwd: empty,
      // A process group of its own, because npx passes no signal on.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, THREAT_EXPOSURE_CALLED_FROM: empty, npm_config_cache: cache }
    }
  )
  let log = ""
  npx.stderr.on("data", (chunk) => (log += chunk))
  const ended = once(npx, "close")
  try {
    let url = ""
    for await (const line of createInterface(npx.stdout)) {
      url = /^listening on (.+)$/u.exec(line)?.[1] ?? url
      const token = /^token: (.+)$/u.exec(line)?.[1]
      if (token === undefined) continue
      const answer = await fetch(`${url}/svc/v4/credentials/global/_search`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ query: { type: "domain", fqdn: "example.com" } })
      })
      const { items } = JSON.parse(await answer.text())
      if (items.length === 0) throw new Error("the sample service found nothing")
      return (performance.now() - start) / 1000
    }
    throw new Error(`npx ended before the service printed its token:\n${log}`)
  } finally {
    process.kill(-(npx.pid ?? 0), "SIGTERM")
    await ended
  }
}

setup()
try {
  for (const part of parts) execFileSync("pnpm", ["--dir", join(root, part), "pack", "--pack-destination", folder])
  const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  const service = tarballs.find((name) => name.startsWith("threat-exposure-service-")) ?? ""
  const seconds: Array<number> = []
  for (let run = 0; run < 3; run++) seconds.push(await firstAnswer(join(folder, service)))
  const first = median(seconds)
  printTable("Packages", [
    {
      what: "`npx @threat-exposure/service serve --sample` from an empty folder to the first answer, median of 3",
      ours: `${first.toFixed(1)} s`,
      peer: "",
      ratio: "",
      target: "15 s",
      reached: first <= 15
    }
  ])
  for (const name of tarballs) console.log(`${name}: ${Math.round(statSync(join(folder, name)).size / 1000)} kB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The two servers that packages/core is measured over, each in a process of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { fileURLToPath } from "node:url"
import { credentialAt } from "./SyntheticCredentials.ts"

export interface Running {
  readonly baseUrl: string
  readonly token: string
  readonly stop: () => void
}

const main = fileURLToPath(new URL("../apps/service/src/main.ts", import.meta.url))
const cache = fileURLToPath(new URL("../.cache/bench", import.meta.url))

/** apps/service over that many credentials, which it loads once and keeps for later runs. */
export const service = async (credentials: number): Promise<Running> => {
  const database = join(cache, `core-${credentials}.sqlite`)
  const loaded = `${database}.loaded`
  if (!existsSync(loaded) || readFileSync(loaded, "utf8") !== storedBy()) {
    console.error(`loading ${credentials.toLocaleString("en-GB")} credentials into the service …`)
    mkdirSync(cache, { recursive: true })
    for (const suffix of ["", "-wal", "-shm", ".key"]) rmSync(`${database}${suffix}`, { force: true })
    const child = spawn(process.execPath, [main, "load", "credentials", "-", "--database", database], {
      stdio: ["pipe", "ignore", "inherit"]
    })
    const [[code]] = await Promise.all([
      once(child, "exit"),
      pipeline(Readable.from(linesOf(credentials)), child.stdin)
    ])
    if (code !== 0) throw new Error("The credentials could not be loaded")
    writeFileSync(loaded, storedBy())
  }
  const keys = ["keys", "create", "--tenant", "1", "--permission", "read-tenant", "--database", database]
  const token =
    spawnSync(process.execPath, [main, ...keys], { encoding: "utf8" })
      .stdout.trim()
      .split("\n")
      .at(-1) ?? ""
  return run([main, "serve", "--port", "0", "--database", database, "--searches-a-month", "2000000000"], token)
}

/** A digest of the code that decides how credentials are stored: a database that other code stored is of no use. */
const storedBy = (): string => {
  const hash = createHash("sha256").update(readFileSync(new URL("SyntheticCredentials.ts", import.meta.url)))
  const source = fileURLToPath(new URL("../apps/service/src", import.meta.url))
  for (const file of globSync("{credentials,crypto,load,sqlite}/**/*.ts", { cwd: source }).toSorted()) {
    hash.update(readFileSync(join(source, file)))
  }
  return hash.digest("hex")
}

/** Pages made in memory; see `CorePageServer.ts`. */
export const standIn = (pages: number): Promise<Running> =>
  run([join(import.meta.dirname, "CorePageServer.ts"), String(pages)], "any")

const run = async (args: ReadonlyArray<string>, token: string): Promise<Running> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  running.add(child)
  let output = ""
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    output += text
    const baseUrl = /listening on (http:\S+)/u.exec(output)?.[1]
    if (baseUrl === undefined) continue
    child.stdout.resume()
    return { baseUrl, token, stop: () => void (running.delete(child) && child.kill()) }
  }
  throw new Error("The server did not start")
}

const running = new Set<ChildProcess>()
process.on("exit", () => running.forEach((child) => child.kill()))
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))

function* linesOf(credentials: number) {
  for (let from = 0; from < credentials; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, credentials - from) }, (_, at) => credentialAt(from + at))
    yield lines.map((credential) => `${JSON.stringify(credential)}\n`).join("")
  }
}

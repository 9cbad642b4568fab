/** The size of the bundle of a program that searches credentials, and how much later than an empty script it has begun. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { standIn } from "./CoreServers.ts"
import { median, printTable, type Row } from "./Table.ts"

const starts = Number(process.env["RUNS"] ?? 25)
const entry = join(import.meta.dirname, "bundled.ts")
const folder = mkdtempSync(join(tmpdir(), "threat-exposure-bench-"))

const request = `{ query: { type: "domain", fqdn: "example.com" } }`
const options = `{ baseUrl: process.argv[2] ?? "https://api.example.com", token: "a-token" }`

/** Each program builds a client, and searches only if it is given an address. */
const programs = {
  createClient: `
    import { createClient } from "@threat-exposure/core/promise"
    const { credentials } = createClient(${options})
    if (process.argv.length > 2) for await (const { id } of credentials.search(${request})) { console.log(id); break }`,
  "Credentials.search": `
    import * as Effect from "effect/Effect"
    import * as Layer from "effect/Layer"
    import * as Stream from "effect/Stream"
    import { ApiClient } from "@threat-exposure/core/client/ApiClient"
    import { Credentials } from "@threat-exposure/core/client/Credentials"
    const program = Effect.gen(function* () {
      const credentials = yield* Credentials
      const first = Stream.take(credentials.search(${request}), 1)
      if (process.argv.length > 2) yield* Stream.runForEach(first, ({ id }) => Effect.sync(() => console.log(id)))
    })
    Effect.runPromise(Effect.provide(program, Credentials.layer.pipe(Layer.provide(ApiClient.layer(${options})))))`,
  "fetch alone": `
    if (process.argv.length > 2) {
      const response = await fetch(process.argv[2] + "/svc/v4/credentials/global/_search", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(${request})
      })
      console.log((await response.json()).items[0].id)
    }`,
  "an empty script": ""
}
type Program = keyof typeof programs

const bundleProgram = async (program: Program, platform: "browser" | "node"): Promise<string> => {
  const bundle = await rolldown({
    input: "program",
    platform,
    logLevel: "silent",
    plugins: [
      {
        name: "program",
        resolveId: (id) => (id === "program" ? entry : null),
        load: (id) => (id === entry ? programs[program] : null)
      }
    ]
  })
  try {
    const { output } = await bundle.generate({ format: "esm", minify: true })
    return output.map((file) => (file.type === "chunk" ? file.code : "")).join("")
  } finally {
    await bundle.close()
  }
}

const weights = async (program: Program): Promise<ReadonlyArray<Row>> =>
  Promise.all(
    (["node", "browser"] as const).map(async (platform) => {
      const code = Buffer.from(await bundleProgram(program, platform))
      return {
        what: `${program}, minified for ${platform === "node" ? "Node" : "the browser"}`,
        ours: kilobytes(code.byteLength),
        peer: "",
        ratio: `${kilobytes(gzipSync(code, { level: 9 }).byteLength)} gzipped`,
        target: "250 kB",
        reached: code.byteLength <= 250_000
      }
    })
  )

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`

const milliseconds = (args: ReadonlyArray<string>): number => {
  const startedAt = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`The bundle did not run: ${stderr}`)
  return performance.now() - startedAt
}

/** Runs the programs in turn, so that all run under the same load; the difference is taken within each round. */
const coldStarts = async (
  over: string,
  baseline: Program,
  address: ReadonlyArray<string>
): Promise<ReadonlyArray<Row>> => {
  const ours = ["createClient", "Credentials.search"] as const
  const rounds: Array<Record<string, number>> = []
  for (let round = -2; round < starts; round += 1) {
    const taken: Record<string, number> = {}
    for (const program of [baseline, ...ours]) taken[program] = milliseconds([fileOf(program), ...address])
    if (round >= 0) rounds.push(taken)
    // Let the server answer in between.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const spoken = (program: Program) => `${median(rounds.map((taken) => taken[program] ?? Number.NaN)).toFixed(0)} ms`
  return ours.map((program) => {
    const later = median(rounds.map((taken) => (taken[program] ?? Number.NaN) - (taken[baseline] ?? Number.NaN)))
    return {
      what: `${program}, ${over}`,
      ours: spoken(program),
      peer: `${baseline}: ${spoken(baseline)}`,
      ratio: `${later.toFixed(1)} ms later`,
      target: address.length === 0 ? "40 ms" : "",
      reached: address.length === 0 ? later <= 40 : "not measured"
    }
  })
}

const fileOf = (program: Program) => join(folder, `${program.replaceAll(/\W/gu, "-")}.mjs`)

try {
  const sizes = [...(await weights("createClient")), ...(await weights("Credentials.search"))]
  for (const program of ["createClient", "Credentials.search", "fetch alone", "an empty script"] as const) {
    writeFileSync(fileOf(program), await bundleProgram(program, "node"))
  }
  const server = await standIn(1)
  printTable(`The bundle of a program that searches credentials (load average ${loadavg()[0]?.toFixed(1)})`, [
    ...sizes,
    ...(await coldStarts("cold start until it is ready to search", "an empty script", [])),
    ...(await coldStarts("cold start with a first page of 10,000 read", "fetch alone", [server.baseUrl]))
  ])
  server.stop()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

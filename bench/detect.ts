/**
 * How fast detection is and how much memory it takes, with its peers beside it; detect-quality.ts measures what it finds.
 *
 * Inputs are folders outside the repository, named by the environment; a missing one is reported as not measured:
 *
 * - `DETECT_TREE`: a folder of about 80 MB, for throughput
 * - `DETECT_HISTORY`: `1` for a made-up history of 1 GB
 * - `KINGFISHER`, `RIPSECRETS`, `GITLEAKS`, `BETTERLEAKS`: the programs, when they are not on the PATH
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { rolldown } from "rolldown"
import { peerPrograms, secretlint, secretlintRun } from "./DetectPeers.ts"
import { median, printTable, type Row } from "./Table.ts"

const rows: Array<Row> = []
const notMeasured = (what: string, why: string, target: string) =>
  rows.push({ what, ours: "", peer: why, ratio: "", target, reached: "not measured" })

interface Seconds {
  readonly wall: number
  /** The CPU time of all threads of the processes that the work has run, user and system; other load of the machine changes it less. */
  readonly cpu: number
}

const secondsOf = (work: () => unknown): Seconds => {
  const start = performance.now()
  const before = cpuOfChildren()
  work()
  return { wall: (performance.now() - start) / 1000, cpu: cpuOfChildren() - before }
}

/** CPU seconds of child processes that have ended: `cutime` and `cstime` of proc_pid_stat(5), in ticks of 10 ms. */
const cpuOfChildren = (): number => {
  if (!existsSync("/proc/self/stat")) return Number.NaN
  const stat = readFileSync("/proc/self/stat", "utf8")
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

/** Bundles the program of one scan as the action and the extension are bundled. */
const bundleScan = async () => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const bundle = await rolldown({
    input: join(import.meta.dirname, "DetectScan.ts"),
    platform: "node",
    logLevel: "silent"
  })
  const file = join(folder, "detect.mjs")
  await bundle.write({ file, format: "esm", minify: true, codeSplitting: false })
  return {
    run: (...args: ReadonlyArray<string>) => execFileSync(process.execPath, [file, ...args], { encoding: "utf8" }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true })
  }
}

/** The median of three rounds, in each of which we and a peer take turns. */
const throughput = async (root: string) => {
  using scan = await bundleScan()
  // Read once before, so that the first program does not pay for the disk.
  scan.run("tree", root)
  const against = (name: string, least: number, peer: (() => unknown) | undefined) => {
    const what = `${basename(root)}: whole tree, against ${name}`
    if (peer === undefined) {
      notMeasured(what, "not installed", `${least} times as fast`)
      return
    }
    const rounds = Array.from({ length: 3 }, () => ({
      ours: secondsOf(() => scan.run("tree", root)),
      theirs: secondsOf(peer)
    }))
    const of = (measure: keyof Seconds) => {
      const ours = median(rounds.map((round) => round.ours[measure]))
      const theirs = median(rounds.map((round) => round.theirs[measure]))
      rows.push({
        what: `${what}, ${measure === "cpu" ? "CPU time" : "wall time"}`,
        ours: `${ours.toFixed(1)} s`,
        peer: `${theirs.toFixed(1)} s`,
        ratio: `${(theirs / ours).toFixed(1)} times as fast`,
        target: `${least} times as fast`,
        reached: theirs / ours >= least
      })
    }
    of("wall")
    of("cpu")
  }
  for (const { least, name, scan } of peerPrograms) {
    against(name, least, scan === undefined ? undefined : () => scan(root))
  }
  against("secretlint", 3, existsSync(secretlint) ? () => secretlintRun(root, "json") : undefined)
}

/** 25 commits of 40 MB each, given to git as a stream. */
const history = async () => {
  using scan = await bundleScan()
  const root = mkdtempSync(join(tmpdir(), "bench-history-"))
  execFileSync("git", ["init", "-q", "--bare", root])
  const line = "the quick brown fox jumps over the lazy dog and reads the settings of the server again\n"
  for (let i = 0; i < 25; i++) {
    const body = Buffer.from(`commit ${i}\n${line.repeat(Math.floor(40e6 / line.length))}`)
    const head = `commit refs/heads/main\ncommitter A <a@example.com> ${1_700_000_000 + i} +0000\ndata 1\nx\nM 644 inline f${i}.log\ndata ${body.length}\n`
    execFileSync("git", ["fast-import", "--quiet", "--force"], {
      cwd: root,
      input: Buffer.concat([
        Buffer.from(i === 0 ? head : head.replace("\nM 644", "\nfrom refs/heads/main^0\nM 644")),
        body,
        Buffer.from("\n")
      ]),
      maxBuffer: 1 << 30
    })
  }
  execFileSync("git", ["symbolic-ref", "HEAD", "refs/heads/main"], { cwd: root })
  const [peak = "", ...rest] = scan.run("history", root).trim().split(" ")
  rows.push({
    what: `history, ${rest.join(" ")}: peak memory`,
    ours: `${peak} MB`,
    peer: "",
    ratio: "",
    target: "400 MB",
    reached: Number(peak) < 400
  })
  rmSync(root, { recursive: true })
}

const treeRoot = process.env["DETECT_TREE"]
if (treeRoot === undefined) notMeasured("throughput", "DETECT_TREE is not set", "1.3 to 10 times as fast as a peer")
else await throughput(treeRoot)
if (process.env["DETECT_HISTORY"] === "1") await history()
else notMeasured("1 GB of history: peak memory", "DETECT_HISTORY is not 1", "400 MB")
printTable("Detection: speed and memory", rows)

/**
 * What detection finds, what it would send in vain, how fast it is and how much memory it takes, with its peers beside it.
 *
 * Inputs are folders outside the repository, named by the environment; what is missing is said to be not measured:
 *
 * - `LEAKY_REPO`: a checkout of the labelled set of that name
 * - `DETECT_CASES`: files of lines `{ "text", "path"?, "secretHere" }`, separated by `:`
 * - `DETECT_CLEAN`: folders of code without secrets, separated by `:`
 * - `DETECT_TREE`: a folder of about 40 MB, for throughput
 * - `DETECT_HISTORY`: `1` for a made-up history of 1 GB
 * - `GITLEAKS`: the program, when it is not on the PATH
 */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner, type Scan } from "@threat-exposure/detect/Scanner"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { Effect, Redacted, Stream } from "effect"
import { rolldown } from "rolldown"
import { median, printTable, type Row } from "./Table.ts"

const rows: Array<Row> = []
const notMeasured = (what: string, why: string, mustReach: string) =>
  rows.push({ what, ours: "", peer: why, ratio: "", mustReach, reached: "not measured" })
const percent = (share: number) => `${(share * 100).toFixed(1)} %`

/** Where a tool sees secrets: lines by file. */
type Lines = ReadonlyMap<string, ReadonlySet<number>>

const linesOf = (places: Iterable<readonly [path: string, line: number]>): Lines => {
  const lines = new Map<string, Set<number>>()
  for (const [path, line] of places) lines.set(path, (lines.get(path) ?? new Set()).add(line))
  return lines
}

const run = (scan: Effect.Effect<Scan, ScanError, Scanner>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { summary, candidates } = yield* scan
      const found = yield* Stream.runCollect(candidates)
      return { found, summary: yield* summary }
    }).pipe(Effect.provide(NodeScanner.layer))
  )

const ourTree = (root: string) => run(Effect.flatMap(Scanner, (scanner) => scanner.tree({ root })))

const gitleaks = [process.env["GITLEAKS"], "gitleaks"].find(
  (program) => program !== undefined && spawnSync(program, ["version"]).status === 0
)

const gitleaksLines = (root: string): Lines | undefined => {
  if (gitleaks === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), "bench-"))
  const report = join(folder, "report.json")
  spawnSync(gitleaks, ["dir", root, "--no-banner", "--exit-code", "0", "-f", "json", "-r", report])
  const found: ReadonlyArray<{ readonly File: string; readonly StartLine: number }> = JSON.parse(
    readFileSync(report, "utf8")
  )
  rmSync(folder, { recursive: true })
  return linesOf(found.map(({ File, StartLine }) => [File.slice(root.length + 1), StartLine]))
}

const secretlint = new URL("node_modules/secretlint/bin/secretlint.js", import.meta.url).pathname

const secretlintRun = (root: string, format: string) => {
  if (!existsSync(secretlint)) return undefined
  const folder = mkdtempSync(join(import.meta.dirname, "node_modules/.detect-"))
  const config = join(folder, ".secretlintrc.json")
  writeFileSync(config, JSON.stringify({ rules: [{ id: "@secretlint/secretlint-rule-preset-recommend" }] }))
  const ignore = join(folder, ".secretlintignore")
  writeFileSync(ignore, "**/.git/**\n")
  const { stdout } = spawnSync(
    process.execPath,
    [secretlint, "--secretlintrc", config, "--secretlintignore", ignore, "--format", format, "**/*"],
    { cwd: root, encoding: "utf8", maxBuffer: 1 << 30 }
  )
  rmSync(folder, { recursive: true })
  return stdout
}

const secretlintLines = (root: string): Lines | undefined => {
  const stdout = secretlintRun(root, "json")
  if (stdout === undefined) return undefined
  const files: ReadonlyArray<{
    readonly filePath: string
    readonly messages: ReadonlyArray<{ readonly loc: { readonly start: { readonly line: number } } }>
  }> = JSON.parse(stdout)
  return linesOf(
    files.flatMap(({ filePath, messages }) =>
      messages.map(({ loc }) => [filePath.slice(root.length + 1), loc.start.line] as const)
    )
  )
}

const leaky = async (root: string) => {
  const risk = new Map(
    readFileSync(join(root, ".leaky-meta/secrets.csv"), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => line.split(","))
      .map(([path = "", count]) => [path, Number(count)] as const)
  )
  const all = [...risk.values()].reduce((sum, count) => sum + count, 0)
  const score = (lines: Lines | undefined) => {
    if (lines === undefined) return undefined
    let found = 0
    let sent = 0
    for (const [path, at] of lines) {
      if (path.startsWith(".leaky-meta/") || path.startsWith(".git/")) continue
      sent += at.size
      found += Math.min(at.size, risk.get(path) ?? 0)
    }
    return { recall: found / all, precision: found / sent }
  }
  const { found } = await ourTree(root)
  const ours = score(linesOf(found.map(({ location }) => [location.path, location.line]))) ?? {
    recall: 0,
    precision: 0
  }
  const peers = [
    ["gitleaks", score(gitleaksLines(root))],
    ["secretlint", score(secretlintLines(root))]
  ] as const
  const beside = (of: "recall" | "precision") =>
    peers
      .map(([name, figures]) => `${name} ${figures === undefined ? "not installed" : percent(figures[of])}`)
      .join(", ")
  const scored = (what: string, of: "recall" | "precision", least: number) =>
    rows.push({
      what,
      ours: percent(ours[of]),
      peer: beside(of),
      ratio: "",
      mustReach: percent(least),
      reached: ours[of] >= least
    })
  scored("leaky-repo: risk entries found", "recall", 0.85)
  scored("leaky-repo: labelled, of what is sent", "precision", 0.9)
}

const cases = (file: string) => {
  let found = 0
  let missed = 0
  let wrong = 0
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (!line.startsWith("{")) continue
    const { path, secretHere, text }: { readonly text: string; readonly path?: string; readonly secretHere: boolean } =
      JSON.parse(line)
    const hit = candidatesIn(text, { path: path === undefined || path === "" ? "src/app.txt" : path }).length > 0
    if (secretHere && hit) found++
    else if (secretHere) missed++
    else if (hit) wrong++
  }
  const shown = (what: string, share: number, mustReach: string, reached: Row["reached"]) =>
    rows.push({ what: `${basename(file)}: ${what}`, ours: percent(share), peer: "", ratio: "", mustReach, reached })
  shown(`found, of ${found + missed}`, found / (found + missed), "", "not measured")
  shown("labelled, of what is sent", found / (found + wrong), percent(0.9), found / (found + wrong) >= 0.9)
}

const clean = async (root: string) => {
  const { summary, found } = await ourTree(root)
  const values = new Set(found.map(({ value }) => Redacted.value(value)))
  rows.push({
    what: `${basename(root)}: distinct values sent in vain`,
    ours: `${values.size} from ${Math.round(summary.bytes / 1e6)} MB`,
    peer: "",
    ratio: "",
    mustReach: "",
    reached: values.size < 20
  })
}

const secondsOf = (work: () => unknown): number => {
  const start = performance.now()
  work()
  return (performance.now() - start) / 1000
}

/** One scan in a process of its own, bundled as the action and the extension are. */
const bundled = async () => {
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
  using scan = await bundled()
  // Read once before, so that whoever comes first does not pay for the disk.
  scan.run("tree", root)
  const against = (name: string, least: number, peer: (() => unknown) | undefined) => {
    const what = `${basename(root)}: whole tree, against ${name}`
    if (peer === undefined) return notMeasured(what, "not installed", `${least} times as fast`)
    const rounds = Array.from({ length: 3 }, () => ({
      ours: secondsOf(() => scan.run("tree", root)),
      theirs: secondsOf(peer)
    }))
    const ours = median(rounds.map((round) => round.ours))
    const theirs = median(rounds.map((round) => round.theirs))
    return rows.push({
      what,
      ours: `${ours.toFixed(1)} s`,
      peer: `${theirs.toFixed(1)} s`,
      ratio: `${(theirs / ours).toFixed(1)} times as fast`,
      mustReach: `${least} times as fast`,
      reached: theirs / ours >= least
    })
  }
  const peer = gitleaks
  against(
    "gitleaks",
    0.3,
    peer === undefined ? undefined : () => spawnSync(peer, ["dir", root, "--no-banner", "--exit-code", "0"])
  )
  against("secretlint", 3, existsSync(secretlint) ? () => secretlintRun(root, "json") : undefined)
}

/** 25 commits of 40 MB each, given to git as a stream. */
const history = async () => {
  using scan = await bundled()
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
    mustReach: "400 MB",
    reached: Number(peak) < 400
  })
  rmSync(root, { recursive: true })
}

const listed = (name: string) => (process.env[name] ?? "").split(":").filter((path) => path !== "")
const leakyRepo = process.env["LEAKY_REPO"]
if (leakyRepo === undefined) notMeasured("leaky-repo", "LEAKY_REPO is not set", percent(0.85))
else await leaky(leakyRepo)
if (listed("DETECT_CASES").length === 0) notMeasured("labelled cases", "DETECT_CASES is not set", percent(0.9))
for (const file of listed("DETECT_CASES")) cases(file)
if (listed("DETECT_CLEAN").length === 0) notMeasured("clean code", "DETECT_CLEAN is not set", "")
for (const folder of listed("DETECT_CLEAN")) await clean(folder)
const treeRoot = process.env["DETECT_TREE"]
if (treeRoot === undefined)
  notMeasured("throughput", "DETECT_TREE is not set", "3 times as fast as secretlint, 0.3 as gitleaks")
else await throughput(treeRoot)
if (process.env["DETECT_HISTORY"] === "1") await history()
else notMeasured("1 GB of history: peak memory", "DETECT_HISTORY is not 1", "400 MB")
printTable("Detection", rows)

/**
 * The secrets that detection finds, the values that it would send in vain, and the same for its peers.
 *
 * The labelled corpus is generated from the templates of packages/detect/test/corpus. Half of them are held out: rules
 * and weights are made with the other half only. Further inputs are folders outside the repository, named by the
 * environment; a missing one is reported as not measured:
 *
 * - `LEAKY_REPO`: a checkout of the labelled set of that name
 * - `DETECT_CLEAN`: folders of code without secrets in use, separated by `:`
 * - `DETECT_CASES`: files of lines `{ "text", "path"?, "secretHere" }`, separated by `:`
 * - `GITLEAKS`: the program, when it is not on the PATH
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as NodeScanner from "@threat-exposure/detect/node/NodeScanner"
import { Scanner, type Scan } from "@threat-exposure/detect/Scanner"
import type { ScanError } from "@threat-exposure/detect/ScanError"
import { candidatesIn } from "@threat-exposure/detect/Text"
import { type CorpusFile, generateCorpus } from "@threat-exposure/detect/testing/Corpus"
import { type Find, measureLive, type Measurement, measureStrong } from "@threat-exposure/detect/testing/Measure"
import * as Plan from "@threat-exposure/leak-check/search/Plan"
import { defaults } from "@threat-exposure/leak-check/Settings"
import { DateTime, Effect, Redacted, Stream } from "effect"
import { gitleaksFindings, type PeerFinding, secretlintFindings } from "./DetectPeers.ts"
import { printTable, type Row } from "./Table.ts"

const rows: Array<Row> = []
const notMeasured = (what: string, why: string, target: string) =>
  rows.push({ what, ours: "", peer: why, ratio: "", target, reached: "not measured" })
const percent = (share: number) => `${(share * 100).toFixed(1)} %`

const corpus = () => {
  const templates = new URL("../packages/detect/test/corpus/", import.meta.url)
  const filesOf = (half: string) =>
    generateCorpus(readFileSync(new URL(`${half}.txt`, templates), "utf8"), { seed: 1, copies: 8 })
  const ours: Find = (text, path) => candidatesIn(text, { path }).map(({ value }) => Redacted.value(value))
  for (const half of ["held-out", "development"]) {
    const files = filesOf(half)
    const live = measureLive(files, ours)
    const strong = measureStrong(files, ours)
    const peers = half === "held-out" ? peersOn(files) : []
    const row = (what: string, share: number, target: number, of: (find: Find) => number) =>
      rows.push({
        what: `${half}, ${what}`,
        ours: percent(share),
        peer: peers
          .map(([name, find]) => `${name} ${find === undefined ? "not installed" : percent(of(find))}`)
          .join(", "),
        ratio: "",
        target: half === "held-out" ? percent(target) : "",
        reached: half === "held-out" ? share >= target : "not measured"
      })
    row("live: secrets among what is sent", live.precision, 0.85, (find) => measureLive(files, find).precision)
    row("live: found", live.recall, 0.65, (find) => measureLive(files, find).recall)
    row("strong, paths ignored: found", strong.recall, 0.65, (find) => measureStrong(files, find).recall)
    row(
      "strong, paths ignored: secrets among what is sent",
      strong.precision,
      0.85,
      (find) => measureStrong(files, find).precision
    )
    rows.push({
      what: `${half}, live: found by kind`,
      ours: kindsOf(live),
      peer: "",
      ratio: "",
      target: "",
      reached: "not measured"
    })
  }
}

const kindsOf = ({ kinds }: Measurement) =>
  [...kinds].map(([kind, { all, found }]) => `${kind} ${Math.round((found / all) * 100)}`).join(", ")

/** Each peer scans the files once. What it gives counts as the secret that is in it: peers report keys with their names, too. */
const peersOn = (files: ReadonlyArray<CorpusFile>): ReadonlyArray<readonly [name: string, find: Find | undefined]> => {
  const root = mkdtempSync(join(tmpdir(), "bench-"))
  files.forEach(({ path, text }, index) => {
    const file = join(root, String(index), path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  })
  const findOf = (findings: ReadonlyArray<PeerFinding> | undefined): Find | undefined => {
    if (findings === undefined) return undefined
    const byText = new Map<string, Array<string>>()
    for (const { path, value } of findings) {
      const file = files[Number.parseInt(path, 10)]
      if (file === undefined) continue
      const known = file.labels.find((label) => value.includes(label.value) && label.kind !== "look-alike")?.value
      byText.set(file.text, [...(byText.get(file.text) ?? []), known ?? value])
    }
    return (text) => byText.get(text) ?? []
  }
  const peers = [
    ["gitleaks", findOf(gitleaksFindings(root))],
    ["secretlint", findOf(secretlintFindings(root))]
  ] as const
  rmSync(root, { recursive: true })
  return peers
}

/** The lines in which a tool found secrets, by file. */
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

const linesOfPeer = (findings: ReadonlyArray<PeerFinding> | undefined): Lines | undefined =>
  findings === undefined ? undefined : linesOf(findings.map(({ line, path }) => [path, line]))

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
    ["gitleaks", score(linesOfPeer(gitleaksFindings(root)))],
    ["secretlint", score(linesOfPeer(secretlintFindings(root)))]
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
      target: percent(least),
      reached: ours[of] >= least
    })
  scored("leaky-repo: risk entries found", "recall", 0.87)
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
  const shown = (what: string, share: number, target: string, reached: Row["reached"]) =>
    rows.push({ what: `${basename(file)}: ${what}`, ours: percent(share), peer: "", ratio: "", target, reached })
  shown(`found, of ${found + missed}`, found / (found + missed), "", "not measured")
  shown("labelled, of what is sent", found / (found + wrong), percent(0.9), found / (found + wrong) >= 0.9)
}

/**
 * The values that a check of all trees together would search for, as its plan has them: each once, and no expired token.
 * What has a form of its own, such as a private key of a test, is counted apart.
 */
const clean = async (roots: ReadonlyArray<string>) => {
  const target = 5
  const trees = await Promise.all(roots.map(ourTree))
  const plan = await Effect.runPromise(
    Effect.flatMap(DateTime.now, (now) =>
      Plan.make({
        repository: "clean",
        settings: { ...defaults(now), maxSearches: Number.POSITIVE_INFINITY },
        candidates: trees.flatMap(({ found }) => found)
      })
    )
  )
  const sent = plan.searches.flatMap(({ of, target }) =>
    of === "credentials" && target._tag === "Value" ? [target] : []
  )
  const marked = sent.filter(({ kind }) => kind === "private-key" || kind === "provider-token" || kind === "jwt")
  const bytes = trees.reduce((sum, { summary }) => sum + summary.bytes, 0)
  const share = (count: number) => (count / bytes) * 1e8
  rows.push({
    what: `${roots.map((root) => basename(root)).join(", ")}: distinct values sent per 100 MB`,
    ours: `${share(sent.length).toFixed(1)} (${sent.length} from ${Math.round(bytes / 1e6)} MB), without keys and tokens told by their form ${share(sent.length - marked.length).toFixed(1)}`,
    peer: "",
    ratio: "",
    target: String(target),
    reached: share(sent.length) <= target
  })
}

const listed = (name: string) => (process.env[name] ?? "").split(":").filter((path) => path !== "")
corpus()
const leakyRepo = process.env["LEAKY_REPO"]
if (leakyRepo === undefined) notMeasured("leaky-repo", "LEAKY_REPO is not set", percent(0.87))
else await leaky(leakyRepo)
if (listed("DETECT_CASES").length === 0) notMeasured("labelled cases", "DETECT_CASES is not set", percent(0.9))
for (const file of listed("DETECT_CASES")) cases(file)
if (listed("DETECT_CLEAN").length === 0) notMeasured("clean code", "DETECT_CLEAN is not set", "5")
else await clean(listed("DETECT_CLEAN"))
printTable("Detection: what is found", rows)

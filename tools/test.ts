/**
 * `npm test` runs the checks and tests that need one machine and one node of OpenSearch; `npm run test:all` runs the others
 * too. `test:all` does not repeat what `npm test` has passed on the same files. `npm run test:long` runs what takes minutes.
 * The last line counts what was run.
 *
 * Words after `--` go to vitest and leave the static checks out: `npm test -- --project core`.
 */
import { spawn } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { setPriority } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { readPassedTests, rememberPassedTests, treeDigest } from "./PassedTests.ts"
import { readReport, type TestFile } from "./VitestReport.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const inCI = process.env["CI"] === "true"

interface Tally {
  readonly passed: number
  readonly skipped: number
  /** A line each. */
  readonly failures: ReadonlyArray<string>
}

type Check = readonly [name: string, command: string, ...args: ReadonlyArray<string>]

const types: Check = ["types and Effect diagnostics", "node", "tools/checkTypes.ts"]

/** The tests run what the last one builds. */
const checksBeforeTests: ReadonlyArray<Check> = [
  ["lint", "oxlint", "--quiet"],
  ["format", "oxfmt", "--check"],
  ["boundaries", "turbo", "boundaries"],
  ["unused code", "knip", "--no-progress"],
  ["build", "node", "tests/build.ts"]
]

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The nice value of the process: a higher one leaves the processor to others. */
  readonly priority?: number
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  output: "inherit" | "collect",
  { env = {}, priority = 0 }: RunOptions = {}
) =>
  new Promise<{ readonly code: number; readonly printed: string }>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", output === "inherit" ? "inherit" : "pipe", output === "inherit" ? "inherit" : "pipe"],
      env: {
        ...process.env,
        TURBO_TELEMETRY_DISABLED: "1",
        DO_NOT_TRACK: "1",
        // The tests start hundreds of processes of the same programs.
        NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "compiled"),
        ...env
      }
    })
    if (child.pid !== undefined && priority !== 0) setPriority(child.pid, priority)
    let printed = ""
    child.stdout?.on("data", (chunk) => (printed += chunk))
    child.stderr?.on("data", (chunk) => (printed += chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: code ?? 1, printed }))
  })

const runCheck = async ([name, command, ...args]: Check): Promise<Tally> => {
  const start = performance.now()
  const { code, printed } = await run(command, args, "collect")
  if (code !== 0) console.log(printed)
  console.log(`${code === 0 ? "✓" : "✗"} ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  return code === 0 ? { passed: 1, skipped: 0, failures: [] } : { passed: 0, skipped: 0, failures: [name] }
}

/** The tests of a file that failed; the file itself, where it could not be loaded or a hook failed. */
const failuresOf = ({ assertionResults, message, name, status }: TestFile): ReadonlyArray<string> => {
  const file = relative(root, name)
  const line = (words: ReadonlyArray<string>, reason = "") =>
    [file, ...words].join(" > ") + (reason === "" ? "" : `: ${reason.split("\n")[0]}`)
  const failed = assertionResults.filter((test) => test.status === "failed")
  if (status === "failed" && failed.length === 0) return [line([], message || "a hook failed")]
  return failed.map(({ ancestorTitles, failureMessages, title }) =>
    line([...ancestorTitles, title], failureMessages[0])
  )
}

/** The results of a run, or undefined if there are none. */
const runVitest = async (
  args: ReadonlyArray<string>,
  name: string,
  output: "inherit" | "collect",
  options?: RunOptions
): Promise<{ readonly code: number; readonly files: ReadonlyArray<TestFile> } | undefined> => {
  const folder = join(root, "node_modules", ".cache", "test")
  const reportFile = join(folder, `${name}.json`)
  mkdirSync(folder, { recursive: true })
  rmSync(reportFile, { force: true })
  const { code, printed } = await run(
    "vitest",
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`, ...args],
    output,
    options
  )
  if (printed !== "") console.log(printed)
  const files = readReport(reportFile)
  return files && { code, files }
}

interface TestOptions extends RunOptions {
  /** Repeats a file as a whole, and once: a test may continue where the one before it ended. */
  readonly repeatsFailedFiles?: boolean
}

const runTests = async (
  args: ReadonlyArray<string>,
  name: string,
  output: "inherit" | "collect",
  { repeatsFailedFiles = false, ...options }: TestOptions = {}
): Promise<Tally> => {
  const first = await runVitest(args, name, output, options)
  const failed = repeatsFailedFiles ? (first?.files ?? []).filter(({ status }) => status === "failed") : []
  for (const failure of failed.flatMap(failuresOf)) console.log(`repeated: ${failure}`)
  const names = failed.map((file) => file.name)
  const last = names.length === 0 ? first : await runVitest([...args, ...names], name, output, options)
  if (first === undefined || last === undefined)
    return { passed: 0, skipped: 0, failures: ["vitest ended before any test"] }
  const ofLast = new Set(last.files.map((file) => file.name))
  const files = [...first.files.filter((file) => !ofLast.has(file.name)), ...last.files]
  const failures = files.flatMap(failuresOf)
  const results = files.flatMap(({ assertionResults }) => assertionResults)
  const passed = results.filter(({ status }) => status === "passed").length
  // Tests that are skipped because the machine lacks something are in a group that is named after the reason.
  const skipped = results.filter(({ status }) => status === "skipped" || status === "pending")
  const todo = results.filter(({ status }) => status === "todo").length
  const namesTests = args.some((word) => word === "-t" || word.startsWith("--testNamePattern"))
  if (failures.length === 0 && passed === 0 && (namesTests || skipped.length === 0)) {
    failures.push(`no test matches ${args.join(" ")}`)
  }
  if (last.code !== 0 && failures.length === 0) failures.push("vitest failed, with an error that belongs to no test")
  if (!namesTests) {
    for (const group of new Set(skipped.map(({ ancestorTitles }) => ancestorTitles.join(" > ")))) {
      console.log(`skipped: ${group}`)
    }
  }
  return { passed, skipped: skipped.length + todo, failures }
}

/** The projects that need three nodes of OpenSearch, other runtimes or npm. */
const projectsBesideEditor = ["cluster", "deployment", "documents"]

const sum = (tallies: ReadonlyArray<Tally>): Tally => ({
  passed: tallies.reduce((sum, tally) => sum + tally.passed, 0),
  skipped: tallies.reduce((sum, tally) => sum + tally.skipped, 0),
  failures: tallies.flatMap((tally) => tally.failures)
})

const projects = (names: ReadonlyArray<string>) => names.map((name) => `--project=${name}`)

const passedFile = join(root, "node_modules", ".cache", "test", "passed.json")

const isPassed = ({ failures, skipped }: Pick<Tally, "failures" | "skipped">) =>
  failures.length === 0 && !(inCI && skipped > 0)

/** Runs the checks and tests of `npm test`. The types take as long as all other checks, on one processor. */
const runFirstTests = async (): Promise<Tally> => {
  const tree = treeDigest(root)
  rmSync(passedFile, { force: true })
  const besideTests = runCheck(types)
  const tallies: Array<Tally> = []
  for (const check of checksBeforeTests) tallies.push(await runCheck(check))
  tallies.push(await runTests(projects(["parts"]), "first", "inherit", { env: { PARTS_IN_ONE: "true" } }))
  const tally = sum([...tallies, await besideTests])
  // Files that are edited meanwhile may have been tested in either state.
  if (isPassed(tally) && treeDigest(root) === tree) rememberPassedTests(passedFile, tree, tally)
  return tally
}

/**
 * The editor takes longest and seldom uses a whole processor, so the others run at a lower priority. Its output is
 * collected, so that the two do not mix. A browser on a busy machine can drop a click: a real fault fails twice.
 */
const runOtherTests = async (): Promise<Tally> => {
  const editor = runTests(projects(["editor"]), "editor", "collect", { repeatsFailedFiles: inCI })
  const others = runTests(projects(projectsBesideEditor), "others", "inherit", { priority: 10 })
  return sum([await others, await editor])
}

/** Kills of commands on a cluster, and tests of random input with many times their runs. */
const runLongTests = () => runTests(projects(["long"]), "long", "inherit", { env: { LONG_PROPERTIES: "true" } })

const runAllTests = async (): Promise<Tally> => {
  const before = readPassedTests(passedFile, treeDigest(root))
  if (before === undefined || !isPassed({ ...before, failures: [] })) {
    return sum([await runFirstTests(), await runOtherTests()])
  }
  console.log(`not repeated: the ${before.passed} tests and checks of npm test, which passed on the same files`)
  return runOtherTests()
}

const args = process.argv.slice(2)
const runs = new Map([
  ["", runFirstTests],
  ["--all", runAllTests],
  ["--long", runLongTests]
])
const runGiven = () => runTests(args, "selected", "inherit")
const { failures, passed, skipped } = await (runs.get(args.join(" ")) ?? runGiven)()
// The failures are printed again, because their details have scrolled away.
for (const failure of failures) console.log(`✗ ${failure}`)
if (inCI && skipped > 0) console.log(`${skipped} skipped, which CI=true counts as failed`)
const failed = failures.length + (inCI ? skipped : 0)
process.exitCode = failed === 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed${skipped > 0 && !inCI ? `, ${skipped} skipped` : ""}`)

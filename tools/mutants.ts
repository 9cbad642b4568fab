/**
 * Makes single changes of the sources, drawn at random over all parts, and runs the part's own tests after each: a change
 * that no test notices shows what is not tested. Prints each change, and a table of them at the end.
 *
 *     npm run mutants -- [--count 100] [--skip 0] [--seed 1] [--part core] [--only FILE]
 *
 * The same sources and the same seed give the same changes: `--count 40 --skip 20` continues after `--count 20`. The tests
 * that most likely notice a change run first. The changes are made in a copy of the repository, in a temporary folder. Exits with 1 if fewer than 90 % were noticed.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { argumentsOf, refuse } from "./Arguments.ts"
import { describeMutation, mutate, type Mutation, mutationsOf } from "./Mutations.ts"
import { readReport } from "./VitestReport.ts"

interface Part {
  readonly folder: string
  /** The tests that run the part's built program and import none of its files. */
  readonly programs?: string
}

const parts: Readonly<Record<string, Part>> = {
  core: { folder: "packages/core" },
  detect: { folder: "packages/detect" },
  "leak-check": { folder: "packages/leak-check" },
  service: { folder: "apps/service" },
  action: { folder: "apps/action", programs: "tests/e2e/action-" },
  cli: { folder: "apps/cli", programs: "tests/e2e/cli/" },
  vscode: { folder: "apps/vscode" }
}

const root = fileURLToPath(new URL("..", import.meta.url))
const { values } = argumentsOf(
  "npm run mutants -- [--count NUMBER] [--skip NUMBER] [--seed NUMBER] [--part NAME] [--only FILE]",
  {
    options: {
      count: { type: "string", default: "100" },
      skip: { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
      part: { type: "string", multiple: true, default: Object.keys(parts) },
      only: { type: "string" }
    }
  }
)
const wholeNumber = (option: string, text: string): number =>
  /^\d+$/u.test(text) ? Number(text) : refuse(`--${option} takes a whole number, and "${text}" is none`)
const count = wholeNumber("count", values.count)
const skip = wholeNumber("skip", values.skip)
for (const name of values.part)
  if (parts[name] === undefined) refuse(`--part is one of ${Object.keys(parts).join(", ")}`)

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
const randomOf = (seed: number) => () => {
  seed = (seed + 0x6d_2b_79_f5) | 0
  let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
}
const random = randomOf(wholeNumber("seed", values.seed))

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\0")
  .filter((file) => file !== "" && existsSync(join(root, file)))

/** Links of pnpm are relative, so that packages of the repository that a copy imports are those of the copy. */
const copyRepository = (folder: string): void => {
  for (const file of files) cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true })
  for (const workspace of new Set(files.filter((file) => file.endsWith("package.json")).map(dirname))) {
    const modules = join(workspace, "node_modules")
    if (!existsSync(join(root, modules))) continue
    cpSync(join(root, modules), join(folder, modules), {
      recursive: true,
      verbatimSymlinks: true,
      // Without the stamp, scripts of the copy would install, and change what `.pnpm` links to.
      filter: (path) => !/[/\\]node_modules[/\\]\.(?!bin$|installed$)[^/\\]*$/u.test(path)
    })
  }
  symlinkSync(join(root, "node_modules/.pnpm"), join(folder, "node_modules/.pnpm"))
  mkdirSync(join(folder, "node_modules/.cache"))
  // Some tests read the git history.
  execFileSync("git", ["clone", "--quiet", "--bare", "--shared", root, join(folder, ".git")], { stdio: "ignore" })
  execFileSync("git", ["config", "core.bare", "false"], { cwd: folder })
  execFileSync("git", ["reset", "--quiet"], { cwd: folder })
}

interface Mutant {
  readonly part: string
  readonly file: string
  readonly mutation: Mutation
}

/** Draws the same number for each part, whatever its size. */
const drawMutants = (): ReadonlyArray<Mutant> => {
  const sites = values.part.map((part) => {
    const own = files.filter(
      (file) =>
        file.startsWith(`${parts[part]?.folder}/src/`) &&
        file.endsWith(".ts") &&
        !file.endsWith(".d.ts") &&
        (values.only === undefined || file === values.only)
    )
    return own.flatMap((file) =>
      mutationsOf(readFileSync(join(root, file), "utf8"), file).map((mutation) => ({ part, file, mutation }))
    )
  })
  const drawn: Array<Mutant> = []
  while (drawn.length < count && sites.some(({ length }) => length > 0)) {
    for (const some of sites) {
      const [mutant] = some.splice(Math.floor(random() * some.length), 1)
      if (mutant !== undefined && drawn.length < count) drawn.push(mutant)
    }
  }
  return drawn
}

/** The words of a path, without their plural. */
const wordsOf = (path: string): ReadonlySet<string> =>
  new Set(path.match(/[A-Z]?[a-z]+/gu)?.map((word) => word.toLowerCase().replace(/s$/u, "")))

const maxNearTests = 6

/**
 * The tests that most likely notice a change of the file: they are named like it, import it, or have rare words of its path.
 * A committed bundle is not compared with its sources: that notices any change.
 */
const nearTests = (folder: string, file: string): ReadonlyArray<string> => {
  const name = basename(file, ".ts")
  const tests = files.filter(
    (test) => test.startsWith(`${folder}/test/`) && test.endsWith(".test.ts") && basename(test) !== "bundle.test.ts"
  )
  const wordsOfTests = tests.map((test) => wordsOf(test.slice(folder.length + "/test".length)))
  const weights = [...wordsOf(file.slice(folder.length + "/src".length, -".ts".length))].map(
    (word) => [word, 1 / wordsOfTests.filter((words) => words.has(word)).length] as const
  )
  const scored = tests.map((test, index) => {
    const text = readFileSync(join(root, test), "utf8")
    const imports = text.includes(`/${name}.ts"`) || text.includes(`/${name}"`)
    const shared = weights.filter(([word]) => wordsOfTests[index]?.has(word))
    const similarity = shared.reduce((sum, [, weight]) => sum + weight, 0)
    return { test, score: similarity + (imports ? 1 : 0) + (basename(test) === `${name}.test.ts` ? 10 : 0) }
  })
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxNearTests)
    .map(({ test }) => test)
}

/** The arguments of vitest for the runs of a part's tests: the likely ones, all that import the file, those of the bundle. */
const runsOf = ({ file, part }: Mutant): ReadonlyArray<ReadonlyArray<string>> => {
  const { folder = "", programs } = parts[part] ?? {}
  const near = nearTests(folder, file)
  return [
    ...(near.length === 0 ? [] : [["run", `--project=${part}`, ...near]]),
    ["related", file, `--project=${part}`],
    ...(programs === undefined ? [] : [["run", "--project=e2e", programs]])
  ]
}

const isWindows = process.platform === "win32"
let endRun = () => {}

interface FailedTest {
  readonly file: string
  readonly name: string
}

interface Run {
  readonly state: "passed" | "failed" | "hung"
  readonly failed: ReadonlyArray<FailedTest>
}

/** Runs tests until the first failure. Tests that take longer than the limit, in milliseconds, hang. */
const runTests = (folder: string, args: ReadonlyArray<string>, limit?: number): Promise<Run> => {
  // The tests build all other programs that they run.
  if (args.includes("--project=e2e")) buildAction(folder)
  return new Promise((resolve, reject) => {
    const report = join(folder, "node_modules/.cache/mutant.json")
    rmSync(report, { force: true })
    const options = ["--run", "--bail=1", "--passWithNoTests", "--reporter=json", `--outputFile=${report}`]
    const child = spawn(join(folder, "node_modules/.bin/vitest"), [...args, ...options], {
      cwd: folder,
      stdio: "ignore",
      // The services that tests start belong to the group.
      detached: !isWindows,
      shell: isWindows,
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled") }
    })
    let hangs = false
    endRun = () => {
      if (child.pid !== undefined) process.kill(isWindows ? child.pid : -child.pid, "SIGKILL")
    }
    const end = () => {
      hangs = true
      endRun()
    }
    const timer = limit === undefined ? undefined : setTimeout(end, limit)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      endRun = () => {}
      if (hangs || code === 0) resolve({ state: hangs ? "hung" : "passed", failed: [] })
      else resolve({ state: "failed", failed: failedTests(folder, report) })
    })
  })
}

const buildAction = (folder: string): void => {
  execFileSync(join(folder, "node_modules/.bin/turbo"), ["run", "build", "--filter=@threat-exposure/action"], {
    cwd: folder,
    stdio: "ignore",
    shell: isWindows
  })
}

/** After a failure, the report also lists the files that were not run as failed, without a test. */
const failedTests = (folder: string, report: string): ReadonlyArray<FailedTest> =>
  (readReport(report) ?? []).flatMap(({ assertionResults, message, name, status }) => {
    const file = relative(folder, name)
    const failed = assertionResults.filter((test) => test.status === "failed")
    if (failed.length > 0) return failed.map(({ fullName }) => ({ file, name: fullName }))
    return status === "failed" && message !== "" ? [{ file, name: message.split("\n", 1)[0] ?? "" }] : []
  })

interface Result extends Mutant {
  /** `unclear`: tests failed without the change, too, or passed with it when they were repeated. */
  readonly verdict: "killed" | "survived" | "unclear"
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(0)} s`

/** Milliseconds. Tests that take longer are measured without the change. */
const minLimit = 10 * 60_000

const runMutants = async (folder: string, mutants: ReadonlyArray<Mutant>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  /** Milliseconds that the tests of a run took without a change; undefined if they failed. */
  const baselines = new Map<string, number>()
  const measureBaseline = async (args: ReadonlyArray<string>): Promise<number | undefined> => {
    const key = args.join(" ")
    const known = baselines.get(key)
    if (known !== undefined) return known
    const start = performance.now()
    const { failed, state } = await runTests(folder, args)
    if (state === "passed") baselines.set(key, performance.now() - start)
    else console.log(`Without a change, vitest ${key} fails: ${textOf(failed)}`)
    return baselines.get(key)
  }

  const judge = async (mutant: Mutant, source: string): Promise<readonly [Result["verdict"], string]> => {
    const path = join(folder, mutant.file)
    const runMutated = async (args: ReadonlyArray<string>, limit: number) => {
      writeFileSync(path, mutate(source, mutant.mutation))
      try {
        return await runTests(folder, args, limit)
      } finally {
        writeFileSync(path, source)
      }
    }
    for (const args of runsOf(mutant)) {
      const { failed, state } = await runMutated(args, minLimit)
      if (state === "passed") continue
      // A test failed because of the change only if it passes without it.
      const files = [...new Set(failed.map(({ file }) => file))]
      const isKnown = state === "failed" && files.length > 0
      const project = args.filter((arg) => arg.startsWith("--project="))
      const again = isKnown ? ["run", ...project, ...files] : args
      const baseline = await measureBaseline(again)
      // A test that fails now and then is no verdict.
      if (baseline === undefined || (isKnown && (await runMutated(again, minLimit)).state === "passed"))
        return ["unclear", textOf(failed)]
      const isSlow = state === "hung" && 10 * baseline > minLimit
      if (isSlow && (await runMutated(args, 10 * baseline)).state === "passed") continue
      return ["killed", textOf(failed) || state]
    }
    return ["survived", ""]
  }

  for (const [index, mutant] of mutants.entries()) {
    const source = readFileSync(join(folder, mutant.file), "utf8")
    const start = performance.now()
    const [verdict, why] = await judge(mutant, source)
    results.push({ ...mutant, verdict })
    const place = `${mutant.file}:${describeMutation(source, mutant.mutation)}`
    const time = seconds(performance.now() - start)
    console.log(`${skip + index + 1}/${count} ${verdict} ${place} (${time}${why === "" ? "" : `: ${why}`})`)
  }
  return results
}

const textOf = (failed: ReadonlyArray<FailedTest>): string =>
  failed.map(({ file, name }) => `${file}: ${name}`).join(", ")

const printTable = (results: ReadonlyArray<Result>): void => {
  const rows = [...Map.groupBy(results, ({ part }) => part), ["all", results] as const].map(([part, some]) => {
    const count = (verdict: Result["verdict"]) => some.filter((result) => result.verdict === verdict).length
    return {
      part,
      mutants: some.length,
      killed: count("killed"),
      survived: count("survived"),
      unclear: count("unclear")
    }
  })
  console.table(rows)
}

const copy = mkdtempSync(join(tmpdir(), "mutants-"))
const clear = () => {
  endRun()
  rmSync(copy, { recursive: true, force: true })
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    clear()
    process.exit(130)
  })
}
try {
  const mutants = drawMutants().slice(skip)
  if (mutants.length === 0) refuse("There is nothing to change in these files")
  copyRepository(copy)
  const results = await runMutants(copy, mutants)
  printTable(results)
  if (results.filter(({ verdict }) => verdict === "killed").length < results.length * 0.9) process.exitCode = 1
} finally {
  clear()
}

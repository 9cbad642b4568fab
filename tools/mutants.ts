/**
 * Makes single changes of the sources, drawn at random over all parts, and runs the part's own tests after each: a change
 * that no test notices shows what is not tested. Prints each change, and a table of them at the end.
 *
 *     npm run mutants -- [--count 100] [--seed 1] [--part core] [--only FILE]
 *
 * The changes are made in a copy of the repository, in a temporary folder. Exits with 1 if fewer than 90 % were noticed.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { argumentsOf, refuse } from "./Arguments.ts"
import { describeMutation, mutated, type Mutation, mutationsOf } from "./Mutations.ts"

interface Part {
  readonly folder: string
  /** The arguments of vitest for each run of the part's tests. The first run has those that import the changed file. */
  readonly runs: ReadonlyArray<(file: string) => ReadonlyArray<string>>
}

const related = (project: string) => (file: string) => ["related", file, `--project=${project}`]

const parts: Readonly<Record<string, Part>> = {
  core: { folder: "packages/core", runs: [related("core")] },
  detect: { folder: "packages/detect", runs: [related("detect")] },
  "leak-check": { folder: "packages/leak-check", runs: [related("leak-check")] },
  service: { folder: "apps/service", runs: [related("service")] },
  action: { folder: "apps/action", runs: [related("action"), () => ["run", "--project=e2e", "e2e/action-"]] },
  cli: { folder: "apps/cli", runs: [related("cli"), () => ["run", "--project=e2e", "e2e/cli/"]] },
  vscode: { folder: "apps/vscode", runs: [related("vscode")] }
}

const root = fileURLToPath(new URL("..", import.meta.url))
const { values } = argumentsOf("npm run mutants -- [--count NUMBER] [--seed NUMBER] [--part NAME] [--only FILE]", {
  options: {
    count: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    part: { type: "string", multiple: true, default: Object.keys(parts) },
    only: { type: "string" }
  }
})
const wholeNumber = (option: string, text: string): number =>
  /^\d+$/u.test(text) ? Number(text) : refuse(`--${option} takes a whole number, and "${text}" is none`)
const count = wholeNumber("count", values.count)
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
      filter: (path) => !/[/\\]node_modules[/\\]\.(?!bin\b)[^/\\]*$/u.test(path)
    })
  }
  symlinkSync(join(root, "node_modules/.pnpm"), join(folder, "node_modules/.pnpm"))
  mkdirSync(join(folder, "node_modules/.cache"))
  // Some tests read the history.
  execFileSync("git", ["clone", "--quiet", "--bare", "--shared", root, join(folder, ".git")], { stdio: "ignore" })
  execFileSync("git", ["config", "core.bare", "false"], { cwd: folder })
  execFileSync("git", ["reset", "--quiet"], { cwd: folder })
}

interface Mutant {
  readonly part: string
  readonly file: string
  readonly mutation: Mutation
}

/** As many of each part as of the others, whatever their sizes. */
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

const isWindows = process.platform === "win32"
let endRun = () => {}

/** Whether the tests pass. Tests that take longer than the limit, in milliseconds, hang, and do not pass. */
const passes = (folder: string, args: ReadonlyArray<string>, limit?: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const child = spawn(join(folder, "node_modules/.bin/vitest"), [...args, "--run", "--bail=1", "--passWithNoTests"], {
      cwd: folder,
      stdio: "ignore",
      // The services that tests start belong to the group.
      detached: !isWindows,
      shell: isWindows,
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled") }
    })
    endRun = () => {
      if (child.pid !== undefined) process.kill(isWindows ? child.pid : -child.pid, "SIGKILL")
    }
    const timer = limit === undefined ? undefined : setTimeout(endRun, limit)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      endRun = () => {}
      resolve(code === 0)
    })
  })

interface Result extends Mutant {
  readonly isKilled: boolean
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(0)} s`

const runMutants = async (folder: string, mutants: ReadonlyArray<Mutant>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  /** Milliseconds that the tests of a file take without a change. */
  const baselines = new Map<string, number>()
  for (const [index, mutant] of mutants.entries()) {
    const { file, mutation, part } = mutant
    const path = join(folder, file)
    const source = readFileSync(path, "utf8")
    let isKilled = false
    const start = performance.now()
    for (const run of parts[part]?.runs ?? []) {
      const args = run(file)
      const key = args.join(" ")
      let baseline = baselines.get(key)
      if (baseline === undefined) {
        const before = performance.now()
        if (!(await passes(folder, args))) throw new Error(`The tests fail without any change: vitest ${key}`)
        baselines.set(key, (baseline = performance.now() - before))
      }
      writeFileSync(path, mutated(source, mutation))
      isKilled = !(await passes(folder, args, 120_000 + baseline * 10))
      writeFileSync(path, source)
      if (isKilled) break
    }
    results.push({ ...mutant, isKilled })
    const state = isKilled ? "killed  " : "SURVIVED"
    const place = `${file}:${describeMutation(source, mutation)}`
    console.log(`${index + 1}/${mutants.length} ${state} ${place} (${seconds(performance.now() - start)})`)
  }
  return results
}

const printTable = (results: ReadonlyArray<Result>): void => {
  const rows = [...Map.groupBy(results, ({ part }) => part), ["all", results] as const].map(([part, some]) => {
    const killed = some.filter(({ isKilled }) => isKilled).length
    return { part, mutants: some.length, killed, survived: some.length - killed }
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
  const mutants = drawMutants()
  if (mutants.length === 0) refuse("There is nothing to change in these files")
  copyRepository(copy)
  const results = await runMutants(copy, mutants)
  printTable(results)
  if (results.filter(({ isKilled }) => isKilled).length < results.length * 0.9) process.exitCode = 1
} finally {
  clear()
}

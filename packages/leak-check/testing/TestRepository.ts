/** Real git repositories in temporary folders. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"

const settings = {
  "user.name": "A",
  "user.email": "a@example.com",
  "commit.gpgsign": "false",
  // Without this setting, each commit starts another git process.
  "maintenance.auto": "false"
}
const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])

export class TestRepository {
  readonly path: string
  /** Numbers the messages, because identical commits would have one id. */
  #fillers = 0

  constructor(path: string) {
    this.path = path
  }

  git(...args: ReadonlyArray<string>): string {
    return execFileSync("git", ["-C", this.path, ...flags, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"]
    }).trim()
  }

  /** Writes and commits the files; returns the commit. */
  commit(files: Readonly<Record<string, string>>, message = "change"): string {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.path, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    this.git("add", "--all")
    this.git("commit", "--quiet", "--allow-empty", "--message", message)
    return this.#head() ?? ""
  }

  /** Creates empty commits with two git processes, whatever their number; returns the last commit. */
  commits(count: number): string {
    const before = this.#head()
    if (count === 0) return before ?? ""
    const stream = Array.from({ length: count }, (_, n) => {
      const message = `filler ${this.#fillers++}`
      return [
        "commit refs/filler",
        `mark :${n + 1}`,
        "committer A <a@example.com> now",
        `data ${message.length}`,
        message,
        ...(n === 0 && before !== undefined ? [`from ${before}`, ""] : [])
      ]
    })
    // Deletes the branch under which the commits were imported.
    const lines = [...stream.flat(), `get-mark :${count}`, "reset refs/filler", `from ${"0".repeat(40)}`, ""]
    const head = execFileSync("git", ["-C", this.path, "fast-import", "--quiet", "--date-format=now"], {
      encoding: "utf8",
      input: lines.join("\n")
    }).trim()
    this.git("update-ref", "HEAD", head)
    return head
  }

  /** Undefined before the first commit. Read from files, without a git process. */
  #head(): string | undefined {
    const inGit = (name: string) => readFileSync(join(this.path, ".git", name), "utf8").trim()
    const [, branch] = /^ref: (.+)$/u.exec(inGit("HEAD")) ?? []
    if (branch === undefined) return inGit("HEAD")
    return existsSync(join(this.path, ".git", branch)) ? inGit(branch) : undefined
  }

  /** Clones like actions/checkout: one branch, over a transport that supports depth. */
  clone(branch: string, depth?: number): TestRepository {
    const path = mkdtempSync(join(tmpdir(), "action-clone-"))
    execFileSync("git", [
      "clone",
      "--quiet",
      "--no-tags",
      "--branch",
      branch,
      ...(depth === undefined ? [] : [`--depth=${depth}`]),
      pathToFileURL(this.path).href,
      path
    ])
    return new TestRepository(path)
  }
}

/** Creates the files and folders that git needs, without a git process. */
const makeRepository = Effect.sync(() => {
  const path = mkdtempSync(join(tmpdir(), "action-repository-"))
  for (const folder of ["objects", "refs/heads", "refs/tags", "info"]) {
    mkdirSync(join(path, ".git", folder), { recursive: true })
  }
  writeFileSync(join(path, ".git", "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(path, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tlogallrefupdates = true\n")
  return new TestRepository(path)
})

const removeRepository = (repository: TestRepository) =>
  Effect.sync(() => rmSync(repository.path, { recursive: true, force: true }))

/** A repository that is removed with the scope. */
export const testRepository = Effect.acquireRelease(makeRepository, removeRepository)

export const cloneOf = (repository: TestRepository, branch: string, depth?: number) =>
  Effect.acquireRelease(
    Effect.sync(() => repository.clone(branch, depth)),
    removeRepository
  )

export const copyOf = (repository: TestRepository) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "action-clone-"))
      cpSync(repository.path, path, { recursive: true })
      return new TestRepository(path)
    }),
    removeRepository
  )
